# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what kinstr measured with what the programs truth_*.cu know.

    check_truth.py FOLDER BUFFER...     FOLDER/truth_lengths-BUFFER and so on, FOLDER/kitrace-events
    check_truth.py --self-test          on made-up input, without a GPU

Prints what it found, then "N passed, N failed".
"""
import collections
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

Launch = collections.namedtuple("Launch", "kernel buffer layout flow error warps")
Warp = collections.namedtuple("Warp", "sm wrapped events")  # events: (name, clock, ns)

TOLERANCE = 16  # cycles, at the 99th percentile


def quantile(values, q):
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


class Result:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, ok, detail=""):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        print(f"{'ok    ' if ok else 'FAILED'} {what}{': ' if detail else ''}{detail}")


# ---- reading -------------------------------------------------------------------------------------


def parse_events(lines):
    """The launches that kitrace-events printed; warps by (block, warp)."""
    launches, events = [], None
    for line in lines:
        kind, *fields = line.rstrip("\n").split("\t")
        if kind == "event":
            events.append((fields[0], int(fields[1]), float(fields[2]) if fields[2] else None))
        elif kind == "warp":
            events = []
            key = int(fields[0]), int(fields[2])
            launches[-1].warps[key] = Warp(int(fields[1]), fields[3] == "1", events)
        else:
            launches.append(Launch(*fields[:4], float(fields[5]), {}))
    return launches


def phases(warp):
    """(name, cycles) of each phase, in order; what follows an @end is none."""
    pairs = zip(warp.events, warp.events[1:])
    return [(a[0], b[1] - a[1]) for a, b in pairs if a[0] not in ("@end", "@exit")]


def named(warp, name):
    return [cycles for phase, cycles in phases(warp) if phase == name]


def paired(lines, launches):
    """Each line of a traced launch with its launch."""
    traced = [line for line in lines if not line.get("reference")]
    assert len(traced) == len(launches), f"{len(launches)} launches in the trace, not {len(traced)}"
    for line, launch in zip(traced, launches):
        assert line["kernel"] == launch.kernel, f"{launch.kernel} in the place of {line['kernel']}"
        yield line, launch


# ---- phases of known length ----------------------------------------------------------------------

REPEATS = 16  # truth_lengths.cu


def spin_errors(samples):
    """By (kernel, warps), and n in it: measured less known less what the mark adds, of all spins."""
    spins = collections.defaultdict(lambda: collections.defaultdict(list))
    added = collections.defaultdict(list)
    whole = collections.defaultdict(list)
    for line, launch in samples:
        group = line["kernel"], line["warps"]
        for (block, index), warp in launch.warps.items():
            known = line["known"][block * line["warps"] + index]
            spins[group][line["n"]] += [m - k for m, k in zip(named(warp, "spin"), known)]
            added[group] += [m - k for m, k in zip(named(warp, "nothing"), known[REPEATS:])]
            whole[group].append(warp.events[-1][1] - warp.events[0][1] - known[2 * REPEATS])
    errors = {}
    for group, by_length in spins.items():
        mark = statistics.median(added[group])
        errors[group] = {n: [v - mark for v in values] for n, values in by_length.items()}
    return errors, whole


def chain_errors(samples, lines):
    """Likewise for chains, whose length the kernel without marks tells, and marks by empty phases."""
    chains = collections.defaultdict(lambda: collections.defaultdict(list))
    empty = collections.defaultdict(list)
    for line, launch in samples:
        group = line["kernel"], line["warps"]
        for warp in launch.warps.values():
            chains[group][line["n"]] += named(warp, "chain")
            empty[group] += named(warp, "empty")
    lengths = {}
    for line in lines:
        if line["kernel"] == "chain_reference":
            lengths.setdefault((line["warps"], line["n"]), []).extend(
                k[i] - k[REPEATS + i] for k in line["known"] for i in range(1, REPEATS)
            )
    lengths = {key: statistics.median(values) for key, values in lengths.items()}
    errors = {}
    for group, by_length in chains.items():
        mark = statistics.median(empty[group])
        errors[group] = {
            n: [v - mark - lengths[group[1], n] for v in values] for n, values in by_length.items()
        }
        print(f"{group[0]}, {group[1]} warps: an empty phase takes {mark:.0f} cycles (p99 "
              f"{quantile(empty[group], 0.99):.0f}); chains take "
              + ", ".join(f"{lengths[group[1], n]:.0f}" for n in by_length))
    return errors


def without_the_first(pairs):
    """Of the launches of one kind the first brings the code to the SMs."""
    seen = set()
    for line, launch in pairs:
        kind = line["kernel"], line["warps"], line["n"]
        if kind in seen:
            yield line, launch
        seen.add(kind)


def check_lengths(result, lines, launches, buffer):
    pairs = list(paired(lines, launches))
    for line, launch in pairs[:4]:
        want = buffer, line["kernel"].rsplit("_", 1)[1], "uniform"
        got = launch.buffer, launch.layout, launch.flow
        result.check(f"{buffer}: {launch.kernel} takes the recorder meant", got == want, str(got))
    warm = list(without_the_first(pairs))
    spins, whole = spin_errors([p for p in warm if p[0]["kernel"].startswith("spin")])
    chains = chain_errors([p for p in warm if p[0]["kernel"].startswith("chain")], lines)
    for (kernel, warps), by_length in {**spins, **chains}.items():
        for n, errors in by_length.items():
            sizes = [abs(e) for e in errors]
            worst = quantile(sizes, 0.99)
            beyond = sum(s > TOLERANCE for s in sizes) / len(sizes)
            result.check(
                f"{buffer}: {kernel}, {warps} warps, {n} cycles: p99 within {TOLERANCE}",
                worst <= TOLERANCE,
                f"median {statistics.median(errors):+.0f}, p99 {worst:.0f}, max {max(sizes):.0f}, "
                f"{100 * beyond:.2f} % beyond, of {len(sizes)}",
            )
    for (kernel, warps), differences in whole.items():
        worst = quantile([abs(d) for d in differences], 0.99)
        result.check(
            f"{buffer}: {kernel}, {warps} warps: first mark to exit is the warp's own time",
            worst <= 200, f"median {statistics.median(differences):+.0f}, p99 {worst:.0f} cycles",
        )
    check_sums(result, warm, buffer)
    check_times(result, lines, pairs, buffer)


def check_sums(result, pairs, buffer):
    """A warp's phases, nothing between them, are its time."""
    wrong = sum(
        sum(cycles for _, cycles in phases(warp)) != warp.events[-1][1] - warp.events[0][1]
        or warp.events[-1][0] != "@exit"
        for _, launch in pairs for warp in launch.warps.values()
    )
    result.check(f"{buffer}: the phases of a warp add up to its time", wrong == 0, f"{wrong} do not")


