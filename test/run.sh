#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs the whole test suite.
#
#   KINSTR_SKIP_TIDY=1   leave out clang-tidy, the slowest check
#   KINSTR_SKIP_FUZZ=1   leave out fuzzing, which builds the rewriter once more
#   CI=true              warnings are errors
#
# Exits with 1 if anything failed. The summary at the end is ctest's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

test/deps.sh
# shellcheck source=/dev/null # written by deps.sh
source build/deps.env

jobs=$(nproc)
declare -a ctest_flags=(--test-dir build --output-on-failure --no-tests=error --parallel "$jobs")

cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "-DKINSTR_WERROR=${CI:+ON}"
cmake --build build --parallel "$jobs"

if ! command -v nvcc >/dev/null; then
  echo "skipped: tests that compile CUDA: no nvcc"
fi
if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
  echo "skipped: tests that run a kernel: no GPU"
fi
skipped=
for check in tidy fuzz; do
  variable=KINSTR_SKIP_${check^^}
  if [[ ${!variable:-0} == 1 ]]; then
    echo "skipped: $check: $variable is 1"
    skipped+="|$check"
  fi
done
if [[ -n $skipped ]]; then
  ctest_flags+=(--exclude-regex "^(${skipped#|})\$")
fi

exec ctest "${ctest_flags[@]}"
