# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a PyTorch extension through kinstr-nvcc, runs it, and looks for its phases in the trace.

    python3 pytorch_extension.py

Needs PyTorch with CUDA, nvcc, ninja and a GPU. KINSTR_NVCC_PATH names kinstr-nvcc (default: that on
PATH, then the build folder's); kinstr and the rest of the installation are found from there. Works in
a folder of its own and closes with "passed", or says what is wrong and exits with 1.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import kitrace

KERNEL = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>
#include "factor.h"

__global__ void scale(float *out, const float *in, int n, float k)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // @phase load
  float v = i < n ? in[i] : 0.0f;
  // @phase store
  if (i < n)
    out[i] = v * k;
}

torch::Tensor doubled(torch::Tensor in)
{
  auto out = torch::empty_like(in);
  int n    = static_cast<int>(in.numel());
  scale<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      out.data_ptr<float>(), in.data_ptr<float>(), n, FACTOR);
  return out;
}
"""
BINDING = r"""
#include <torch/extension.h>

torch::Tensor doubled(torch::Tensor in);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("doubled", &doubled); }
"""
LAUNCHES, FLOATS = 3, 100000

# Run in a process of its own, so that the trace is written before it is read.
PROGRAM = r"""
import os, sys
import torch
from torch.utils.cpp_extension import load
folder, flags = sys.argv[1], sys.argv[2:]
extension = load(
    name="kinstr_extension", build_directory=os.path.join(folder, "build"),
    sources=[os.path.join(folder, "binding.cpp"), os.path.join(folder, "scale.cu")],
    extra_ldflags=flags, verbose=True)
x = torch.arange(%d, dtype=torch.float32, device="cuda")
for _ in range(%d):
    y = extension.doubled(x)
torch.cuda.synchronize()
assert torch.equal(y, 2 * x), "the extension computes something else"
""" % (FLOATS, LAUNCHES)


def fail(message):
    print(f"FAILED: {message}")
    sys.exit(1)


def find_kinstr_nvcc():
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.environ.get("KINSTR_NVCC_PATH"), shutil.which("kinstr-nvcc"),
                 os.path.join(here, "..", "..", "build", "bin", "kinstr-nvcc")):
        if path and os.access(path, os.X_OK):
            return os.path.realpath(path)
    fail("no kinstr-nvcc: set KINSTR_NVCC_PATH")


def write_sources(folder):
    os.mkdir(os.path.join(folder, "build"))
    for name, text in (("scale.cu", KERNEL), ("binding.cpp", BINDING), ("factor.h", "#define FACTOR 2.0f\n")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def check(trace):
    (module,) = trace.meta["modules"]
    (kernel,) = module["kernels"]
    phases = [(site["kind"], site["name"]) for site in kernel["sites"]]
    assert kernel["name"] == "scale", kernel["name"]
    assert phases == [("phase", "load"), ("phase", "store")], phases
    assert os.path.basename(module["file"]) == "scale.cu", module["file"]
    assert len(trace.meta["launches"]) == LAUNCHES, trace.meta["launches"]
    assert trace.meta["totals"]["dropped_records"] == 0, trace.meta["totals"]
    blocks = -(-FLOATS // 256)
    assert len(trace.warps()) == LAUNCHES * blocks * 8, len(trace.warps())


def main():
    kinstr_nvcc = find_kinstr_nvcc()
    kinstr = os.path.join(os.path.dirname(kinstr_nvcc), "kinstr")
    flags = subprocess.run([kinstr, "--nvcc-flags"], capture_output=True, text=True, check=True).stdout.split()
    with tempfile.TemporaryDirectory() as folder:
        write_sources(folder)
        trace = os.path.join(folder, "extension.kitrace")
        env = dict(os.environ, PYTORCH_NVCC=kinstr_nvcc, KINSTR_STRICT="1", KINSTR_OPTIONS=f"out={trace}")
        command = [sys.executable, "-c", PROGRAM, folder, *(f for f in flags if not f.startswith("-I"))]
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout)
        if done.returncode != 0:
            fail(f"exit status {done.returncode}")
        if not os.path.exists(trace):
            fail("no trace was written")
        try:
            check(kitrace.Trace(trace))
        except AssertionError as error:
            fail(f"the trace is not as expected: {error}")
        report = os.path.join(os.path.dirname(kinstr_nvcc), "kinstr-report")
        if os.access(report, os.X_OK):
            subprocess.run([report, trace], check=True)
    print("passed")


if __name__ == "__main__":
    main()