def check_times(result, lines, pairs, buffer):
    """The trace's extent against the time between two events around the launch."""
    longest = max(line["n"] for line in lines)
    for warps in sorted({line["warps"] for line in lines}):
        kind = {"warps": warps, "n": longest}
        matches = lambda line, kernel: line["kernel"] == kernel and all(line[k] == v for k, v in kind.items())
        untraced = statistics.median(l["ns"] for l in lines if matches(l, "spin_untraced"))
        shares, traced = [], []
        for line, launch in pairs:
            if matches(line, "spin_slots"):
                times = [e[2] for w in launch.warps.values() for e in (w.events[0], w.events[-1])]
                shares.append((max(times) - min(times)) / line["ns"])
                traced.append(line["ns"])
        detail = (f"{min(shares):.3f} to {max(shares):.3f}; traced {statistics.median(traced):.0f} ns, "
                  f"the same without marks {untraced:.0f} ns")
        result.check(f"{buffer}: {warps} warps: the trace's extent is the kernel's time by events",
                     0.9 <= min(shares) and max(shares) <= 1.01, detail)


# ---- loads ---------------------------------------------------------------------------------------


def check_loads(result, lines, launches, buffer):
    loads = collections.defaultdict(list)
    for line, launch in paired(lines, launches):
        for warp in launch.warps.values():
            # The first turn brings the code to the SM.
            for turn in list(zip(*(named(warp, n) for n in ("empty", "load", "use", "again"))))[1:]:
                loads[line["kernel"], line["level"], line["links"]].append(turn)
    known = collections.defaultdict(list)
    for line in lines:
        if line.get("reference"):
            known[line["level"], line["links"]] += [v for block in line["known"] for v in block[1:]]
    for (kernel, level, links), turns in loads.items():
        empty, load, use, again = (statistics.median(column) for column in zip(*turns))
        latency = statistics.median(known[level, links])
        waited = max(0, use - again)  # in the phase that uses the value
        detail = (f"load {load:.0f}, use {use:.0f}, use again {again:.0f}, empty {empty:.0f}; "
                  f"without marks {latency:.0f}")
        what = f"{buffer}: {kernel}, {level}, {links} link{'s' * (links > 1)}"
        if kernel == "drained":
            share = (load - empty) / (load - empty + waited)
            result.check(f"{what}: the load phase has 97 %", share >= 0.97, f"{100 * share:.1f} %; {detail}")
        elif links == 1:
            share = waited / latency
            result.check(f"{what}: the use phase has 90 %", share >= 0.9, f"{100 * share:.1f} %; {detail}")
        else:
            print(f"       {what}: {detail}")


