# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that cost.py measures, their variants, and how those are built and run."""
from __future__ import annotations

import concurrent.futures
import dataclasses
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import machine_code

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "..", "..", "samples", "rmsnorm", "rmsnorm.cu")
PIPELINE = os.path.join(HERE, "pipeline.cu")
MANIFEST = "manifest.json"
BUFFERS = ("shared", "lanes", "global")
OFF = "launches=1000000000"
SAMPLED = "blocks=16"

UNTRACED = "untraced"
CONTROL = "untraced again"
ARTICLE = "article's scheme"


@dataclasses.dataclass(frozen=True)
class Library:
    """One way of compiling a source: by kinstr with these options, or without it."""

    name: str
    source: str
    kinstr: tuple[str, ...] | None = None
    one_mark: bool = False  # take the marks named step_... out
    article: bool = False  # with the headers of the article's scheme in place of kinstr's


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    library: str
    options: str = ""
    records: bool = False


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    symbol: str  # part of the mangled name
    register_limit: int  # what its launch bounds leave a thread
    sizes: dict[str, tuple[str, ...]]  # name of a size: arguments of the program
    rounds: dict[str, int]  # in one process
    buffer_mb: int  # of each variant: nothing may be dropped
    variants: tuple[Variant, ...]


def rmsnorm_libraries() -> list[Library]:
    plain = [Library(f"rmsnorm-{b}", "rmsnorm", (f"--buffer={b}",)) for b in BUFFERS]
    twins = [Library(f"rmsnorm-{b}-twin", "rmsnorm", (f"--buffer={b}", "--twin")) for b in BUFFERS]
    article = Library("rmsnorm-article", "rmsnorm", ("--buffer=shared",), article=True)
    return [Library("rmsnorm", "rmsnorm"), *plain, *twins, article]


def pipeline_libraries() -> list[Library]:
    result = [Library("pipeline", "pipeline")]
    for buffer in (*BUFFERS, "auto"):
        option = (f"--buffer={buffer}",)
        result.append(Library(f"pipeline-{buffer}", "pipeline", option))
        result.append(Library(f"pipeline-{buffer}-one", "pipeline", option, one_mark=True))
    result.append(Library("pipeline-global-twin", "pipeline", ("--buffer=global", "--twin")))
    return result


LIBRARIES = [*rmsnorm_libraries(), *pipeline_libraries()]


def untraced(library: str) -> list[Variant]:
    return [Variant(UNTRACED, library), Variant(CONTROL, library)]


def rmsnorm_variants() -> tuple[Variant, ...]:
    result = untraced("rmsnorm")
    for twin in ("", "-twin"):
        said = twin.replace("-", ", ")
        for b in BUFFERS:
            result.append(Variant(f"{b}{said}", f"rmsnorm-{b}{twin}", "", True))
        for b in ("shared", "lanes"):
            result.append(Variant(f"{b}{said}, 1 in 16", f"rmsnorm-{b}{twin}", SAMPLED, True))
        result.append(Variant(f"shared{said}, off", f"rmsnorm-shared{twin}", OFF))
        result.append(Variant(f"lanes{said}, off", f"rmsnorm-lanes{twin}", OFF))
    return (*result, Variant(ARTICLE, "rmsnorm-article"))


def pipeline_variants() -> tuple[Variant, ...]:
    result = untraced("pipeline")
    for one, said in (("", "each step"), ("-one", "each tile")):
        for b in (*BUFFERS, "auto"):
            result.append(Variant(f"{b}, {said}", f"pipeline-{b}{one}", "", True))
    result.append(Variant("global, off", "pipeline-global", OFF))
    result.append(Variant("global, twin, off", "pipeline-global-twin", OFF))
    return tuple(result)


def pipeline_kernel(name: str, register_limit: int) -> Kernel:
    size = ("8192", "8192", "4096")
    label = "x".join(size)
    # The symbol's length in front of its name, as mangled: the name also stands in the file's.
    return Kernel(
        name, f"{len(name)}{name}", register_limit, {label: (name, *size)}, {label: 20}, 6144, pipeline_variants()
    )


