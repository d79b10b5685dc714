#!/usr/bin/env bash
# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cubin-identical.sh ORIGINAL.cu REWRITTEN.cu RUNTIME_INCLUDE NVCC-FLAG...
#
# Compiles both to a cubin, the rewritten file with -DKINSTR_OFF, and compares them byte for byte.
# What a cubin takes from the file itself is made equal first: its path (both are compiled under one
# name in one folder, with temporary files of fixed names, since a cubin with debug information
# holds ptxas's command line) and, with line information, its size and modification time (the
# original is padded with newlines at its end).
set -euo pipefail

original=$1 rewritten=$2 include=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

compile() { (cd "$folder" && nvcc "$@" --keep -cubin kernel.cu); }

size=$(($(stat -c %s "$rewritten") + 4096)) # more than either has
pad() { printf '%*s' "$((size - $(stat -c %s "$folder/kernel.cu")))" '' | tr ' ' '\n' >> "$folder/kernel.cu"; }

cp "$original" "$folder/kernel.cu"
pad
touch -d '2000-01-01 00:00:00 UTC' "$folder/kernel.cu"
compile "$@"
mv "$folder/kernel.cubin" "$folder/original.cubin"

# `#line` names the file the user gave; under the common name it has to be that one.
sed '2s|^#line 1 ".*"|#line 1 "kernel.cu"|' "$rewritten" > "$folder/kernel.cu"
pad
touch -d '2000-01-01 00:00:00 UTC' "$folder/kernel.cu"
compile "$@" -DKINSTR_OFF -I "$include"

cmp "$folder/original.cubin" "$folder/kernel.cubin"
echo "identical: $*"
