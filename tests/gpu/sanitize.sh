#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every kernel under the tools of compute-sanitizer, a table of errors and seconds for each family of kernels. Fails where
# a tool reports anything, a test fails or is skipped, or a filter matches no test.
#   tests/gpu/sanitize.sh FOLDER_OF_PROGRAMS [racecheck|memcheck|initcheck|synccheck ...]
# SANITIZE_JOBS: how many run at once on the card (default: as many as there are processors).
set -u
tests=$1/reber_conformance_tests; shift
[ $# -gt 0 ] || set -- racecheck memcheck initcheck synccheck
export REBER_REQUIRE_CUDA=1 REBER_CUDA_BUFFERS=apart  # each buffer by itself: what lies beyond its ends is seen
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
[ -x "$tests" ] || { echo "no $tests"; exit 2; }
command -v compute-sanitizer > /dev/null || { echo "compute-sanitizer is not on the path"; exit 2; }

# Name, tests; tools where it is not all of them.
families=(
  'loading|Load.every_stored_type*'
  'Rice tiles|EveryKernel.of_rice_tiles'
  'direct|EveryKernel.of_direct_convolution'
  'separable|EveryKernel.of_separable_convolution'
  'spaced taps|SpacedTaps.few_of_each_kind'
  'together|ConvolveEach.few_of_each_kind'
  'FFT tiles|EveryKernel.of_fft_tiles'
  'FFT lines|*FftLengths*'
  'FFT library|EveryKernel.of_fft_by_the_library'
  'statistics|EveryKernel.of_statistics'
  'clips|EveryKernel.of_clips'
  'meshes|EveryKernel.of_meshes'
  'labels|EveryKernel.of_labels'
  'measurements|EveryKernel.of_measurements'
  'island pixels|EveryKernel.of_island_pixels'
  'fits|Fits.few_of_each_kind*'
  'noise|EveryKernel.of_the_noise'
  'maps|EveryKernel.of_maps'
  'other grids|EveryKernel.of_other_grids'
  'probes|MachineProbe.AnyNumberOfBytesIsMeasured|memcheck initcheck'  # of no shared memory, no barriers
)

in_family() {  # tool number: whether this tool is for that family
  local tools
  tools=$(cut -s -d'|' -f3 <<< "${families[$2]}")
  [[ -z $tools || " $tools " = *" $1 "* ]]
}

# Writes what happened into $work/TOOL.NUMBER: errors, seconds.
check() {  # tool number filter
  local log=$work/$1.$2.log start=$EPOCHREALTIME code
  timeout "${SANITIZE_LIMIT:-140}" compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 10 "$tests" --gtest_filter="$3" > "$log" 2>&1
  code=$?
  local seconds errors passed
  seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  errors=$(sed -nE 's/.*(ERROR|RACECHECK) SUMMARY: ([0-9]+).*/\2/p' "$log" | tail -1)
  passed=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) tests?\..*/\1/p' "$log")
  if [ $code = 124 ]; then errors="out of time"
  elif grep -qE '^\[  SKIPPED' "$log"; then errors="skipped"
  elif [ "${passed:-0}" = 0 ] || grep -qE '^\[  FAILED' "$log"; then errors="tests fail"
  elif [ $code != 0 ] && [ "${errors:-0}" = 0 ]; then errors="exit $code"
  fi
  echo "${errors:-no summary}|$seconds" > "$work/$1.$2"
}

for name in $("$tests" --gtest_filter='EveryKernel.*' --gtest_list_tests | sed -n 's/^  //p'); do
  [[ " ${families[*]} " = *"EveryKernel.$name"* ]] || { echo "no family runs EveryKernel.$name"; exit 2; }
done

at_once=${SANITIZE_JOBS:-$(nproc)}
for tool in "$@"; do
  for i in "${!families[@]}"; do
    in_family "$tool" "$i" || { echo "-|-" > "$work/$tool.$i"; continue; }
    while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
    check "$tool" "$i" "$(cut -d'|' -f2 <<< "${families[$i]}")" &
  done
done
wait

failed=0
printf '%-14s' 'errors (s)'; printf '%18s' "$@"; echo
for i in "${!families[@]}"; do
  printf '%-14s' "${families[$i]%%|*}"
  for tool in "$@"; do
    IFS='|' read -r errors seconds < "$work/$tool.$i"
    [ "$errors" = - ] && { printf '%18s' -; continue; }
    printf '%18s' "$errors ($seconds)"
    [ "$errors" = 0 ] || failed=1
  done
  echo
done
for tool in "$@"; do
  for i in "${!families[@]}"; do
    [[ $(cut -d'|' -f1 "$work/$tool.$i") = [0-] ]] && continue
    echo "--- $tool, ${families[$i]%%|*}"
    grep -E '=========|FAILED|SKIPPED|rror' "$work/$tool.$i.log" | head -40
  done
done
exit $failed