RMSNORM = Kernel(
    name="rmsnorm",
    symbol="rmsnorm_kernelILi20E",
    register_limit=96,
    sizes={rows: (rows, "5120") for rows in ("432", "4096", "16384")},
    rounds={"432": 100, "4096": 60, "16384": 40},
    buffer_mb=3072,
    variants=rmsnorm_variants(),
)
PIPELINES = (pipeline_kernel("multistage", 128), pipeline_kernel("specialised", 224))


# ---- building ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Toolchain:
    kinstr: str
    nvcc: tuple[str, ...]
    arch: tuple[str, ...]
    runtime_flags: tuple[str, ...]
    has_twin: bool
    nvdisasm: str | None


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def find_toolchain(kinstr: str, arch: str) -> Toolchain:
    number = re.sub(r"^(sm|compute)_", "", arch)
    flags = ("-gencode", f"arch=compute_{number},code=sm_{number}")
    return Toolchain(
        kinstr=kinstr,
        nvcc=("nvcc", "-std=c++17", "-O3", *flags),
        arch=flags,
        runtime_flags=tuple(shlex.split(output_of(kinstr, "--nvcc-flags"))),
        has_twin=re.search(r"^\s*--twin\b", output_of(kinstr, "--help"), re.MULTILINE) is not None,
        nvdisasm=machine_code.find_nvdisasm(kinstr),
    )


