# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kinstr costs beside nvcc: time and peak memory of both on the same files.

    tool_cost.py [--rounds N] [--arch sm_90] [-o RESULT.json] [--also 'FILE.cu NVCC-FLAGS…']...

Measures the RMSNorm sample, a generated file of 5000 lines, and the files given with --also (a
kernel library's example, say). One without annotations gets an @phase at the start of each of its
__global__ functions, in a temporary copy; where all kernels are in headers there is none to mark, and
kinstr reads the file all the same. Needs kinstr and nvcc.

The two take turns; a figure is the median over the rounds. "cpu" is user and system time of the
process and its children, which other work on the machine disturbs less than "wall". The memory is
the largest resident set of any process of the tree: nvcc's are cudafe++, cicc, ptxas and the host
compiler, one after the other.
"""
import argparse
import datetime
import json
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "..", "..", "samples", "rmsnorm", "rmsnorm.cu")
TARGETS = {"wall": 0.25, "cpu": 0.25, "memory": 1.0}

# A process of its own for each command: RUSAGE_CHILDREN has the maximum over all children so far.
WATCH = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
wall = time.perf_counter() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"wall": wall, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024}))
sys.exit(code)
"""


def cost(command):
    done = subprocess.run([sys.executable, "-c", WATCH, *command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tool_cost.py: failed: {shlex.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


# ---- inputs --------------------------------------------------------------------------------------

GENERATED_KERNEL = """
__device__ float weigh_{n}(float x, int i)
{{
  float sum = 0.0f;
  for (int k = 0; k < {taps}; ++k)
    sum += x * (k + i % {taps}) + {n}.5f;
  return i & 1 ? sum : sqrtf(fabsf(sum));
}}

template <typename T, int Rows>
__global__ void __launch_bounds__(256) blend_{n}(const T *__restrict__ in, T *__restrict__ out, int n)
{{
  __shared__ float tile[Rows][257];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  // @phase load
  for (int row = 0; row < Rows; ++row) {{
    int i = (blockIdx.x * Rows + row) * blockDim.x + threadIdx.x;
    tile[row][threadIdx.x] = i < n ? static_cast<float>(in[i]) : 0.0f;
  }}
  // @phase wait
  __syncthreads();
  // @phase weigh
  float sum = 0.0f;
  for (int row = 0; row < Rows; ++row) {{
    sum += weigh_{n}(tile[row][(threadIdx.x + {shift}) % 256], row);
    if (warp == {warp})
      sum *= 0.5f;
  }}
  // @phase reduce
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  // @phase store
  if (lane == 0 && blockIdx.x * 8 + warp < n)
    out[blockIdx.x * 8 + warp] = static_cast<T>(sum);
}}

void run_{n}(const float *in, float *out, int n, cudaStream_t stream)
{{
  blend_{n}<float, {rows}><<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}}
"""


def generated(lines):
    text = "#include <cuda_runtime.h>\n"
    n = 0
    while text.count("\n") < lines:
        text += GENERATED_KERNEL.format(n=n, taps=3 + n % 5, shift=1 + n % 31, warp=n % 8, rows=2 + n % 3)
        n += 1
    return text


def annotated(text):
    if re.search(r"//\s*@phase", text):
        return text
    # "{}" may stand in the launch bounds.
    opening = re.compile(r"__global__(?:[^;{}]|\{\})*\)\s*\{", re.S)
    return opening.sub(lambda m: m.group(0) + " // @phase begin\n", text)


# ---- measuring -----------------------------------------------------------------------------------


def compare(name, source, flags, rounds, folder):
    copy, built = os.path.join(folder, "copy.cu"), os.path.join(folder, "built.o")
    commands = {
        "kinstr": ["kinstr", source, "-o", copy, "--no-remarks", *flags],
        "nvcc": ["nvcc", "-c", source, "-o", built, *flags],
    }
    runs = {tool: [] for tool in commands}
    for _ in range(rounds):
        for tool, command in commands.items():
            runs[tool].append(cost(command))
    median = lambda tool, what: statistics.median(run[what] for run in runs[tool])
    result = {"input": name, "lines": open(source, encoding="utf-8").read().count("\n")}
    for what in TARGETS:
        result[what] = {tool: round(median(tool, what), 3) for tool in commands}
        result[what]["ratio"] = round(median("kinstr", what) / median("nvcc", what), 4)
    return result


def measure(inputs, rounds):
    results = []
    for name, text, flags, origin in inputs:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "input.cu")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            results.append(compare(name, source, [*flags, f"-I{origin}"], rounds, folder))
    return results


def show(results):
    print(f"{'input':<28} {'lines':>5}  {'what':<6} {'kinstr':>9} {'nvcc -c':>9}  {'ratio':>6}  target")
    for r in results:
        for what, target in TARGETS.items():
            unit = "MiB" if what == "memory" else "s"
            figures = f"{r[what]['kinstr']:>7.2f} {unit:<3}{r[what]['nvcc']:>7.2f} {unit:<3}"
            met = "met" if r[what]["ratio"] <= target else "missed"
            print(f"{r['input'][:28]:<28} {r['lines']:>5}  {what:<6} {figures} {r[what]['ratio']:>6.3f}  <= {target} {met}")


def machine():
    cpu = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpu = re.search(r"model name\s*: (.*)", file.read()).group(1)
    nvcc = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout
    release = re.search(r"V([0-9.]+)", nvcc).group(1)
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    return {"cpu": cpu, "cores": os.cpu_count(), "nvcc": release, "date": date}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--arch", default="sm_90", help="for the sample and the generated file")
    parser.add_argument("--also", action="append", default=[], metavar="'FILE.cu FLAGS'")
    parser.add_argument("--only-also", action="store_true", help="leave out the sample and the generated file")
    parser.add_argument("-o", metavar="RESULT.json")
    args = parser.parse_args()

    inputs = []
    base = ["-std=c++17", "-O3", f"-arch={args.arch}"]
    if not args.only_also:
        inputs.append(("rmsnorm.cu", open(SAMPLE, encoding="utf-8").read(), base, os.path.dirname(SAMPLE)))
        inputs.append(("generated", generated(5000), base, HERE))
    for words in map(shlex.split, args.also):
        text = annotated(open(words[0], encoding="utf-8").read())
        origin = os.path.dirname(os.path.abspath(words[0]))
        inputs.append((os.path.basename(words[0]), text, words[1:], origin))

    result = {"machine": machine(), "rounds": args.rounds, "results": measure(inputs, args.rounds)}
    print("{cpu}, {cores} cores, nvcc {nvcc}, {date}".format(**result["machine"]))
    show(result["results"])
    if args.o:
        with open(args.o, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
