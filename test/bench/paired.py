# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ratios of times that were taken in pairs, with bounds that assume nothing of their distribution."""
from __future__ import annotations

import dataclasses
import math
import statistics
from typing import Sequence

CONFIDENCE = 0.95
FEWEST = 5  # pairs: with fewer, not even the largest is a bound of that confidence


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The median of a sample; `lower` and `upper` each bound the median of what it is drawn from
    with a confidence of 95 %, by order statistics."""

    median: float
    lower: float
    upper: float

    @property
    def width(self) -> float:
        return self.upper - self.lower


def upper_rank(count: int, confidence: float = CONFIDENCE) -> int:
    """The least k for which the k-th smallest of `count` values (k from 1) is an upper bound of the
    median: fewer than k values lie below the median with at least that probability."""
    below = 0
    for k in range(1, count + 1):
        below += math.comb(count, k - 1)
        if below >= confidence * 2**count:
            return k
    raise ValueError(f"{count} values are too few for a bound; {FEWEST} are enough")


def estimate(values: Sequence[float]) -> Estimate:
    ordered = sorted(values)
    rank = upper_rank(len(ordered))
    return Estimate(statistics.median(ordered), ordered[-rank], ordered[rank - 1])


def ratios(times: Sequence[float], base: Sequence[float]) -> list[float]:
    if len(times) != len(base):
        raise ValueError(f"{len(times)} and {len(base)} times are no pairs")
    return [t / b for t, b in zip(times, base)]
