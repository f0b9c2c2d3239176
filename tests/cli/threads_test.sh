#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Threads that cannot be started: every command does its work with those there are, none beyond the caller included, and
# writes the same bytes.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
[ -n "${REBER_FAULTS:-}" ] || { echo "SKIP: no library of faults in this build"; exit 77; }

run simulate sky.fits --size 96 96 --sources 6 --seed 3 --backend cpu
expect_status 0
run find sky.fits -o list.csv --backend cpu
expect_status 0

# Leaves the outputs of one command in a folder of that name.
command_in() {  # FOLDER COMMAND...
  local folder=$1
  shift
  rm -rf "$folder" work
  mkdir work
  what="$* ($folder)"
  status=0
  (cd work && exec timeout -k 2 60 "$reber" "$@") >out 2>err </dev/null || status=$?
  mv work "$folder"
}

tried=0
compare() {  # COMMAND...
  command_in whole "$@"
  expect_status 0
  local fault
  for fault in 1 2 3 4 1+ 2+; do
    tried=$((tried + 1))
    export REBER_FAULT_THREAD=$fault LD_PRELOAD=$REBER_FAULTS
    command_in short "$@"
    unset REBER_FAULT_THREAD LD_PRELOAD
    expect_status 0
    checks=$((checks + 1))
    # Reports hold times; all else is the same.
    diff -r -x '*.json' -x '*.jsonl' whole short >>err || report "thread $fault refused: other outputs"
  done
}
cpu=(--backend cpu --threads 4)
compare find ../sky.fits -o o.csv o.fits "${cpu[@]}"
compare run ../sky.fits -o . "${cpu[@]}"
compare convolve ../sky.fits o.fits --kernel gaussian:3 "${cpu[@]}"
compare smooth ../sky.fits --to-beam 60,60,0 -o o.fits "${cpu[@]}"
compare background ../sky.fits --write-rms rms.fits "${cpu[@]}"
compare simulate o.fits --size 96 96 --sources 6 --seed 3 "${cpu[@]}"
compare measure ../sky.fits --at ../list.csv -o o.csv "${cpu[@]}"
compare complete ../sky.fits --number 2 --bins 2 "${cpu[@]}"
compare verify ../sky.fits "${cpu[@]}"

# Little address space: the stacks of many threads would take it all.
for kilobytes in 400000 600000; do
  tried=$((tried + 1))
  what="find --threads 64 under ulimit -v $kilobytes"
  status=0
  (ulimit -v "$kilobytes"; exec timeout -k 2 60 "$reber" find sky.fits -o o.csv --threads 64 --backend cpu --overwrite) \
    >out 2>err || status=$?
  expect_status 0
  expect_same o.csv list.csv
done

run find sky.fits --threads 100000 --backend cpu
expect_status 2
expect_in err "--threads" 1024

echo "$tried runs with threads refused"
finish
