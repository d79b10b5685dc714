# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program that proton_rmsnorm.py runs under ncu: RMSNorm in Triton, with and without scopes.

    proton_worker.py BUFFER OPTIMIZATIONS ROUNDS WARM_UP ROWS...

One program a row, as in the sample; the reduction is one call, so there are four phases, and eight
readings of the clock against the sample's nine. A row of 5120 lies in a block of 8192 elements, a power of two,
and 16 warps share it, against the sample's 20.
"""
import contextlib
import os
import sys
import tempfile

import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.language as pl

HIDDEN, BLOCK, WARPS = 5120, 8192, 16


@triton.jit
def rmsnorm_plain(x_pointer, weight_pointer, y_pointer, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < hidden
    x = tl.load(x_pointer + row * hidden + column, mask=inside, other=0.0).to(tl.float32)
    total = tl.sum(x * x, 0)
    weight = tl.load(weight_pointer + column, mask=inside, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(total / hidden + eps) * weight
    tl.store(y_pointer + row * hidden + column, y.to(tl.bfloat16), mask=inside)


@triton.jit
def rmsnorm_again(x_pointer, weight_pointer, y_pointer, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < hidden
    x = tl.load(x_pointer + row * hidden + column, mask=inside, other=0.0).to(tl.float32)
    total = tl.sum(x * x, 0)
    weight = tl.load(weight_pointer + column, mask=inside, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(total / hidden + eps) * weight
    tl.store(y_pointer + row * hidden + column, y.to(tl.bfloat16), mask=inside)


@triton.jit
def rmsnorm_scopes(x_pointer, weight_pointer, y_pointer, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < hidden
    pl.enter_scope("load")
    x = tl.load(x_pointer + row * hidden + column, mask=inside, other=0.0).to(tl.float32)
    pl.exit_scope("load")
    pl.enter_scope("reduce")
    total = tl.sum(x * x, 0)
    pl.exit_scope("reduce")
    pl.enter_scope("normalize")
    weight = tl.load(weight_pointer + column, mask=inside, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(total / hidden + eps) * weight
    pl.exit_scope("normalize")
    pl.enter_scope("store")
    tl.store(y_pointer + row * hidden + column, y.to(tl.bfloat16), mask=inside)
    pl.exit_scope("store")


class Inputs:
    def __init__(self, rows):
        self.rows = rows
        self.x = torch.randn(rows, HIDDEN, device="cuda", dtype=torch.bfloat16)
        self.weight = torch.randn(HIDDEN, device="cuda", dtype=torch.bfloat16)
        self.y = torch.empty_like(self.x)

    def launch(self, kernel):
        kernel[(self.rows,)](self.x, self.weight, self.y, HIDDEN, 1e-6, BLOCK=BLOCK, num_warps=WARPS)

    def check(self, kernel):
        self.y.fill_(float("nan"))
        self.launch(kernel)
        x = self.x.float()
        expected = x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-6) * self.weight.float()
        torch.testing.assert_close(self.y.float(), expected, rtol=2e-2, atol=2e-2)


@contextlib.contextmanager
def active(session):
    proton.activate(session)
    yield
    proton.deactivate(session)


def main():
    buffer, optimizations, rounds, warm_up, *rows = sys.argv[1:]
    print(f"torch {torch.__version__}, triton {triton.__version__}", flush=True)
    if hasattr(pl, "enable_semantic"):  # scopes in Triton kernels are off by default
        pl.enable_semantic("triton")
    inputs = [Inputs(int(r)) for r in rows]
    rounds, warm_up = int(rounds), int(warm_up)

    for i in inputs:  # before anything is profiled; see proton_rmsnorm.py for the order
        for _ in range(warm_up + rounds):
            i.launch(rmsnorm_plain)
    torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        mode = proton.mode.Default(buffer_type=buffer, optimizations=optimizations)
        session = proton.start(os.path.join(folder, "rmsnorm"), backend="instrumentation", mode=mode)
        # Only the kernel with scopes runs while Proton is active: after one of those, Triton 3.6 divides by
        # the size of the buffer that a kernel without any does not have.
        proton.deactivate(session)
        for i in inputs:
            for _ in range(warm_up + rounds):
                i.launch(rmsnorm_plain)
                i.launch(rmsnorm_again)
                with active(session):
                    i.launch(rmsnorm_scopes)
        torch.cuda.synchronize()
        with active(session):
            inputs[0].check(rmsnorm_scopes)
        proton.finalize()
        recorded = [os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)]
        if not any(recorded):
            sys.exit("proton wrote nothing")


if __name__ == "__main__":
    main()