def run_quietly(*command: str) -> str:
    """What it printed; if it failed, that is shown and this program ends."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def prepare_source(library: Library, tools: Toolchain, scratch: str) -> str:
    """The file to compile: the source, or a copy of it, rewritten by kinstr."""
    source = SAMPLE if library.source == "rmsnorm" else PIPELINE
    if library.one_mark:
        with open(source, encoding="utf-8") as file:
            text = file.read()
        source = os.path.join(scratch, "one_mark.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text.replace("// @phase step_", "// step_"))
    if library.kinstr is None:
        return source
    copy = os.path.join(scratch, f"{library.name}.cu")
    run_quietly(tools.kinstr, source, "-o", copy, "--no-remarks", *library.kinstr, *tools.arch, f"-I{HERE}")
    return copy


def compile_library(library: Library, tools: Toolchain, folder: str) -> dict[str, object]:
    """Writes LIBRARY.so to `folder`; returns what is known of its kernels."""
    with tempfile.TemporaryDirectory() as scratch:
        source = prepare_source(library, tools, scratch)
        flags = ["-shared", "-Xcompiler=-fPIC,-fno-gnu-unique", "-Xptxas=-v", "--keep", f"--keep-dir={scratch}"]
        flags += ["-Xlinker=-Bsymbolic,--exclude-libs,ALL,-s", f"-I{HERE}"]
        if library.source == "rmsnorm":
            flags.append(f'-DRMSNORM_FILE="{source}"')
            source = os.path.join(HERE, "rmsnorm_variant.cu")
        if library.article:
            flags.append(f"-I{os.path.join(HERE, 'article')}")
        elif library.kinstr is not None:
            flags += tools.runtime_flags
        target = os.path.join(folder, f"{library.name}.so")
        said = run_quietly(*tools.nvcc, *flags, source, "-o", target)
        return describe_kernels(library, said, scratch, tools.nvdisasm)


def describe_kernels(library: Library, said: str, scratch: str, nvdisasm: str | None) -> dict[str, object]:
    cubins = [c for c in glob.glob(os.path.join(scratch, "*.cubin")) if not c.endswith("_dlink.cubin")]
    sass = "\n".join(machine_code.disassemble(nvdisasm, c) for c in cubins) if nvdisasm else ""
    kernels = (RMSNORM,) if library.source == "rmsnorm" else PIPELINES
    return {
        k.name: {**machine_code.from_ptxas(said, k.symbol), **machine_code.from_sass(sass, k.symbol)} for k in kernels
    }


def choose_libraries(sources: set[str], names: list[str], has_twin: bool) -> list[Library]:
    """All of these sources, or those of these names; less those that this kinstr cannot make."""
    if unknown := set(names) - {l.name for l in LIBRARIES}:
        raise SystemExit(f"no such library: {', '.join(sorted(unknown))}")
    chosen = [l for l in LIBRARIES if (l.name in names if names else l.source in sources)]
    return [l for l in chosen if has_twin or "--twin" not in (l.kinstr or ())]


def build(folder: str, kinstr: str, arch: str, jobs: int, sources: set[str], names: list[str]) -> None:
    """The libraries, the program that times them, and MANIFEST."""
    os.makedirs(folder, exist_ok=True)
    tools = find_toolchain(kinstr, arch)
    interleave = os.path.join(HERE, "interleave.cu")
    run_quietly(*tools.nvcc, interleave, "-ldl", "-o", os.path.join(folder, "interleave"))

    wanted = choose_libraries(sources, names, tools.has_twin)
    libraries = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        facts = pool.map(lambda l: compile_library(l, tools, folder), wanted)
        for library, about in zip(wanted, facts):
            libraries[library.name] = about
            print(f"{library.name}.so", flush=True)
    write_manifest(folder, tools, libraries)
    if not tools.has_twin:
        print("note: this kinstr has no --twin; variants that need it are left out")
    if tools.nvdisasm is None:
        print("note: nvdisasm was not found; instructions are not counted")


def write_manifest(folder: str, tools: Toolchain, libraries: dict[str, dict[str, object]]) -> None:
    release = re.search(r"release (\S+?),? V(\S+)", output_of("nvcc", "--version"))
    manifest = {
        "kinstr": output_of(tools.kinstr, "--version").strip().splitlines()[0],
        "cuda": f"CUDA {release.group(2)}" if release else "CUDA unknown",
        "flags": shlex.join(tools.nvcc),
        "libraries": libraries,
    }
    with open(os.path.join(folder, MANIFEST), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)


# ---- running -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Measured:
    """Of one variant at one size, over all processes."""

    first: list[float] = dataclasses.field(default_factory=list)  # [us], in cold instruction caches
    second: list[float] = dataclasses.field(default_factory=list)  # [us]
    resources: dict[str, int] = dataclasses.field(default_factory=dict)
    words: int = 0
    dropped: int = 0
    launches: int = 0
    right: bool = True


RESOURCES = ("registers", "local_bytes", "static_shared", "dynamic_shared", "blocks_per_sm")


def add_output(measured: dict[str, Measured], text: str) -> None:
    """What interleave.cu says it prints."""
    for line in text.splitlines():
        what, name, values = line.split("\t")
        m = measured.setdefault(name, Measured())
        if what in ("first", "second"):
            getattr(m, what).extend(float(v) for v in values.split())
        elif what == "resources":
            m.resources = dict(zip(RESOURCES, (int(v) for v in values.split())))
        elif what == "records":
            words, dropped, launches = (int(v) for v in values.split())
            m.words, m.dropped, m.launches = m.words + words, m.dropped + dropped, m.launches + launches
        elif what == "right":
            m.right = m.right and values == "1"


def run(
    folder: str, kernel: Kernel, size: str, built: set[str], rounds: int | None, processes: int
) -> dict[str, Measured]:
    """Raises RuntimeError, with the reason, where a process fails."""
    measured: dict[str, Measured] = {}
    for process in range(processes):
        command = [os.path.join(folder, "interleave"), str(rounds or kernel.rounds[size]), str(process + 1)]
        for v in kernel.variants:
            if v.library in built:
                options = ",".join(filter(None, ["out=/dev/null", f"buffer_mb={kernel.buffer_mb}", v.options]))
                command += [v.name, os.path.join(folder, f"{v.library}.so"), options]
        done = subprocess.run([*command, "--", *kernel.sizes[size]], capture_output=True, text=True, timeout=180)
        if done.returncode != 0:
            raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")
        if done.stderr:  # of kinstr's runtimes
            print(done.stderr.strip(), file=sys.stderr, flush=True)
        add_output(measured, done.stdout)
    return measured
