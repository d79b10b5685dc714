#!/usr/bin/env bash
# From an annotated kernel to a table, two pictures and a page, in one command.
#
# Installs what is missing, builds kinstr, and takes samples/rmsnorm through it. Where there is no
# GPU, the report is drawn from a trace that was recorded on one and is kept beside the sample;
# where there is no nvcc either, the steps that need it are skipped, and the reason is printed.
#
# Everything it makes is in build/demo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rows=432
hidden=5120
block=17 # whose warps are drawn
sample=samples/rmsnorm/rmsnorm.cu
recorded=samples/rmsnorm/h200-432x5120.kitrace
out=build/demo
mkdir -p "$out"

# ---- output --------------------------------------------------------------------------------------

bold='' dim='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
fi

step_number=0
step() {
  step_number=$((step_number + 1))
  printf '\n%s%d. %s%s\n' "$bold" "$step_number" "$*" "$plain"
}

show() { printf '%s   $ %s%s\n' "$dim" "$*" "$plain"; }

# Runs a command with its output in a log file, which is shown only if the command fails.
quietly() {
  local log=$out/$1.log
  shift
  show "$*"
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    printf 'error: %s failed; its whole output is in %s\n' "$1" "$log" >&2
    exit 1
  fi
}

loudly() {
  show "$*"
  "$@"
}

# ---- what this machine can do --------------------------------------------------------------------

have_nvcc() { command -v nvcc >/dev/null; }

have_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

# The architecture to compile for: the first GPU's, or the one the kept trace was recorded on.
gpu_arch() {
  if have_gpu; then
    nvidia-smi --query-gpu=compute_cap --format=csv,noheader --id=0 | sed 's/\.//; s/^/sm_/'
  else
    echo sm_90
  fi
}

# ---- steps ---------------------------------------------------------------------------------------

build() {
  local -a targets=(kinstr kinstr-report)
  if have_nvcc; then
    targets+=(kinstr_rt)
  fi
  quietly configure cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
  quietly build cmake --build build --parallel "$(nproc)" --target "${targets[@]}"
  PATH=$PWD/build/bin:$PATH
}

rewrite() {
  quietly rewrite kinstr "$sample" -o "$out/rmsnorm.instr.cu" -std=c++17 "-arch=$arch"
  # The first marks, as a taste of what a diff shows.
  grep -m 3 '@phase' "$out/rmsnorm.instr.cu" | sed 's/^ */     /'
}

compile() {
  local flags
  local -a runtime_flags
  flags=$(kinstr --nvcc-flags)
  read -r -a runtime_flags <<<"$flags"
  quietly compile nvcc -std=c++17 -O3 "-arch=$arch" "$out/rmsnorm.instr.cu" -o "$out/rmsnorm" \
    "${runtime_flags[@]}"
}

# Three launches to warm up, then one that is recorded, then more for the printed median.
run() {
  local options="out=$out/rmsnorm.kitrace,launches=3:1"
  local -a command=("$out/rmsnorm" --rows "$rows" --hidden "$hidden" --warmup 3)
  show "KINSTR_OPTIONS=$options ${command[*]}"
  KINSTR_OPTIONS=$options "${command[@]}"
}

# Median time of a launch as the sample prints it, the median of five runs [µs].
median_us() {
  local i
  for i in 1 2 3 4 5; do
    "$@" --rows "$rows" --hidden "$hidden" --repeat 100 --check off 2>/dev/null |
      sed -n 's/.*: \([0-9.]*\) us.*/\1/p'
  done | sort -n | sed -n 3p
}

# What tracing every warp of every block costs on this GPU.
cost() {
  local untraced traced
  quietly original nvcc -std=c++17 -O3 "-arch=$arch" "$sample" -o "$out/rmsnorm.untraced"
  untraced=$(median_us "$out/rmsnorm.untraced")
  traced=$(KINSTR_OPTIONS=out=/dev/null,buffer_mb=1024 median_us "$out/rmsnorm")
  awk -v t="$traced" -v u="$untraced" 'BEGIN {
    printf "   untraced %.2f µs, traced %.2f µs: ratio %.2f\n", u, t, t / u
    print  "   (the article'"'"'s scheme on an H200: 1.49; docs/accuracy.md)"
  }'
}

report() {
  loudly kinstr-report "$trace"
  quietly pictures kinstr-report --svg "$out" --block "$block" "$trace"
  quietly page kinstr-report --html "$out/rmsnorm.html" "$trace"
}

# ---- the demo ------------------------------------------------------------------------------------

printf '%skinstr: where does each warp of a kernel spend its time?%s\n' "$bold" "$plain"

step 'Install what is missing'
loudly test/deps.sh
# shellcheck source=/dev/null # written by deps.sh
source build/deps.env
arch=$(gpu_arch)
trace=$recorded

step 'Build kinstr'
build

step "Rewrite $sample, whose only annotations are comments"
if have_nvcc; then
  rewrite
else
  echo '   skipped: no nvcc, whose headers are needed to read CUDA (see step 1)'
fi

step 'Compile the rewritten file'
if have_nvcc; then
  compile
else
  echo '   skipped: no nvcc (see step 1)'
fi

step "Run it on $rows rows of $hidden"
if have_nvcc && have_gpu; then
  run
  cost
  trace=$out/rmsnorm.kitrace
elif have_gpu; then
  echo '   skipped: no nvcc, so there is nothing to run (see step 1)'
else
  echo '   skipped: no GPU on this machine'
fi

step 'Look at the trace'
if [[ $trace == "$recorded" ]]; then
  echo '   This trace was NOT recorded here. It was recorded elsewhere and is kept with the sample:'
  head -n 12 "${recorded%.kitrace}.md" | sed 's/^/   | /'
fi
report

printf '\n%sNow open%s\n' "$bold" "$plain"
for file in "$out"/*.svg "$out"/*.html; do
  printf '   %s\n' "$file"
done
if [[ -e $out/rmsnorm.instr.cu ]]; then
  printf '   %-34s %s\n' "$out/rmsnorm.instr.cu" "diff it against $sample"
fi
