# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what kinstr measured with what the programs truth_*.cu know.

    check_truth.py FOLDER BUFFER...     FOLDER/truth_lengths-BUFFER and so on, FOLDER/kitrace-events
    check_truth.py --self-test          on made-up input, without a GPU

Prints what it found, then "N passed, N failed".
"""
import collections
import contextlib
import io
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

Launch = collections.namedtuple("Launch", "kernel buffer layout flow error cost warps handed apart")
Warp = collections.namedtuple("Warp", "sm wrapped events")  # events: (name, clock, ns)

TOLERANCE = 16  # cycles
SHORT = 500  # cycles: below, warps of a block come to their marks together often, and wait for each other

# Of how many phases. In blocks of 16 warps some marks wait for other warps: for the unit that stores, or for an
# instruction that no cache has (seen: 50 to 70 cycles, for up to 6 % of the marks, now at one length, now at another).
ALONE, TOGETHER = 0.99, 0.9


def quantile(values, q):
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def spread(values):
    """Of a list of numbers, what one wants to see."""
    if not values:
        return "none"
    ordered = sorted(values)
    least, p1, p50, p99, most = ordered[0], quantile(ordered, 0.01), quantile(ordered, 0.5), quantile(ordered, 0.99), ordered[-1]
    return f"{least:+.0f} | {p1:+.0f} {p50:+.0f} {p99:+.0f} | {most:+.0f} of {len(ordered)}"


class Result:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, ok, detail="", more=()):
        """`more`: lines to print where it is not."""
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        print(f"{'ok    ' if ok else 'FAILED'} {what}{': ' if detail else ''}{detail}")
        for line in () if ok else more:
            print(f"         {line}")
        return ok


# ---- reading -------------------------------------------------------------------------------------


def parse_events(lines):
    """The launches that kitrace-events printed; warps by (block, warp). With --handoffs instead of warps
    the numbers of its other lines."""
    launches, events = [], None
    for line in lines:
        kind, *fields = line.rstrip("\n").split("\t")
        if kind == "event":
            events.append((fields[0], int(fields[1]), float(fields[2]) if fields[2] else None))
        elif kind == "warp":
            events = []
            key = int(fields[0]), int(fields[2])
            launches[-1].warps[key] = Warp(int(fields[1]), fields[3] == "1", events)
        elif kind == "launch":
            cost = float(fields[6]) if fields[6] else None
            launches.append(Launch(*fields[:4], float(fields[5]), cost, {}, [], []))
        else:
            launches[-1].handed.extend(map(float, fields)) if kind == "handoffs" else launches[-1].apart.extend(
                map(float, fields))
    return launches


def phases(warp):
    """(name, cycles) of each phase, in order; what follows an @end or a @pause is none."""
    pairs = zip(warp.events, warp.events[1:])
    return [(a[0], b[1] - a[1]) for a, b in pairs if a[0] not in ("@end", "@exit", "@pause")]


def pauses(warp):
    """Cycles of each pause of the recorder."""
    return [b[1] - a[1] for a, b in zip(warp.events, warp.events[1:]) if a[0] == "@pause"]


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

# A warp of spin_*: its spins, as many spins of no cycles, two readings of the clock at once, each of these
# from when to when; and its last reading.
Own = collections.namedtuple("Own", "spins nothings enter exit")


def own_of(numbers):
    count = (len(numbers) - 3) // 4
    pairs = list(zip(numbers[0:-1:2], numbers[1:-1:2]))
    return Own(pairs[:count], pairs[count : 2 * count], pairs[2 * count], numbers[-1])


def spans(warp, name):
    """(begin, end) of each phase of that name."""
    return [(a[1], b[1]) for a, b in zip(warp.events, warp.events[1:]) if a[0] == name]


def warm(launch):
    """(block, warp in the block) of the warps of all blocks but the first of each SM, which brings the code."""
    first = {}
    for (block, _), warp in launch.warps.items():
        begin = warp.events[0][1]
        first[warp.sm] = min(first.get(warp.sm, (begin, block)), (begin, block))
    cold = {block for _, block in first.values()}
    return [key for key in sorted(launch.warps) if key[0] not in cold]


class Spins:
    """What was measured of the spins of one kernel, in blocks of one size: of each spin what of its phase
    lies before its first reading (the reading itself), and what behind its last (the mark, and its reading)."""

    def __init__(self):
        self.by_length = collections.defaultdict(list)  # (warp, lead, lag)
        self.nothing, self.reading, self.outside = [], [], []
        self.between, self.to_exit = [], []
        self.cost = None

    def add(self, line, launch):
        self.cost = launch.cost
        streamed = launch.layout == "stream"
        for block, index in warm(launch):
            warp, own = launch.warps[block, index], own_of(line["known"][block * line["warps"] + index])
            for name, known in (("spin", own.spins), ("nothing", own.nothings)):
                marked = spans(warp, name)
                assert len(marked) == len(known), f"{len(marked)} phases {name}, not {len(known)}"
                for (begin, end), (first, last) in list(zip(marked, known))[streamed:]:
                    self.outside += [(begin, first, last, end)] * (not begin < first <= last < end)
                    if name == "spin":
                        self.by_length[line["n"]].append((index, first - begin, end - last))
                    else:
                        self.nothing.append(end - begin - (last - first))
            self.reading.append(own.enter[1] - own.enter[0])
            # Both readings stand directly before a mark.
            other, rest = ([e[1] for e in warp.events if e[0] == name][-1] for name in ("other", "rest"))
            self.between.append(rest - other - (own.spins[-1][1] - own.enter[1]))
            self.to_exit.append(warp.events[-1][1] - own.exit)


def off(samples, added):
    return [lead + lag - added for _, lead, lag in samples]


def details(samples, added):
    """Lines about one kernel, size of blocks and length."""
    yield "off by (least | p1 p50 p99 | most) " + spread(off(samples, added))
    yield "mark to spin " + spread([lead for _, lead, _ in samples])
    yield "spin to mark " + spread([lag for _, _, lag in samples])
    for index in sorted({index for index, _, _ in samples}):
        yield f"warp or place {index:2} off by " + spread(off([s for s in samples if s[0] == index], added))


def check_within(result, what, samples, added, share=ALONE):
    errors = off(samples, added)
    sizes = [abs(e) for e in errors]
    beyond = sum(size > TOLERANCE for size in sizes) / len(sizes)
    reached = quantile(sizes, share)
    result.check(
        f"{what}: p{100 * share:.0f} within {TOLERANCE}", reached <= TOLERANCE,
        f"{reached:.0f}, {100 * beyond:.2f} % beyond, p99 {quantile(sizes, 0.99):.0f}; {spread(errors)}",
        details(samples, added),
    )


def check_disturbed(result, what, samples, added):
    """Phases that are longer for some because of what other warps do: they were that long. Most are not."""
    errors = off(samples, added)
    print(f"       disturbance: {what}: {100 * sum(e > TOLERANCE for e in errors) / len(errors):.2f} % of the phases "
          f"are longer by more than {TOLERANCE}; {spread(errors)}")
    result.check(f"{what}: median within {TOLERANCE}", abs(statistics.median(errors)) <= TOLERANCE,
                 f"{statistics.median(errors):+.0f}", details(samples, added))


def check_spins(result, pairs, buffer):
    groups = collections.defaultdict(Spins)
    for line, launch in pairs:
        if line["kernel"].startswith("spin"):
            groups[line["kernel"], line["warps"]].add(line, launch)
    for (kernel, warps), group in groups.items():
        what = f"{buffer}: {kernel}, {warps} warps"
        added, reading = statistics.median(group.nothing), statistics.median(group.reading)
        print(f"       {what}: a phase is longer than a spin of no cycles by {spread(group.nothing)}, a reading of "
              f"the clock takes {spread(group.reading)}, a mark costs {group.cost} cycles by the trace")
        result.check(f"{what}: marks lie around what is between them", not group.outside,
                     f"{len(group.outside)} do not {group.outside[:3]}")
        share = ALONE if warps == 1 else TOGETHER
        for n, samples in group.by_length.items():
            length = f"{what}, {n} cycles: less what a spin of no cycles adds"
            if warps > 1 and n < SHORT:
                check_disturbed(result, length, samples, added)
            else:
                check_within(result, length, samples, added, share)
        if result.check(f"{what}: the trace has the cost of a mark", group.cost is not None):
            # From one mark's reading to the next: the mark, and the spin's two readings, of which one is
            # in the spin's own length.
            print(f"       {what}: marks add {added - reading:.0f} cycles to a phase, by the trace {group.cost:.1f}")
            check_within(result, f"{what}, all{f' of {SHORT} cycles and more' if warps > 1 else ''}: less the trace's "
                         "cost of a mark and one reading of the clock",
                         [s for n, samples in group.by_length.items() if warps == 1 or n >= SHORT for s in samples],
                         group.cost + reading, share)
        between = f"{what}: between two marks is what the warp's readings before them say"
        if kernel == "spin_slots":
            # Warps that come to a mark together wait for each other.
            apart = quantile([abs(d) for d in group.between], ALONE if warps == 1 else 0.5)
            result.check(between, apart <= 2 * TOLERANCE, spread(group.between))
        else:  # the turn before has just stored its results when the first of the two readings is taken
            print(f"       {between}: {spread(group.between)}")
        result.check(f"{what}: the exit follows the warp's last reading within 100 cycles",
                     min(group.to_exit) > 0 and quantile(group.to_exit, 0.99) <= 100, spread(group.to_exit))


def warm_parts(line, launch):
    """Keys of the warps in whose part of the SM, which has an instruction cache, one ran before; and the others."""
    seen, used, fresh = set(), [], []
    for key, warp in sorted(launch.warps.items(), key=lambda item: item[1].events[0][1]):
        part = warp.sm, line["known"][key[0] * line["warps"] + key[1]][1]
        (used if part in seen else fresh).append(key)
        seen.add(part)
    return used, fresh


def check_chains(result, pairs, buffer):
    """Chains take as long as the same warp measured before its marks, but for what marks add to the shortest."""
    longer, fresh, known, empty = (collections.defaultdict(list) for _ in range(4))
    for line, launch in pairs:
        kernel, n = line["kernel"], line["n"]
        if not kernel.startswith("chain"):
            continue
        streamed = launch.layout == "stream"
        used, others = (sorted(launch.warps), []) if streamed else warm_parts(line, launch)
        for keys, into in ((used, longer), (others, fresh)):
            for block, index in keys:
                alone = line["known"][block * line["warps"] + index][0]
                cycles = named(launch.warps[block, index], "chain")[streamed:]
                into[kernel, n] += [(place, c - alone, 0) for place, c in enumerate(cycles)]
                known[kernel, n].append(alone)
        empty[kernel] += [c for key in used for c in named(launch.warps[key], "empty")[2 * streamed :]]
    for kernel, cycles in empty.items():
        shortest = min(n for name, n in longer if name == kernel)
        added = statistics.median(c for _, c, _ in longer[kernel, shortest])
        print(f"       {buffer}: {kernel}: marks add {added:.0f} cycles to the shortest chain, of "
              f"{statistics.median(known[kernel, shortest]):.0f}; an empty phase takes {statistics.median(cycles):.0f}")
        result.check(f"{buffer}: {kernel}: what marks add is an empty phase, but for {2 * TOLERANCE} cycles",
                     abs(added - statistics.median(cycles)) <= 2 * TOLERANCE, f"{added:.0f}")
        for n in sorted(n for name, n in longer if name == kernel):
            what = f"{buffer}: {kernel}, 1 warps, {statistics.median(known[kernel, n]):.0f} cycles"
            check_within(result, f"{what}: less what marks add, {added:.0f}", longer[kernel, n], added)
            cold = off(fresh[kernel, n], added)
            if cold:  # the code of the marks is not where the warp is
                print(f"       disturbance: {what}: where no warp was before, "
                      f"{100 * sum(c > TOLERANCE for c in cold) / len(cold):.1f} % of the chains are longer by more than "
                      f"{TOLERANCE}; {spread(cold)}")


def check_lengths(result, lines, launches, buffer):
    pairs = list(paired(lines, launches))
    for kernel, launch in {line["kernel"]: launch for line, launch in pairs}.items():
        want = buffer, kernel.rsplit("_", 1)[1], "uniform"
        got = launch.buffer, launch.layout, launch.flow
        result.check(f"{buffer}: {kernel} takes the recorder meant", got == want, str(got))
    check_spins(result, pairs, buffer)
    check_chains(result, pairs, buffer)
    check_sums(result, pairs, buffer)
    check_times(result, lines, pairs, buffer)


def check_sums(result, pairs, buffer):
    """A warp's phases and the recorder's pauses, nothing between them, are its time until it ends them."""
    wrong, waits, streams = 0, [], 0
    for _, launch in pairs:
        for warp in launch.warps.values():
            last = [clock for name, clock, _ in warp.events if name in ("@end", "@exit")]
            until = [e for e in warp.events if e[1] <= last[0]]
            paused = pauses(Warp(warp.sm, warp.wrapped, until))
            waits += paused
            streams += launch.layout == "stream"
            wrong += warp.events[-1][0] != "@exit" or (
                sum(cycles for _, cycles in phases(warp)) + sum(paused) != last[0] - warp.events[0][1])
    result.check(f"{buffer}: the phases of a warp and its pauses add up to its time", wrong == 0, f"{wrong} do not")
    result.check(f"{buffer}: warps with more events than a buffer holds have pauses, and no others",
                 len(waits) == streams, f"{len(waits)} pauses, {streams} such warps; cycles {spread(waits)}")


def check_times(result, lines, pairs, buffer):
    """The trace's extent against the time between two events around the launch."""
    longest = max(line["n"] for line in lines)
    for warps in sorted({line["warps"] for line in lines if line["kernel"] == "spin_slots"}):
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
        waited_before = max(0, load - empty)
        detail = (f"load {load:.0f}, use {use:.0f}, use again {again:.0f}, empty {empty:.0f}; "
                  f"without marks {latency:.0f}")
        more = [f"{name} {spread(column)}" for name, column in zip(("empty", "load", "use", "again"), zip(*turns))]
        what = f"{buffer}: {kernel}, {level}, {links} link{'s' * (links > 1)}"
        if kernel == "drained":
            share = (load - empty) / (load - empty + waited)
            result.check(f"{what}: the load phase has 97 %", share >= 0.97, f"{100 * share:.1f} %; {detail}",
                         more)
        elif links == 1:
            # The load was under way while the mark behind it was passed: what that took is missing in `use`.
            share = (use - empty) / (latency - empty)
            result.check(f"{what}: the use phase has 90 % of what was left behind the mark", share >= 0.9,
                         f"{100 * share:.1f} %; {detail}", more)
            result.check(f"{what}: the load phase has at most 10 % of the latency", waited_before <= 0.1 * latency,
                         f"{100 * waited_before / latency:.1f} %; {detail}", more)
        else:
            print(f"       {what}: {detail}")


