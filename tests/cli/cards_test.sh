#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One image over several backends, as over the cards of a host: the bytes that one gives.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu --threads 2 --overwrite)

run simulate sky.fits --size 1100 --sources 500 --extended 12 --seed 5 "${cpu[@]}" -q
expect_status 0

try() {  # COUNT WORDS...
  local count=$1
  shift
  rm -rf one many
  mkdir one many
  words=(find ../sky.fits -o cat.csv cat.fits --write-rms rms.fits --write-snr snr.fits "${cpu[@]}" "$@")
  cd one || exit 1
  run "${words[@]}"
  expect_status 0
  cd ../many || exit 1
  export REBER_CPU_PARTS=$count
  run "${words[@]}"
  unset REBER_CPU_PARTS
  expect_status 0
  cd ..
  for file in cat.csv cat.fits; do expect_same one/$file many/$file; done
  for file in rms.fits snr.fits; do expect_same_pixels one/$file many/$file; done
}
try 2
[ "$(wc -l <many/cat.csv)" -gt 150 ] || report "expected some hundred sources"
try 3 --host-memory 170M
try 5 --background grid --passes 3 --host-memory 170M
try 4 --adaptive --negative --threshold 4 --fit none
try 3 --scales 1,3
try 5 --wavelets 3 --fit none

for words in "gaussian:5" "gaussian:5 --algorithm direct" "gaussian:9 --algorithm fft"; do
  # shellcheck disable=SC2086
  run convolve sky.fits one.fits --kernel $words "${cpu[@]}"
  expect_status 0
  export REBER_CPU_PARTS=3
  # shellcheck disable=SC2086
  run convolve sky.fits many.fits --kernel $words "${cpu[@]}"
  unset REBER_CPU_PARTS
  expect_status 0
  expect_same_pixels one.fits many.fits
done

# One image of a batch is one image of all cards.
run run sky.fits -o one_run --products csv,picture "${cpu[@]}"
expect_status 0
export REBER_CPU_PARTS=3
run run sky.fits -o many_run --products csv,picture "${cpu[@]}"
unset REBER_CPU_PARTS
expect_status 0
for file in sky.csv sky.png; do expect_same one_run/$file many_run/$file; done
run run sky.fits -o many_run --products csv --devices all "${cpu[@]}"
expect_status 0  # the processor has no use for them
expect_same one_run/sky.csv many_run/sky.csv
run run sky.fits -o many_run --products csv --devices 0,1 --device 1 "${cpu[@]}"
expect_status 2
expect_in err "exclude each other"

run find sky.fits -o cat.csv --devices 0,x "${cpu[@]}"
expect_status 0  # the processor has no use for them
run find sky.fits -o cat.csv --device 1 --devices 0,1 "${cpu[@]}"
expect_status 2
expect_in err "exclude each other"
finish