# ---- order ---------------------------------------------------------------------------------------


def handoffs(launch):
    """(pass of one block, have of the other after it) in ns, in the order of the flag, and the SMs."""
    blocks = [launch.warps[b, 0] for b in (0, 1)]
    have, let = ([[e[2] for e in w.events if e[0] == name] for w in blocks] for name in ("have", "pass"))
    out = []
    for i in range(min(len(have[0]), len(have[1]))):
        out.append((let[0][i], have[1][i]))
        if i + 1 < len(have[0]):
            out.append((let[1][i], have[0][i + 1]))
    return out, blocks[0].sm != blocks[1].sm


def check_order(result, what, passes, launches):
    """No have before its pass, but for the stated error. Also how far the clocks seem apart, if the flag
    takes as long one way as the other."""
    excess, violations, stated, apart, count = [], [], [], [], 0
    for launch in launches:
        order, different = handoffs(launch)
        assert different, "both blocks ran on one SM"
        count += len(order)
        early = [let - have for let, have in order]
        violations += [v for v in early if v > 0]
        excess += [v - launch.error for v in early if v > launch.error]
        stated.append(launch.error)
        for at in range(0, len(order) - 1, 1000):
            there = [have - let for let, have in order[at : at + 1000 : 2]]
            back = [have - let for let, have in order[at + 1 : at + 1000 : 2]]
            if there and back:
                apart.append((min(there) - min(back)) / 2)
    p99 = quantile([max(0, v) for v in violations] or [0], 0.99)
    result.check(f"{what}: all handed over", count == (passes - 1) * len(launches),
                 f"{count} of {(passes - 1) * len(launches)}")
    result.check(
        f"{what}: nothing before what it follows, but for the stated error", not excess,
        f"{len(violations)} of {count} before, by {p99:.0f} ns at p99, {max(violations, default=0):.0f} at "
        f"most; {len(excess)} by more than stated, {max(excess, default=0):.0f} ns more at most; stated "
        f"± {statistics.median(stated):.0f} (median), {max(stated):.0f} (max); by symmetry the clocks are "
        f"{quantile([abs(a) for a in apart], 0.99):.0f} ns apart at p99",
    )
    result.check(f"{what}: stated error at most 64 ns at p99", quantile(stated, 0.99) <= 64,
                 f"{quantile(stated, 0.99):.0f} ns")


# ---- wraps ---------------------------------------------------------------------------------------


