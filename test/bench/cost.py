# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tracing costs: kernel time, host time, registers; kinstr and its rivals in one run.

    cost.py build DIR                  needs kinstr and nvcc; writes the programs to DIR
    cost.py run DIR [--json FILE]      needs DIR and a GPU, and nothing else of this project

Parts, for --only:

    rmsnorm    the sample at 432, 4096 and 16384 rows of 5120, nine marks
    pipeline   two pipelined main loops (pipeline.cu), marks at each step or once a tile
    resources  what rmsnorm and pipeline take of the device: printed with either of them
    host       time of a launch call, and of writing the trace (host_cost.py)
    proton     Triton's Proton on an equivalent kernel (proton_rmsnorm.py); only if asked for

Kernel times are those of events around each launch, L2 flushed before. All variants of a kernel run
in one process and on the same inputs (interleave.cu); in each round each of them has a turn, in random
order. Several processes, of which all rounds count. A ratio is the median of the paired ratios
(variant over untraced, of the same round), behind it the lower and the upper 95 % bound of that median
by order statistics, each one-sided. "cold" is the same of launches right after another kernel's, with
nothing of the variant in the instruction caches. A target is met when the upper bound is below it plus
the width of the A/A control, "untraced again": its upper less its lower bound.
"""
from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import os
import platform
import subprocess
import sys
import time

import host_cost
import kernels
import proton_rmsnorm
from paired import Estimate, estimate, ratios

PARTS = ("rmsnorm", "pipeline", "resources", "host", "proton")
DEFAULT_PARTS = PARTS[:-1]
BEST = tuple(f"{b}{t}" for t in ("", ", twin") for b in kernels.BUFFERS)


@dataclasses.dataclass(frozen=True)
class Target:
    """For the least upper bound among `variants`. What is aimed at beyond it, if anything: `then`."""

    name: str
    kernel: str
    variants: tuple[str, ...]
    limits: dict[str, float]
    then: dict[str, float] = dataclasses.field(default_factory=dict)


def at_all_rows(limit: float) -> dict[str, float]:
    return {rows: limit for rows in kernels.RMSNORM.sizes}


def pipeline_targets() -> list[Target]:
    result = []
    for kernel, each_step, each_tile in (("multistage", 1.03, 1.01), ("specialised", None, 1.03)):
        for said, limit in (("each step", each_step), ("each tile", each_tile)):
            variants = tuple(f"{b}, {said}" for b in (*kernels.BUFFERS, "auto"))
            if limit is not None:
                result.append(Target(f"best buffer, {said}", kernel, variants, {"8192x8192x4096": limit}))
    return result


TARGETS = [
    Target(
        "best buffer",
        "rmsnorm",
        BEST,
        {"432": 1.08, "4096": 1.12, "16384": 1.12},
        {"432": 1.05, "4096": 1.08, "16384": 1.10},
    ),
    Target("shared", "rmsnorm", ("shared",), {"432": 1.15, "4096": 1.25, "16384": 1.25}),
    Target("shared, 1 in 16", "rmsnorm", ("shared, 1 in 16", "shared, twin, 1 in 16"), at_all_rows(1.05)),
    Target("lanes, 1 in 16", "rmsnorm", ("lanes, 1 in 16", "lanes, twin, 1 in 16"), at_all_rows(1.05)),
    Target("built in, off", "rmsnorm", ("shared, off",), at_all_rows(1.02)),
    Target("twin, off", "rmsnorm", ("shared, twin, off",), at_all_rows(1.005)),
    *pipeline_targets(),
]


# ---- kernel times --------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Row:
    kernel: str
    size: str
    variant: str
    us: float
    ratio: Estimate
    cold: Estimate
    problem: str  # why the figures are not those of the variant; else empty
    bytes_a_launch: float
    resources: dict[str, int]


def find_problem(variant: kernels.Variant, m: kernels.Measured) -> str:
    if not m.right:
        return "wrong result"
    if m.dropped:
        return f"{m.dropped} records dropped"
    if variant.records != (m.words > 0):
        return "recorded nothing" if variant.records else "recorded something"
    return ""


def make_row(
    kernel: kernels.Kernel, size: str, variant: kernels.Variant, m: kernels.Measured, base: kernels.Measured
) -> Row:
    return Row(
        kernel=kernel.name,
        size=size,
        variant=variant.name,
        us=estimate(m.second).median,
        ratio=estimate(ratios(m.second, base.second)),
        cold=estimate(ratios(m.first, base.first)),
        problem=find_problem(variant, m),
        bytes_a_launch=4 * m.words / m.launches,
        resources=m.resources,
    )


def print_heading() -> None:
    print(
        f"\n{'kernel':<12} {'size':<14} {'variant':<24} {'us':>9}  {'ratio':>6} {'lower':>6} {'upper':>6}"
        f"  {'cold':>6}  {'MB/launch':>9}"
    )


def print_row(r: Row) -> None:
    print(
        f"{r.kernel:<12} {r.size:<14} {r.variant:<24} {r.us:>9.2f}  {r.ratio.median:>6.4f} {r.ratio.lower:>6.4f}"
        f" {r.ratio.upper:>6.4f}  {r.cold.median:>6.4f}  {r.bytes_a_launch / 1e6:>9.2f}"
        + (f"  INVALID: {r.problem}" if r.problem else ""),
        flush=True,
    )


def measure_kernel(folder: str, kernel: kernels.Kernel, built: set[str], args: argparse.Namespace) -> list[Row]:
    rows = []
    for size in kernel.sizes:
        begin = time.monotonic()
        try:
            measured = kernels.run(folder, kernel, size, built, args.rounds, args.processes)
        except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as error:
            print(f"{kernel.name} {size}: not measured: {error}", flush=True)
            continue
        for v in kernel.variants:
            if v.name in measured:
                rows.append(make_row(kernel, size, v, measured[v.name], measured[kernels.UNTRACED]))
                print_row(rows[-1])
        print(f"{'':<12} {'':<14} ({time.monotonic() - begin:.1f} s)", flush=True)
    return rows


# ---- targets -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Verdict:
    target: str
    kernel: str
    size: str
    variant: str  # the best of those that count
    upper: float
    limit: float
    width: float  # of the A/A control
    verdict: str
    then: float | None
    then_verdict: str | None


def judge_target(target: Target, size: str, rows: list[Row]) -> Verdict | None:
    here = [r for r in rows if r.kernel == target.kernel and r.size == size]
    control = next((r for r in here if r.variant == kernels.CONTROL), None)
    valid = [r for r in here if r.variant in target.variants and not r.problem]
    if control is None or not valid:
        return None
    best = min(valid, key=lambda r: r.ratio.upper)
    word = lambda limit: "met" if best.ratio.upper < limit + control.ratio.width else "missed"
    limit, then = target.limits[size], target.then.get(size)
    return Verdict(
        target=target.name,
        kernel=target.kernel,
        size=size,
        variant=best.variant,
        upper=best.ratio.upper,
        limit=limit,
        width=control.ratio.width,
        verdict=word(limit),
        then=then,
        then_verdict=word(then) if then is not None else None,
    )


def judge(rows: list[Row]) -> list[Verdict]:
    found = [judge_target(t, size, rows) for t in TARGETS for size in t.limits]
    return [v for v in found if v is not None]


def print_verdicts(verdicts: list[Verdict]) -> None:
    print(f"\n{'target':<24} {'kernel':<12} {'size':<14} {'by':<24} {'upper':>6}  {'limit':>6} {'A/A':>6}")
    for v in verdicts:
        further = f"; {v.then:.3f} {v.then_verdict}" if v.then is not None else ""
        print(
            f"{v.target:<24} {v.kernel:<12} {v.size:<14} {v.variant:<24} {v.upper:>6.4f}  {v.limit:>6.3f}"
            f" {v.width:>6.4f}  {v.verdict}{further}"
        )


# ---- resources -----------------------------------------------------------------------------------

COLUMNS = {
    "registers": "regs",
    "spill_bytes": "spill B",
    "local_bytes": "local B",
    "static_shared": "static B",
    "dynamic_shared": "dyn. B",
    "blocks_per_sm": "blocks/SM",
    "instructions": "instr.",
    "global_loads": "LDG",
    "shared_loads": "LDS",
    "local": "LDL+STL",
    "mma": "MMA",
    "backward": "backward",
}
SPARE_REGISTERS = 8  # where the original leaves so many, spills must stay 0


def resources_of(manifest: dict, rows: list[Row]) -> list[dict]:
    """One for each library and kernel: what the build said, and the device, if it was asked."""
    asked = {(r.kernel, r.variant): r.resources for r in rows}
    result = []
    for kernel in (kernels.RMSNORM, *kernels.PIPELINES):
        seen = set()
        for v in kernel.variants:
            facts = manifest["libraries"].get(v.library)
            if facts is not None and v.library not in seen:
                seen.add(v.library)
                numbers = {**facts[kernel.name], **asked.get((kernel.name, v.name), {})}
                result.append({"kernel": kernel.name, "library": v.library, **numbers})
    return result


def spill_verdicts(facts: list[dict]) -> list[str]:
    """What spills, though the original had registers to spare."""
    result = []
    for kernel in (kernels.RMSNORM, *kernels.PIPELINES):
        mine = [f for f in facts if f["kernel"] == kernel.name]
        if mine and mine[0].get("registers", 256) + SPARE_REGISTERS <= kernel.register_limit:
            spilling = [f["library"] for f in mine[1:] if f.get("spill_bytes", 0) > mine[0].get("spill_bytes", 0)]
            verdict = "missed by " + ", ".join(spilling) if spilling else "met"
            result.append(f"{kernel.name}: the original leaves {SPARE_REGISTERS} registers free; no spills: {verdict}")
    return result


def print_resources(facts: list[dict]) -> None:
    print(f"\n{'kernel':<12} {'library':<24}" + "".join(f" {heading:>9}" for heading in COLUMNS.values()))
    for f in facts:
        print(f"{f['kernel']:<12} {f['library']:<24}" + "".join(f" {f.get(c, '-'):>9}" for c in COLUMNS))
    for line in spill_verdicts(facts):
        print(line)


# ---- the whole -----------------------------------------------------------------------------------


def query_gpu(field: str) -> str:
    query = ["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader", "--id=0"]
    try:
        return subprocess.run(query, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def describe_machine(manifest: dict) -> dict[str, object]:
    return {
        "gpu": query_gpu("name"),
        "driver": query_gpu("driver_version"),
        "cuda": manifest["cuda"],
        "kinstr": manifest["kinstr"],
        "flags": manifest["flags"],
        "host": f"{platform.machine()}, {os.cpu_count()} cores",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def run_host(folder: str, rounds: int) -> dict | None:
    print()
    try:
        return host_cost.run(os.path.join(folder, "host"), rounds)
    except (SystemExit, AssertionError, OSError) as reason:
        print(f"host: not measured: {reason}", flush=True)
        return None


def run_proton() -> dict | None:
    print()
    try:
        return proton_rmsnorm.measure()
    except proton_rmsnorm.Unavailable as reason:
        print(f"proton: not measured: {reason}", flush=True)
        return None


def write_json(path: str, result: dict) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1, default=dataclasses.asdict)


def read_manifest(folder: str) -> dict:
    """What the build wrote down; where only other parts were built, nothing."""
    try:
        with open(os.path.join(folder, kernels.MANIFEST), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"kinstr": "unknown", "cuda": "CUDA unknown", "flags": "", "libraries": {}}


def run(args: argparse.Namespace, parts: set[str]) -> int:
    manifest = read_manifest(args.folder)
    built = set(manifest["libraries"])
    result: dict[str, object] = {"machine": describe_machine(manifest), "processes": args.processes}
    print("{gpu}, driver {driver}, {cuda}, {date}".format(**result["machine"]))
    save = lambda: write_json(args.json, result) if args.json else None  # what is known so far

    measured = [kernels.RMSNORM] if "rmsnorm" in parts else []
    measured += kernels.PIPELINES if "pipeline" in parts else []
    if measured:
        print_heading()
    rows: list[Row] = []
    for kernel in measured:
        rows += measure_kernel(args.folder, kernel, built, args)
        result["kernels"], result["targets"] = rows, judge(rows)
        save()
    if rows:
        print_verdicts(result["targets"])
    if "resources" in parts:
        result["resources"] = resources_of(manifest, rows)
        print_resources(result["resources"])
        save()
    if "host" in parts:
        result["host"] = run_host(args.folder, args.host_rounds)
        save()
    if "proton" in parts:
        result["proton"] = run_proton()
        save()
    complete = len({(r.kernel, r.size) for r in rows}) == sum(len(k.sizes) for k in measured)
    return 0 if complete and not any(r.problem for r in rows) else 1


def build(args: argparse.Namespace, parts: set[str]) -> int:
    sources = parts & {"rmsnorm", "pipeline"} or ({"rmsnorm", "pipeline"} if "resources" in parts else set())
    if sources or args.library:
        kernels.build(args.folder, args.kinstr, args.arch, args.jobs, sources, args.library)
    if "host" in parts and not args.library:
        host_cost.build(os.path.join(args.folder, "host"), args.arch, args.kinstr)
    return 0


def parse_parts(text: str) -> set[str]:
    parts = set(text.split(","))
    if unknown := parts - set(PARTS):
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return parts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["build", "run"])
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--only", type=parse_parts, default=set(DEFAULT_PARTS), metavar="PART,...")
    parser.add_argument("--proton", action="store_true", help="run: also the part proton")
    parser.add_argument("--json", metavar="FILE", help="run: write the results, part by part")
    parser.add_argument("--rounds", type=int, metavar="N", help="run: in each process; default: by size")
    parser.add_argument("--processes", type=int, default=3, metavar="N", help="run: default 3")
    parser.add_argument("--host-rounds", type=int, default=2, metavar="N", help="run: of the part host; default 2")
    parser.add_argument("--arch", default="sm_90a", help="build: default sm_90a")
    parser.add_argument("--kinstr", default="kinstr", metavar="PROGRAM", help="build: default the one on PATH")
    parser.add_argument("--library", action="append", default=[], metavar="NAME", help="build: only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="build: at once")
    args = parser.parse_args()
    parts = args.only | ({"proton"} if args.proton else set())
    return build(args, parts) if args.action == "build" else run(args, parts)


if __name__ == "__main__":
    sys.exit(main())
