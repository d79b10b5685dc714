#!/bin/sh
# Builds what check_truth.py, check_exits.py and check_shapes2.py run:
#
#   build-truth.sh [--truth] KINSTR INCLUDE LIB FOLDER ARCH BUFFER...
#
# --truth: only what check_truth.py runs.
# KINSTR: the tool; INCLUDE, LIB: runtime/include and where libkinstr_rt is; FOLDER: where the programs
# go, each under its name and -BUFFER; ARCH: sm_90 or the like, or native. exits is built for sm_90a where
# ARCH is sm_90, or it would have no setmaxnreg; exits-off is the program without a recorder.
set -eu
only=
if [ "$1" = --truth ]; then
  only=truth
  shift
fi
kinstr=$1 include=$2 lib=$3 folder=$4 arch=$5
shift 5
here=$(cd "$(dirname "$0")" && pwd)
if [ "$arch" = native ]; then # kinstr would take nvcc's default for it
  arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
fi
mkdir -p "$folder"

# build BUFFER ARCH PROGRAM FILE... -- FLAG...
build() {
  buffer=$1 arch_of_it=$2 program=$3
  shift 3
  copies=$folder/$program-$buffer.copies
  files=
  originals=
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    files="$files $copies/$1"
    originals="$originals $here/$1"
    shift
  done
  [ $# -eq 0 ] || shift
  mkdir -p "$copies"
  # shellcheck disable=SC2086 # lists of files
  $kinstr $originals -odir "$copies" -arch="$arch_of_it" --buffer="$buffer" --no-remarks "$@"
  # shellcheck disable=SC2086
  nvcc -std=c++17 -O3 -arch="$arch_of_it" -Xcompiler=-iquote,"$here" "$@" $files \
    -I"$include" -L"$lib" -lkinstr_rt -lcuda -o "$folder/$program-$buffer"
  rm -r "$copies"
}

own=$arch
[ "$arch" != sm_90 ] || own=sm_90a
for b in "$@"; do
  for program in truth_lengths truth_loads truth_order truth_wraps; do
    build "$b" "$arch" "$program" "$program.cu"
  done
  [ -z "$only" ] || continue
  build "$b" "$arch" constants constants.cu
  build "$b" "$own" exits exits.cu
  build "$b" "$arch" shapes2 shapes2.cu shapes2_other.cu -- -rdc=true
done
[ -n "$only" ] || nvcc -std=c++17 -O3 -arch="$own" "$here/exits.cu" -o "$folder/exits-off"
