#!/bin/sh
# Runs what build-truth.sh built, on a machine with a GPU, and says how each check ended:
#
#   run-truth.sh [--truth] FOLDER BUFFER...     FOLDER also holds kitrace-events
#
# With --truth only check_truth.py. Without: exits and shapes2 as well, and where compute-sanitizer is
# installed, these two under its four tools, all at the same time; and exits without a recorder, since what a
# tool says of that is not the recorder's. All of it is in FOLDER/truth.log, too. Exits with 1 if anything
# failed.
set -u
only=
if [ "$1" = --truth ]; then
  only=truth
  shift
fi
folder=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# step NAME COMMAND...
step() {
  name=$1
  shift
  echo "== $name"
  timeout 240 "$@" || echo "== $name: FAILED, $?" | tee -a "$logs/failed"
}

# exits, shapes2 and constants of one buffer, under a command if one is given
shapes() {
  b=$1
  shift
  step "exits, $b $*" python3 "$here/check_exits.py" "$folder/exits-$b" "$@"
  step "shapes2, $b $*" python3 "$here/check_shapes2.py" "$folder/shapes2-$b" "$folder/constants-$b" "$@"
}

sanitized() {
  for tool in memcheck racecheck initcheck synccheck; do
    under="compute-sanitizer --tool $tool --error-exitcode 1"
    # shellcheck disable=SC2086 # a command and its options
    step "exits without a recorder, $tool" $under "$folder/exits-off" >"$logs/$tool" 2>&1 &
    for b in "$@"; do
      # shellcheck disable=SC2086
      shapes "$b" $under >"$logs/$tool-$b" 2>&1 &
    done
  done
  wait
  for log in "$logs"/*check*; do
    cat "$log"
  done
}

everything() {
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader
  step truth python3 "$here/check_truth.py" "$folder" "$@"
  if [ -z "$only" ]; then
    for b in "$@"; do
      shapes "$b"
    done
    if command -v compute-sanitizer >/dev/null; then
      sanitized "$@"
    fi
  fi
}

everything "$@" 2>&1 | tee "$folder/truth.log"
[ ! -e "$logs/failed" ]
