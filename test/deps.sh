#!/usr/bin/env bash
# Installs what building and testing kinstr needs, where it is missing, and nothing else.
#
# Debian packages come from apt. nvcc is taken from the CUDA Toolkit of this machine or, where there
# is none, from the Python packages that carry it, into build/cuda-env; so is nvdisasm. What was found is
# written to build/deps.env, to be sourced by the scripts that follow. Perfetto's descriptors come from its
# Python package, into build/perfetto-env, pandas and DuckDB into build/tables-env.
#
# Exits with 1 if something is missing that cannot be installed. A missing nvcc, nvdisasm or Python package
# is no such thing: it is reported as skipped, and the tests that need none still run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

llvm=22           # the version built and tested with; CMake accepts 19 to 22
cuda_wheels=13.0  # the CUDA release taken from Python packages
perfetto_wheel=0.59.1
import_perfetto="from perfetto.protos.perfetto.trace import perfetto_trace_pb2"
tables_wheels="pandas==3.1.* duckdb==2.0.*"
build=$PWD/build
env_file=$build/deps.env
cuda_env=$build/cuda-env

# ---- packages ------------------------------------------------------------------------------------

have_command() { command -v "$1" >/dev/null 2>&1; }

# A header or library anywhere the compiler looks, so that a copy in /usr/local counts too.
have_header() { [[ -e /usr/include/$1 || -e /usr/local/include/$1 ]]; }

have_python_module() { python3 -c "import $1" 2>/dev/null; }

have_libfuzzer() { compgen -G "/usr/lib/llvm-$llvm/lib/clang/$llvm/lib/*/libclang_rt.fuzzer*" >/dev/null; }

# Where tool/report/viewer/CMakeLists.txt looks.
have_node_module() { [[ -e /usr/share/nodejs/$1/package.json || -e /usr/lib/nodejs/$1/package.json || -e node_modules/$1/package.json ]]; }

have_browser() {
  have_command chromium || have_command chromium-browser || have_command google-chrome || have_command chrome
}

# Each line: the Debian package, then the command that is true where what we need of it is there.
requirements() {
  cat <<LIST
cmake                have_command cmake
ninja-build          have_command ninja
g++                  have_command g++
python3              have_command python3
llvm-$llvm-dev       test -e /usr/lib/llvm-$llvm/lib/cmake/llvm/LLVMConfig.cmake
libclang-$llvm-dev   test -e /usr/lib/llvm-$llvm/include/clang/AST/AST.h
clang-$llvm          test -x /usr/lib/llvm-$llvm/bin/clang
libclang-rt-$llvm-dev have_libfuzzer
llvm-$llvm-tools     test -x /usr/lib/llvm-$llvm/bin/FileCheck
clang-format-$llvm   have_command clang-format-$llvm
clang-tidy-$llvm     have_command run-clang-tidy-$llvm
zlib1g-dev           have_header zlib.h
libzstd-dev          have_header zstd.h
libgtest-dev         have_header gtest/gtest.h
libgmock-dev         have_header gmock/gmock.h
libboost-context-dev have_header boost/context/fiber.hpp
libgoogle-perftools-dev have_header gperftools/tcmalloc.h
pkg-config           have_command pkg-config
libsqlite3-dev       have_header sqlite3.h
libprotozero-dev     have_header protozero/pbf_writer.hpp
librsvg2-dev         have_header librsvg-2.0/librsvg/rsvg.h
python3-jsonschema   have_python_module jsonschema
librsvg2-bin         have_command rsvg-convert
esbuild              have_command esbuild
node-d3-array        have_node_module d3-array
node-d3-axis         have_node_module d3-axis
node-d3-scale        have_node_module d3-scale
node-d3-selection    have_node_module d3-selection
chromium             have_browser
fonts-dejavu-core    test -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
LIST
}

missing_packages() {
  local package probe
  while read -r package probe; do
    $probe || echo "$package"
  done < <(requirements)
}