def check_wraps(result, lines, launches, buffer):
    """Right, or flagged. What no record can lose is right and not flagged."""
    by_kernel = collections.defaultdict(list)
    for launch in launches:
        by_kernel[launch.kernel].append(launch)
    for line in lines:
        launch = by_kernel[line["kernel"]].pop(0)
        off, flagged, missing = 0, 0, 0
        for w, known in enumerate(line["known"]):
            warp = launch.warps[0, w]
            lengths = [cycles for _, cycles in phases(warp)]
            missing += len(lengths) != len(known)
            wrong = any(abs(m - k) > 5000 for m, k in zip(lengths, known))
            off += wrong
            flagged += warp.wrapped
            missing += wrong and not warp.wrapped  # silently wrong
        detail = f"{off} of {len(line['known'])} warps off, {flagged} flagged"
        what = f"{buffer}: {line['kernel']}, phases of {', '.join(f'{k:.2g}' for k in line['known'][0])} cycles"
        result.check(f"{what}: right or flagged", missing == 0, detail)
        certain = launch.layout == "stream" or line["list"] == 4 or (
            line["list"] == 0 and launch.flow == "uniform")
        if certain:
            result.check(f"{what}: right", off == 0 and flagged == 0, detail)


# ---- running -------------------------------------------------------------------------------------


def run(folder, buffer, program, *arguments, options=""):
    """What the program knows, and what the trace says."""
    with tempfile.TemporaryDirectory() as work:
        trace = os.path.join(work, "truth.kitrace")
        env = dict(os.environ, KINSTR_OPTIONS=f"out={trace}{options}")
        command = [os.path.join(folder, f"{program}-{buffer}"), *arguments]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{program}: exit status {done.returncode}: {done.stderr}"
        assert " 0 dropped" in done.stderr, done.stderr
        events = subprocess.run([os.path.join(folder, "kitrace-events"), trace], check=True,
                                capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()], parse_events(events.stdout.splitlines())


def check_buffer(result, folder, buffer):
    def attempt(what, body):
        try:
            body()
        except (AssertionError, subprocess.SubprocessError, KeyError, IndexError, TypeError, ValueError) as error:
            result.check(what, False, f"{type(error).__name__}: {error}")

    room = ",buffer_mb=4096"
    attempt(f"{buffer}: lengths", lambda: check_lengths(
        result, *run(folder, buffer, "truth_lengths", options=room), buffer))
    attempt(f"{buffer}: loads", lambda: check_loads(result, *run(folder, buffer, "truth_loads"), buffer))
    attempt(f"{buffer}: wraps", lambda: check_wraps(result, *run(folder, buffer, "truth_wraps"), buffer))
    for kernel, passes, launches, *busy in [("across", 2000, 500), ("nearby", 2000, 500),
                                            ("across", 1000000, 1), ("nearby", 1000000, 1),
                                            ("nearby", 2000, 500, "busy"), ("nearby", 1000000, 1, "busy")]:
        what = f"{buffer}: {kernel}, {launches} x {passes}{' busy' * len(busy)}"
        attempt(what, lambda: check_order(
            result, what, passes,
            run(folder, buffer, "truth_order", kernel, str(passes), str(launches), *busy, options=room)[1]))


# ---- self-test -----------------------------------------------------------------------------------


