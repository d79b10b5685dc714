# lit configuration of the suites in this folder's subfolders. Run them with test/run.sh, or one of
# them with `lit -v build/test/rewrite` after a build.
#
# Features: cuda (nvcc compiles), gpu (and there is a GPU to run the result on), nvdisasm (machine code
# can be read), perfetto (its files can be decoded), tables (pandas and DuckDB are there), browser (a
# Chromium), root (permissions do not hold).

import glob
import os
import shutil
import subprocess
import sys
import tempfile

import lit.formats

config.name = "kinstr"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = [".cu", ".test", ".cpp"]
config.excludes = ["Inputs", "bench", "fuzz", "simt", "tools", "unit"]

build_bin = os.path.join(config.kinstr_build_dir, "bin")
build_lib = os.path.join(config.kinstr_build_dir, "lib")
runtime_include = os.path.join(config.kinstr_source_dir, "runtime", "include")
samples = os.path.join(config.kinstr_source_dir, "samples")

# ---- environment ---------------------------------------------------------------------------------

# The one on PATH now, else the one CMake found, if it is still there.
nvcc = shutil.which("nvcc") or (config.nvcc and shutil.which(config.nvcc))
path = [build_bin, config.llvm_tools_dir]
if nvcc:
    path.append(os.path.dirname(nvcc))
config.environment["PATH"] = os.pathsep.join(path + [config.environment["PATH"]])

# lit starts tests with an empty environment: these are what nvcc, the linker and the driver read.
for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LIBRARY_PATH", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# ---- features ------------------------------------------------------------------------------------


def nvcc_compiles():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "empty.cu")
        with open(source, "w") as file:
            file.write("__global__ void kernel() {}\n")
        command = [nvcc, "-arch=sm_90", "-c", source, "-o", source + ".o"]
        return subprocess.run(command, capture_output=True).returncode == 0


def has_gpu():
    if not shutil.which("nvidia-smi"):
        return False
    listing = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    return listing.returncode == 0 and "GPU 0:" in listing.stdout


if nvcc and nvcc_compiles():
    config.available_features.add("cuda")
    if has_gpu():
        config.available_features.add("gpu")
else:
    lit_config.note("no working nvcc: the tests that need it are unsupported")

# On PATH, or where test/deps.sh installs it.
nvdisasm = shutil.which("nvdisasm") or next(
    iter(glob.glob(os.path.join(config.kinstr_build_dir, "cuda-env/lib/*/site-packages/nvidia/*/bin/nvdisasm"))), None
)
if nvdisasm:
    config.available_features.add("nvdisasm")

# The Python that has Perfetto's descriptors, where test/deps.sh installs it.
perfetto_python = os.path.join(config.kinstr_build_dir, "perfetto-env", "bin", "python")
if os.access(perfetto_python, os.X_OK):
    config.available_features.add("perfetto")

# Likewise pandas and DuckDB.
tables_python = os.path.join(config.kinstr_build_dir, "tables-env", "bin", "python")
if os.access(tables_python, os.X_OK):
    config.available_features.add("tables")

if any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome")):
    config.available_features.add("browser")

if os.geteuid() == 0:
    config.available_features.add("root")

# ---- substitutions -------------------------------------------------------------------------------

# A name ends where a word would, a hyphen included: %kinstr is not the start of %kinstr-report.
for name, value in [
    ("kinstr-report", os.path.join(build_bin, "kinstr-report")),
    ("kinstr-nvcc", os.path.join(build_bin, "kinstr-nvcc")),
    ("kinstr", os.path.join(build_bin, "kinstr")),
    ("build_dir", config.kinstr_build_dir),
    ("cmake", shutil.which("cmake") or "cmake"),
    ("kitrace_events", os.path.join(build_bin, "kitrace-events")),
    ("mktrace", os.path.join(build_bin, "mktrace")),
    ("nvcc", nvcc or "nvcc"),
    ("nvdisasm", nvdisasm or "nvdisasm"),
    ("clock_reads", os.path.join(config.test_source_root, "tools", "clock_reads.py")),
    ("python", sys.executable),
    ("perfetto_python", perfetto_python),
    ("tables_python", tables_python),
    ("tools", os.path.join(config.test_source_root, "tools")),
    ("runtime_include", runtime_include),
    ("runtime_lib", build_lib),
    ("samples", samples),
    ("inputs", os.path.join(config.test_source_root, "Inputs")),
]:
    config.substitutions.append(("%" + name + r"(?![-\w])", value.replace("\\", r"\\")))
