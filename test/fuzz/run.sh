#!/usr/bin/env bash
# Runs fuzz targets of build-fuzz (annotate, commandline, compare, export, report,
# rewrite, trace) on the inputs of the tests.
#
#   run.sh TARGET SECONDS   for that long; what it learns stays in build-fuzz/corpus/TARGET
#   run.sh --bounded        builds all and runs each for some seconds, from the same start: for CI
#
# Exits with 1 if an input was found at fault, which lies in build-fuzz/faults then; with 125 if
# something is missing here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

llvm=22
compiler=clang++-$llvm
build=$PWD/build-fuzz

seeds_of() {
  case $1 in
    annotate) echo test/annotate test/rewrite ;;
    commandline) echo test/fuzz/commandline ;;
    rewrite) echo test/annotate test/auto test/diag test/rewrite test/uniformity samples/rmsnorm ;;
    compare) echo build-fuzz/seeds/trace build-fuzz/seeds/traces ;;
    export | report | trace) echo build-fuzz/seeds/trace ;;
    *) echo "error: no fuzz target '$1'" >&2 && exit 2 ;;
  esac
}

configure_and_build() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=$compiler -DKINSTR_FUZZ=ON &&
    cmake --build "$build" --target "$1"
}

build_target() {
  mkdir -p "$build"
  if ! configure_and_build "$1" >"$build/build.log" 2>&1; then
    tail -n 30 "$build/build.log" >&2
    return 1
  fi
}

# Small traces from the descriptions that other tests have, and pairs of them.
make_seeds() {
  local description trace last='' folder=$build/seeds/trace pairs=$build/seeds/traces
  mkdir -p "$folder" "$pairs"
  for description in test/{diff,export,merge,report}/*.test test/fuzz/trace/*; do
    "$build/bin/mktrace" "$description" -o "$folder/$(basename "$description").kitrace" 2>/dev/null || true
  done
  find "$folder" -size +20k -delete
  for trace in "$folder"/*; do
    [[ -z $last ]] || cat "$last" "$trace" >"$pairs/$(basename "$trace")"
    last=$trace
  done
  find "$pairs" -size +20k -delete
}

# run_target NAME FOLDER FLAGS...: what it learns goes to the folder.
run_target() {
  local target=$1 learnt=$2
  local -a seeds
  local dictionary=test/fuzz/$target.dict
  read -ra seeds <<<"$(seeds_of "$target")"
  if [[ ${seeds[*]} == build-fuzz/* ]]; then
    make_seeds
    dictionary=test/fuzz/trace.dict
  fi
  mkdir -p "$build/faults" "$learnt"
  local -a flags=(-max_len=20000 -timeout=60 -rss_limit_mb=8192 -error_exitcode=1
    "-artifact_prefix=$build/faults/$target-")
  if [[ -e $dictionary ]]; then
    flags+=("-dict=$PWD/$dictionary")
  fi
  shift 2
  "$build/bin/fuzz-$target" "${flags[@]}" "$@" "$learnt" "${seeds[@]/#/$PWD/}"
}

# Prints why the targets cannot be built here, or nothing.
why_not() {
  if ! command -v $compiler >/dev/null; then
    echo "no $compiler"
  elif ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char *, unsigned long) { return 0; }' |
    $compiler -fsanitize=fuzzer -x c++ - -o /dev/null 2>/dev/null; then
    echo "no libFuzzer for $compiler"
  fi
}

bounded() {
  local reason
  reason=$(why_not)
  if [[ -n $reason ]]; then
    echo "skipped: fuzzing: $reason"
    exit 125
  fi
  build_target fuzzers
  rm -rf "$build/learnt"
  run_target annotate "$build/learnt/annotate" -seed=1 -max_total_time=15
  run_target commandline "$build/learnt/commandline" -seed=1 -max_total_time=15
  run_target compare "$build/learnt/compare" -seed=1 -max_total_time=20
  run_target export "$build/learnt/export" -seed=1 -max_total_time=20
  run_target report "$build/learnt/report" -seed=1 -max_total_time=25
  run_target rewrite "$build/learnt/rewrite" -seed=1 -max_total_time=30
  run_target trace "$build/learnt/trace" -seed=1 -max_total_time=20
}

case ${1:-} in
  --bounded) bounded ;;
  annotate | commandline | compare | export | report | rewrite | trace)
    build_target "fuzz-$1"
    run_target "$1" "$build/corpus/$1" "-max_total_time=${2:?seconds}"
    ;;
  *)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