def made_lengths(error):
    """A program and its trace, whose spins come out by so many cycles too long."""
    noise = random.Random(1)
    lines, launches = [], []
    for n in (100, 1000):
        for kernel, layout in (("spin_slots", "slots"), ("chain_slots", "slots")):
            for _ in range(2):
                known, warps = [], {}
                for block in range(200):
                    spins = [n + noise.randrange(30) for _ in range(4)]
                    chains = kernel.startswith("chain")
                    at, events = 1000 * block, []
                    for spin in spins:
                        body = (n if chains else spin) + 20 + noise.randrange(5) + error
                        for name, length in (("empty", 20), ("nothing", 50), ("chain" if chains else "spin", body)):
                            events.append((name, at, at / 2))
                            at += length
                    known.append(spins + [0] * 12 + [30] * 4 + [0] * 12 + [at - 1000 * block])
                    warps[block, 0] = Warp(block, False, events + [("@exit", at, at / 2)])
                ns = max(w.events[-1][2] for w in warps.values())
                lines.append({"kernel": kernel, "n": n, "warps": 1, "ns": ns, "known": known})
                launches.append(Launch(kernel, "shared", layout, "uniform", 30.0, warps))
        for kernel in ("spin_untraced", "chain_reference"):
            lines.append({"kernel": kernel, "n": n, "warps": 1, "ns": 1000, "reference": True,
                          "known": [[n + 22] * 16 + [22] * 16 + [0]]})
    return lines, launches


def made_order(error, late):
    """A flag that takes 100 ns, and an SM whose clock is `late`."""
    warps = {}
    for block in (0, 1):
        events = []
        for i in range(block, 1000, 2):
            events += [("have", i, 100.0 * i + 1 - block * late), ("pass", i, 100.0 * i + 2 - block * late)]
        warps[block, 0] = Warp(block, False, events)
    return [Launch("across", "shared", "stream", "uniform", error, warps)]


def made_loads(split):
    """A load of 500 cycles, of which `split` are in the load phase."""
    events = [(name, clock, None) for name, clock in (
        ("other", 0), ("empty", 10), ("load", 30), ("use", 50 + split), ("again", 600), ("rest", 650))]
    turns = [(name, clock + 1000 * t, ns) for t in range(3) for name, clock, ns in events]
    warps = {(0, 0): Warp(0, False, turns)}
    lines = [{"kernel": "drained", "level": "L2", "links": 1, "known": []},
             {"kernel": "x", "level": "L2", "links": 1, "reference": True, "known": [[500] * 3]}]
    return lines, [Launch("drained", "shared", "stream", "uniform", 0.0, warps)]


def made_wraps(layout, length, shown, flagged):
    events = [("p", 0, None), ("p", shown, None), ("@end", shown + 100, None), ("@exit", shown + 200, None)]
    lines = [{"kernel": "slots", "list": 1, "known": [[length, 100]]}]
    return lines, [Launch("slots", "shared", layout, "uniform", 0.0, {(0, 0): Warp(0, flagged, events)})]


def self_test():
    """Each check passes what is right and fails what is not."""
    cases = [
        ("lengths", check_lengths, made_lengths(0), made_lengths(40)),
        ("loads", check_loads, made_loads(500), made_loads(400)),
        ("wraps", check_wraps, made_wraps("slots", 10**10, 1000, True), made_wraps("slots", 10**10, 1000, False)),
        ("long streams", check_wraps, made_wraps("stream", 10**10, 10**10, False),
         made_wraps("stream", 10**10, 1000, True)),
    ]
    verdicts = []
    for name, check, good, bad in cases:
        verdicts.append((name, *(outcome(lambda r, i=i: check(r, *i, "shared")) for i in (good, bad))))
    verdicts.append(("order", *(
        outcome(lambda r, l=late: check_order(r, "order", 1000, made_order(32.0, l))) for late in (10, 140))))
    verdicts.append(("error stated", *(
        outcome(lambda r, e=error: check_order(r, "order", 1000, made_order(e, 10))) for error in (32.0, 90.0))))
    result = Result()
    for name, good, bad in verdicts:
        result.check(f"self-test: {name}", good.failed == 0 < good.passed and bad.failed > 0)
    return result


def outcome(body):
    result = Result()
    body(result)
    return result


def main():
    if sys.argv[1:] == ["--self-test"]:
        result = self_test()
    else:
        folder, *buffers = sys.argv[1:]
        result = Result()
        for buffer in buffers:
            check_buffer(result, folder, buffer)
    print(f"{result.passed} passed, {result.failed} failed")
    return 1 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
