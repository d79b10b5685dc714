#!/usr/bin/env bash
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# auto-identical.sh KINSTR RUNTIME_INCLUDE FILE.cu...
#
# Takes the annotations out of each file, rewrites it with --auto, compiles the result, and compares
# its machine code under -DKINSTR_OFF with that of the file (cubin-identical.sh). A file in which
# --auto marks nothing is an error: it would prove nothing.
set -euo pipefail

kinstr=$1 include=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=(-std=c++20 -arch=sm_90 --expt-relaxed-constexpr)

for file in "$@"; do
  plain=$folder/plain.cu
  sed -E 's/@(phase|mark|end|kernel|scope|value)\>/\1/' "$file" > "$plain"
  "$kinstr" --auto --no-remarks "${flags[@]}" "$plain" -o "$folder/auto.cu"
  if ! grep -q 'KINSTR_MARK(1)' "$folder/auto.cu"; then
    echo "$file: fewer than two marks" >&2
    exit 1
  fi
  nvcc "${flags[@]}" -I "$include" -cubin "$folder/auto.cu" -o "$folder/auto.cubin"
  "$here/cubin-identical.sh" "$plain" "$folder/auto.cu" "$include" "${flags[@]}" -O3 -lineinfo
done
