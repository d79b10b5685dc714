#!/bin/sh
# Builds the programs that check_launch_forms.py runs:
#
#   build-launch-forms.sh KINSTR INCLUDE LIB FOLDER [ARCH]
#
# KINSTR: the tool; INCLUDE, LIB: runtime/include and where libkinstr_rt is; FOLDER: where the
# programs go; ARCH: nvcc's -arch, "native" if not given.
set -eu
kinstr=$1 include=$2 lib=$3 folder=$4 arch=${5:-native}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"

$kinstr "$here/launch_forms.cu" -o "$folder/launch_forms.cu" --no-remarks

# build NAME FLAG...
build() {
  name=$1
  shift
  nvcc -std=c++17 -O3 -arch="$arch" -Xcompiler=-iquote,"$here" "$@" \
    "$folder/launch_forms.cu" "$here/launch_library.cu" \
    -I"$include" -L"$lib" -lkinstr_rt -lcuda -o "$folder/$name"
}

build launch_forms
build launch_forms_streams -default-stream per-thread
build launch_forms_rdc -rdc=true -DWITH_DEVICE_LAUNCHES
