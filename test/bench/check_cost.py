# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cost.py without a GPU: its statistics, what it reads from other programs, and its verdicts."""
from __future__ import annotations

import random
import statistics
import unittest

import cost
import kernels
import machine_code
import proton_rmsnorm
from paired import Estimate, estimate, ratios, upper_rank

PTXAS = """\
ptxas info    : Compiling entry function '_Z5otherv' for 'sm_90a'
ptxas info    : Function properties for _Z5otherv
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 99 registers, used 0 barriers
ptxas info    : Compiling entry function '_Z4minev' for 'sm_90a'
ptxas info    : Function properties for _Z4minev
    32 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 3072 bytes smem
"""

SASS = """\
.text._Z5otherv:
        /*0000*/                   LDG.E R1, [R2.64] ;
.text._Z4minev:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0020*/              @!P0 BRA `(.L_x_2) ;
        /*0030*/                   LDSM.16.M88.4 R8, [R3] ;
        /*0040*/                   LDL R9, [R1] ;
        /*0050*/                   HMMA.16816.F32.BF16 R8, R4, R8, R8 ;
        /*0060*/               @P1 BRA `(.L_x_1) ;
        /*0070*/                   EXIT ;
.L_x_2:
        /*0080*/                   BRA `(.L_x_2);
        /*0090*/                   NOP;
"""

OUTPUT = """\
first\tshared, 1 in 16\t3.0 4.0
second\tshared, 1 in 16\t2.0 3.0
resources\tshared, 1 in 16\t32 0 1036 0 3
records\tshared, 1 in 16\t100 0 7
right\tshared, 1 in 16\t1
"""

NCU = """\
==PROF== Connected to process 1
"ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value"
"0","rmsnorm_plain","(512, 1, 1)","(432, 1, 1)","Command line","gpu__time_duration.sum","ns","8,000"
"1","rmsnorm_plain","(512, 1, 1)","(432, 1, 1)","Command line","gpu__time_duration.sum","us","9.5"
"""


def row(variant: str, median: float, half: float = 0.001, problem: str = "") -> cost.Row:
    e = Estimate(median, median - half, median + half)
    return cost.Row("rmsnorm", "432", variant, 9.0 * median, e, e, problem, 0.0, {})


class Statistics(unittest.TestCase):
    def test_ranks(self):
        # From the binomial distribution of 1/2: P(at most 4 of 5) = 31/32, P(at most 3) = 26/32.
        self.assertEqual([upper_rank(n) for n in (5, 8, 11, 30)], [5, 7, 9, 20])
        self.assertRaises(ValueError, upper_rank, 4)

    def test_bounds_enclose_the_median_as_often_as_they_say(self):
        draw = random.Random(1)
        bounded = [estimate([draw.expovariate(1.0) for _ in range(25)]) for _ in range(2000)]
        truth = 0.6931
        for share in (
            statistics.mean(e.upper >= truth for e in bounded),
            statistics.mean(e.lower <= truth for e in bounded),
        ):
            self.assertGreater(share, 0.94)
            self.assertLess(share, 0.995)

    def test_pairs(self):
        self.assertEqual(ratios([2.0, 9.0], [1.0, 3.0]), [2.0, 3.0])
        self.assertRaises(ValueError, ratios, [1.0], [1.0, 2.0])


class Readers(unittest.TestCase):
    def test_ptxas(self):
        self.assertEqual(machine_code.from_ptxas(PTXAS, "4mine"), {"spill_bytes": 52, "registers": 40})

    def test_sass(self):
        expected = {"instructions": 9, "backward": 1, "global_loads": 1, "shared_loads": 1, "local": 1, "mma": 1}
        self.assertEqual(machine_code.from_sass(SASS, "4mine"), expected)

    def test_interleave(self):
        measured: dict[str, kernels.Measured] = {}
        kernels.add_output(measured, OUTPUT)
        kernels.add_output(measured, OUTPUT.replace("16\t1\n", "16\t0\n"))
        m = measured["shared, 1 in 16"]
        self.assertEqual((m.first, m.second), ([3.0, 4.0, 3.0, 4.0], [2.0, 3.0, 2.0, 3.0]))
        self.assertEqual((m.words, m.dropped, m.launches, m.right), (200, 0, 14, False))
        self.assertEqual(m.resources["blocks_per_sm"], 3)

    def test_ncu(self):
        self.assertEqual(proton_rmsnorm.read_times(NCU), {("rmsnorm_plain", "432"): [8000.0, 9500.0]})
        self.assertRaises(proton_rmsnorm.Unavailable, proton_rmsnorm.read_times, "==ERROR== no permission")


class Verdicts(unittest.TestCase):
    control = row(kernels.CONTROL, 1.0, half=0.005)

    def judge(self, *rows: cost.Row) -> dict[str, cost.Verdict]:
        return {v.target: v for v in cost.judge([row(kernels.UNTRACED, 1.0), self.control, *rows])}

    def test_width_of_the_control_is_granted(self):
        self.assertEqual(self.judge(row("shared, off", 1.028))["built in, off"].verdict, "met")
        self.assertEqual(self.judge(row("shared, off", 1.030))["built in, off"].verdict, "missed")

    def test_best_buffer(self):
        verdict = self.judge(row("shared", 1.12), row("lanes", 1.07), row("global", 1.01, problem="wrong"))
        self.assertEqual(verdict["best buffer"].variant, "lanes")
        self.assertEqual(verdict["best buffer"].verdict, "met")
        self.assertEqual(verdict["best buffer"].then_verdict, "missed")
        self.assertEqual(verdict["shared"].verdict, "met")

    def test_nothing_is_said_of_what_was_not_measured(self):
        self.assertEqual(self.judge(), {})

    def test_variants_that_do_not_do_what_they_should(self):
        records = kernels.Variant("a", "a", "", True)
        off = kernels.Variant("b", "b", kernels.OFF)
        good = kernels.Measured(words=1)
        self.assertEqual(cost.find_problem(records, good), "")
        self.assertEqual(cost.find_problem(off, kernels.Measured()), "")
        for variant, m in (
            (records, kernels.Measured()),
            (off, good),
            (records, kernels.Measured(words=1, dropped=1)),
            (records, kernels.Measured(words=1, right=False)),
        ):
            self.assertNotEqual(cost.find_problem(variant, m), "")

    def test_every_target_names_variants_that_exist(self):
        known = {k.name: {v.name for v in k.variants} for k in (kernels.RMSNORM, *kernels.PIPELINES)}
        sizes = {k.name: set(k.sizes) for k in (kernels.RMSNORM, *kernels.PIPELINES)}
        libraries = {l.name for l in kernels.LIBRARIES}
        for t in cost.TARGETS:
            self.assertLessEqual(set(t.variants), known[t.kernel], t)
            self.assertLessEqual(set(t.limits), sizes[t.kernel], t)
        for k in (kernels.RMSNORM, *kernels.PIPELINES):
            self.assertLessEqual({v.library for v in k.variants}, libraries)


if __name__ == "__main__":
    unittest.main()