# ---- order ---------------------------------------------------------------------------------------


def check_order(result, what, passes, launches):
    """No have before its pass, but for the stated error. Also how far the clocks seem apart, if the flag
    takes as long one way as the other."""
    assert all(launch.handed[0] == 1 for launch in launches), "both blocks ran on one SM"
    _, counts, early, beyond, least, _ = ([launch.handed[i] for launch in launches] for i in range(6))
    stated = [launch.error for launch in launches]
    apart = [a for launch in launches for a in launch.apart]
    result.check(f"{what}: all handed over", sum(counts) == (passes - 1) * len(launches),
                 f"{sum(counts):.0f} of {(passes - 1) * len(launches)}")
    result.check(
        f"{what}: nothing before what it follows, but for the stated error", sum(beyond) == 0,
        f"{sum(early):.0f} before; {sum(beyond):.0f} by more than stated; the earliest {min(least):+.1f} ns; stated "
        f"± {statistics.median(stated):.0f} (median), {max(stated):.0f} (max); by symmetry the clocks are "
        f"{quantile([abs(a) for a in apart], 0.99):.0f} ns apart at p99",
        (f"launch {i}: {l.handed[3]:.0f} beyond ± {l.error:.1f}, the earliest {l.handed[4]:+.1f}, median "
         f"{l.handed[5]:+.1f}, by symmetry (least | p1 p50 p99 | most) {spread(l.apart)}"
         for i, l in enumerate(launches) if l.handed[3] > 0),
    )
    # By symmetry: the clocks' true distance is not known, but it hardly exceeds twice the error.
    result.check(f"{what}: the clocks do not seem further apart than stated",
                 quantile([abs(a) - 2 * l.error for l in launches for a in l.apart], 0.99) <= 0,
                 f"p99 {quantile([abs(a) for a in apart], 0.99):.0f}, most {max(map(abs, apart)):.0f}",
                 ["along the first launch: " + " ".join(f"{a:+.0f}" for a in launches[0].apart[:: max(1, len(launches[0].apart) // 40)])])
    result.check(f"{what}: stated error at most 64 ns at p99", quantile(stated, 0.99) <= 64, spread(stated),
                 [f"of each launch: {' '.join(f'{e:.0f}' for e in stated[:50])}"])


# ---- wraps ---------------------------------------------------------------------------------------


def check_wraps(result, lines, launches, buffer):
    """Right, or flagged. What no record can lose is right and not flagged."""
    by_kernel = collections.defaultdict(list)
    for launch in launches:
        by_kernel[launch.kernel].append(launch)
    for line in lines:
        launch = by_kernel[line["kernel"]].pop(0)
        off, flagged, silent, seen = 0, 0, 0, []
        for w, known in enumerate(line["known"]):
            warp = launch.warps[0, w]
            lengths = [cycles for _, cycles in phases(warp)]
            # Where clocks are short, phases may be out of order, and the last one behind the exit.
            wrong = len(lengths) != len(known) or any(abs(m - k) > 5000 for m, k in zip(lengths, known))
            off += wrong
            flagged += warp.wrapped
            silent += wrong and not warp.wrapped
            begin = warp.events[0][1]
            seen.append(f"warp {w}, flagged {warp.wrapped}, knows {known}, seen at "
                        + ", ".join(f"{name} {clock - begin}" for name, clock, _ in warp.events))
        detail = f"{off} of {len(line['known'])} warps off, {flagged} flagged, {launch.layout}, {launch.flow}"
        what = f"{buffer}: {line['kernel']}, phases of {', '.join(f'{k:.2g}' for k in line['known'][0])} cycles"
        result.check(f"{what}: right or flagged", silent == 0, detail, seen)
        # Of slots each phase is less than a wrap, and comes after the one before; events have 48 bits.
        certain = launch.layout == "stream" or line["list"] == 4 or launch.flow == "uniform" and line["list"] == 0 or (
            launch.flow == "divergent" and buffer != "shared")
        if certain:
            result.check(f"{what}: right", off == 0 and flagged == 0, detail, seen)


# ---- running -------------------------------------------------------------------------------------


GPU = multiprocessing.Lock()  # one program at a time; meanwhile the traces of others are read


def run(folder, buffer, program, *arguments, options="", reading=()):
    """What the program knows, and what the trace says."""
    with tempfile.TemporaryDirectory() as work:
        trace = os.path.join(work, "truth.kitrace")
        # So many streams that no two kernels of truth_wraps wait for each other.
        env = dict(os.environ, KINSTR_OPTIONS=f"out={trace}{options}", CUDA_DEVICE_MAX_CONNECTIONS="32")
        command = [os.path.join(folder, f"{program}-{buffer}"), *arguments]
        with GPU:
            start = time.monotonic()
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
            ran = time.monotonic()
        assert done.returncode == 0, f"{program}: exit status {done.returncode}: {done.stderr}"
        assert " 0 dropped" in done.stderr, done.stderr
        begin = time.monotonic()
        events = subprocess.run([os.path.join(folder, "kitrace-events"), *reading, trace], check=True,
                                capture_output=True, text=True, timeout=60)
        launches = parse_events(events.stdout.splitlines())
        print(f"       {program} {' '.join(arguments)} ran for {ran - start:.1f} s, its trace of "
              f"{os.path.getsize(trace) / 1e6:.1f} MB was read in {time.monotonic() - begin:.1f} s")
        return [json.loads(line) for line in done.stdout.splitlines()], launches


ORDERS = [("across", 1000000, 1), ("across", 2000, 500), ("nearby", 2000, 500), ("nearby", 1000000, 1),
          ("nearby", 2000, 500, "busy"), ("across", 1000000, 1, "busy")]


def check_buffer(result, folder, buffer, first):
    def attempt(what, body):
        try:
            body()
        except Exception as error:  # whatever it is, the other checks go on
            result.check(what, False, f"{type(error).__name__}: {error}")

    room = ",buffer_mb=4096"
    attempt(f"{buffer}: lengths", lambda: check_lengths(
        result, *run(folder, buffer, "truth_lengths", options=room), buffer))
    attempt(f"{buffer}: loads", lambda: check_loads(result, *run(folder, buffer, "truth_loads"), buffer))
    attempt(f"{buffer}: wraps", lambda: check_wraps(result, *run(folder, buffer, "truth_wraps"), buffer))
    # The time axis does not depend on the buffer: one is enough for all of these.
    for kernel, passes, launches, *busy in ORDERS if buffer == first else ORDERS[:1]:
        what = f"{buffer}: {kernel}, {launches} x {passes}{' busy' * len(busy)}"
        attempt(what, lambda: check_order(
            result, what, passes,
            run(folder, buffer, "truth_order", kernel, str(passes), str(launches), *busy, options=room,
                reading=["--handoffs"])[1]))


# ---- self-test -----------------------------------------------------------------------------------


def made_warp(n, error, begin, noise):
    """Events of a warp of spin_slots, whose phases take `error` cycles too long, and what it knows."""
    at, events, spins, nothings = begin, [], [], []

    def mark(name):
        nonlocal at
        events.append((name, at, at / 2))
        at += 10 + noise.randrange(4)

    enter = at - 2
    mark("other")
    for _ in range(4):
        for name, length, known in (("nothing", 15, nothings), ("spin", n + noise.randrange(30), spins)):
            mark("empty")
            mark(name)
            known.append((at, at + length))
            at += length + 10 + (error if name == "spin" else 0)
    mark("rest")
    mark("@end")
    at += 500
    events.append(("@exit", at, at / 2))
    known = [clock for pair in [*spins, *nothings, (enter - 15, enter)] for clock in pair] + [at - 40]
    return Warp(begin // 10**9, False, events), known


def made_chain(block, length):
    """A warp of chain_slots, whose marks take 20 cycles."""
    at, events = 10**6 * (block % 2), []
    for name in ["empty", "chain"] * 4 + ["@end", "@exit"]:
        events.append((name, at, at / 2))
        at += 20 + length * (name == "chain")
    return Warp(block // 2, False, events)


def made_lengths(error, cost, rate=1, exit_late=0, warps=1, pause=0):
    """A program and its trace, whose spins come out by so many cycles too long, whose chains are so many
    times as long, whose warps are seen to exit so late, and have a pause at the end that they should not."""
    noise = random.Random(1)
    lines, launches = [], []
    for n in (100, 1000):
        found, chains, known = {}, {}, []
        for block in range(400):
            for index in range(warps):
                warp, numbers = made_warp(n, error * (n > 100 or warps == 1), 10**9 * (block // 2) + 10**6 * (block % 2),
                                          noise)
                if pause:
                    warp.events[-2:-2] = [("@pause", warp.events[-2][1] - pause, 0)]
                found[block, index] = warp
                known.append(numbers[:-1] + [numbers[-1] - exit_late])
            chains[block, 0] = made_chain(block, rate * n + error)
        ends = [e[2] for w in found.values() for e in (w.events[0], w.events[-1])]
        lines.append({"kernel": "spin_slots", "n": n, "warps": warps, "ns": max(ends) - min(ends), "known": known})
        launches.append(Launch("spin_slots", "shared", "slots", "uniform", 30.0, cost, found, [], []))
        lines.append({"kernel": "chain_slots", "n": n, "warps": 1, "ns": 1000, "known": [[n, 0]] * 400})
        launches.append(Launch("chain_slots", "shared", "slots", "uniform", 30.0, cost, chains, [], []))
        lines.append({"kernel": "spin_untraced", "n": n, "warps": warps, "ns": 1000, "reference": True, "known": [[0]]})
    return lines, launches


def made_order(error, late):
    """A flag that takes 100 ns, and an SM whose clock is `late`."""
    there, back = 100 - late, 100 + late
    early = late > 100
    return [Launch("across", "shared", "stream", "uniform", error, None, {},
                   [1, 999, early * 500, (there < -error) * 500, there, 100], [(there - back) / 2])]


def made_loads(kernel, split):
    """A load of 500 cycles, of which `split` are in the load phase."""
    events = [(name, clock, None) for name, clock in (
        ("other", 0), ("empty", 10), ("load", 30), ("use", 50 + split), ("again", 600), ("rest", 650))]
    turns = [(name, clock + 1000 * t, ns) for t in range(3) for name, clock, ns in events]
    warps = {(0, 0): Warp(0, False, turns)}
    lines = [{"kernel": kernel, "level": "L2", "links": 1, "known": []},
             {"kernel": "x", "level": "L2", "links": 1, "reference": True, "known": [[500] * 3]}]
    return lines, [Launch(kernel, "shared", "stream", "uniform", 0.0, None, warps, [], [])]


def made_wraps(layout, length, shown, flagged):
    events = [("p", 0, None), ("p", shown, None), ("@end", shown + 100, None), ("@exit", shown + 200, None)]
    lines = [{"kernel": "slots", "list": 1, "known": [[length, 100]]}]
    return lines, [Launch("slots", "shared", layout, "uniform", 0.0, None, {(0, 0): Warp(0, flagged, events)}, [], [])]


def self_test():
    """Each check passes what is right and fails what is not."""
    cases = [
        ("lengths", check_lengths, made_lengths(0, 6.0), made_lengths(40, 6.0)),
        ("cost of a mark", check_lengths, made_lengths(0, 6.0), made_lengths(0, 30.0)),
        ("lengths of chains", check_lengths, made_lengths(0, 6.0), made_lengths(0, 6.0, rate=1.1)),
        ("lengths in 16 warps", check_lengths, made_lengths(0, 6.0, warps=16), made_lengths(40, 6.0, warps=16)),
        ("pauses", check_lengths, made_lengths(0, 6.0), made_lengths(0, 6.0, pause=5)),
        ("exits", check_lengths, made_lengths(0, 6.0), made_lengths(0, 6.0, exit_late=100)),
        ("drained loads", check_loads, made_loads("drained", 500), made_loads("drained", 400)),
        ("plain loads", check_loads, made_loads("plain", 0), made_loads("plain", 100)),
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


def checked(folder, buffer, first):
    """What came out for a buffer, and what was printed."""
    result = Result()
    with contextlib.redirect_stdout(io.StringIO()) as text:
        check_buffer(result, folder, buffer, first)
    return result, text.getvalue()


def check_all(folder, buffers):
    result = Result()
    with multiprocessing.Pool(len(buffers)) as pool:
        for one, text in pool.starmap(checked, [(folder, buffer, buffers[0]) for buffer in buffers]):
            print(text, end="")
            result.passed, result.failed = result.passed + one.passed, result.failed + one.failed
    return result


def main():
    start = time.monotonic()
    result = self_test() if sys.argv[1:] == ["--self-test"] else check_all(sys.argv[1], sys.argv[2:])
    print(f"{result.passed} passed, {result.failed} failed in {time.monotonic() - start:.0f} s")
    return 1 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
