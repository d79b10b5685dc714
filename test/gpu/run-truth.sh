#!/bin/sh
# Runs what build-truth.sh built, on a machine with a GPU, and says how each check ended:
#
#   run-truth.sh FOLDER BUFFER...          FOLDER also holds kitrace-events
#
# Where compute-sanitizer is installed, exits and shapes2 run under its four tools as well; and exits
# without a recorder, since what a tool says of that is not the recorder's. Exits with 1 if anything failed.
set -u
folder=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
failed=0

# step NAME COMMAND...
step() {
  name=$1
  shift
  echo "== $name"
  timeout 240 "$@" || { failed=1 && echo "== $name FAILED"; }
}

for b in "$@"; do
  step "exits, $b" python3 "$here/check_exits.py" "$folder/exits-$b"
  step "shapes2, $b" python3 "$here/check_shapes2.py" "$folder/shapes2-$b" "$folder/constants-$b"
  step "truth, $b" python3 "$here/check_truth.py" "$folder" "$b"
done
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    step "exits without recorder, $tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$folder/exits-off"
    for b in "$@"; do
      step "exits, $b, $tool" python3 "$here/check_exits.py" "$folder/exits-$b" \
        compute-sanitizer --tool "$tool" --error-exitcode 1
      step "shapes2, $b, $tool" python3 "$here/check_shapes2.py" "$folder/shapes2-$b" "$folder/constants-$b" \
        compute-sanitizer --tool "$tool" --error-exitcode 1
    done
  done
fi
exit $failed