apt_get() {
  local -a as_root=()
  if [[ $EUID -ne 0 ]]; then
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n) # nobody is there to type a password
  fi
  ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get "$@"
}

can_install() { have_command apt-get && { [[ $EUID -eq 0 ]] || have_command sudo; }; }

install_packages() {
  apt_get update -qq && apt_get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Installs the named packages; false, with a message, where that cannot be done.
require_packages() {
  if ! can_install; then
    echo "error: missing, and this script can install only with apt-get as root or through sudo:"
    printf '  %s\n' "$@"
    return 1
  fi >&2
  echo "installing: $*"
  if ! install_packages "$@" </dev/null; then
    echo "error: apt-get could not install: $*" >&2
    return 1
  fi
}

check_packages() {
  local -a missing
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -eq 0 ]] && return
  require_packages "${missing[@]}"
  mapfile -t missing < <(missing_packages)
  if [[ ${#missing[@]} -gt 0 ]]; then
    echo "error: still missing after the installation: ${missing[*]}" >&2
    return 1
  fi
}

# ---- nvcc ----------------------------------------------------------------------------------------

# The root of the toolkit inside the Python environment.
wheel_root() { echo "$cuda_env"/lib/python3*/site-packages/nvidia/cu"${cuda_wheels%%.*}"; }

# The compilers there are, best first: on PATH, in a toolkit where one is expected, our own.
nvcc_candidates() {
  local root
  command -v nvcc || true
  for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda "$(wheel_root)"; do
    if [[ -n $root && -x $root/bin/nvcc ]]; then
      echo "$root/bin/nvcc"
    fi
  done
}

# True if this nvcc is recent enough, compiles and links. Its output stays in build/nvcc-check.log.
nvcc_works() {
  local nvcc=$1 work status=0
  work=$(mktemp -d)
  cat >"$work/check.cu" <<'CUDA'
#if __CUDACC_VER_MAJOR__ < 12
#error "kinstr needs CUDA 12 or later"
#endif
#include <cooperative_groups.h>
#include <cuda_bf16.h>
__global__ void check(__nv_bfloat16 *out)
{
  const auto block            = cooperative_groups::this_thread_block();
  out[block.thread_rank()] = __float2bfloat16(1.0f);
}
int main() { check<<<1, 32>>>(nullptr); }
CUDA
  "$nvcc" -std=c++17 -arch=sm_90 "$work/check.cu" -o "$work/check" \
    >"$build/nvcc-check.log" 2>&1 || status=1
  rm -rf "$work"
  return $status
}

# The wheels unpack to a toolkit whose libraries stand in lib and whose shared ones have no name to
# link by; nvcc looks in lib64.
complete_wheel_layout() {
  local root=$1 library
  ln -sfn lib "$root/lib64"
  for library in "$root"/lib/lib*.so.*; do
    ln -sfn "$(basename "$library")" "${library%%.so.*}.so"
  done
}

# install_wheels ENV PACKAGE...: installs Python packages into a virtual environment; prints the reason
# where that fails.
install_wheels() {
  local env=$1 log=$1.log
  shift
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null &&
    ! require_packages python3-venv >"$log" 2>&1; then
    echo "python3 has no venv module, and python3-venv could not be installed (see $log)"
  elif ! python3 -m venv "$env" >"$log" 2>&1; then
    echo "python3 -m venv failed (see $log)"
  elif ! "$env/bin/python" -m pip install --quiet --disable-pip-version-check \
    --retries 1 --timeout 20 "$@" >"$log" 2>&1; then
    echo "pip could not install $* (see $log)"
  else
    return 0
  fi
  return 1
}

# Installs nvcc from Python packages; prints the reason where that fails.
install_nvcc() {
  local log=$build/cuda-env.log package
  local -a wheels=()
  for package in nvidia-cuda-{nvcc,crt,runtime,cccl} nvidia-nvvm; do
    wheels+=("$package==$cuda_wheels.*")
  done
  rm -rf "$cuda_env"
  if install_wheels "$cuda_env" "${wheels[@]}"; then
    complete_wheel_layout "$(wheel_root)" >"$log" 2>&1 && return
    echo "the Python packages do not hold the toolkit where it was expected (see $log)"
  fi
  rm -rf "$cuda_env"
  return 1
}

# Writes build/deps.env for the given nvcc, or for none.
write_env() {
  local nvcc=${1:-} root
  {
    echo "# Written by test/deps.sh; source it before building or testing."
    if [[ -n $nvcc ]]; then
      echo "# checked: $(nvcc_identity "$nvcc")"
      root=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
      if [[ -e $root/include/cuda_runtime.h ]]; then
        printf 'export CUDA_HOME=%q\n' "$root"
      fi
      # shellcheck disable=SC2016 # expanded where the file is sourced
      printf 'export PATH=%q:"$PATH"\n' "$(dirname "$nvcc")"
    fi
  } >"$env_file"
}

# What tells one nvcc from another: compiling again to find that the same one still works takes
# seconds.
nvcc_identity() { echo "$1 $("$1" --version | tail -n 1)"; }

# True if this is the nvcc that build/deps.env was written for.
nvcc_checked() { grep -qsxF "# checked: $(nvcc_identity "$1")" "$env_file"; }

check_nvcc() {
  local nvcc reason
  mkdir -p "$build"
  while read -r nvcc; do
    if nvcc_checked "$nvcc"; then
      return
    elif nvcc_works "$nvcc"; then
      write_env "$nvcc"
      return
    fi
    echo "note: $nvcc cannot compile a small program, see $build/nvcc-check.log"
  done < <(nvcc_candidates)

  write_env
  echo "installing: nvcc $cuda_wheels from Python packages into build/cuda-env"
  if ! reason=$(install_nvcc); then
    echo "skipped: nvcc: $reason"
  elif ! nvcc_works "$(wheel_root)/bin/nvcc"; then
    echo "skipped: nvcc: the one from Python packages cannot compile a small program" \
      "(see $build/nvcc-check.log)"
  else
    write_env "$(wheel_root)/bin/nvcc"
  fi
}

# Any nvdisasm of the same major version reads what nvcc makes. Only tests of machine code want it.
check_nvdisasm() {
  local reason path own
  # shellcheck source=/dev/null # written above
  path=$(source "$env_file" && echo "$PATH")
  if ! PATH=$path have_command nvcc || PATH=$path have_command nvdisasm; then
    return
  fi
  own=$(wheel_root)/bin
  if [[ ! -x $own/nvdisasm ]]; then
    echo "installing: nvdisasm from a Python package into build/cuda-env"
    if ! reason=$(install_wheels "$cuda_env" "nvidia-cuda-nvdisasm==${cuda_wheels%%.*}.*"); then
      echo "skipped: nvdisasm: $reason"
      return
    fi
    own=$(wheel_root)/bin
  fi
  # shellcheck disable=SC2016 # expanded where the file is sourced
  printf 'export PATH="$PATH":%q\n' "$own" >>"$env_file"
}

# ---- readers of exports ----------------------------------------------------------------------------

# What it is, where to, what must work there, and the packages.
check_reader() {
  local what=$1 env=$build/$2 import=$3 reason
  shift 3
  if [[ -x $env/bin/python ]] && "$env/bin/python" -c "$import" 2>/dev/null; then
    return
  fi
  echo "installing: $what from Python packages into $env"
  rm -rf "$env"
  if ! reason=$(install_wheels "$env" "$@"); then
    echo "skipped: $what: $reason"
    rm -rf "$env"
  fi
}

check_packages
check_nvcc
check_nvdisasm
check_reader "Perfetto's descriptors" perfetto-env "$import_perfetto" "perfetto==$perfetto_wheel"
# shellcheck disable=SC2086 # one word a package
check_reader "pandas and DuckDB" tables-env "import pandas, duckdb" $tables_wheels
