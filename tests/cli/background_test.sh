#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Background methods, maps in, thresholds from a false discovery rate, detection on several scales.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
image=$sample_data/galactic_plane_150mhz.fits
cpu=(--backend cpu)

run background "$image" "${cpu[@]}" --write-mean mean.fits --write-rms rms.fits
expect_status 0
expect_file mean.fits rms.fits
expect_in out "cells of" "2 passes"
for method in grid clip; do
  run background "$image" "${cpu[@]}" --method "$method" --write-rms "$method.fits"
  expect_status 0
  expect_file "$method.fits"
done
for threads in 1 3; do
  run find "$image" "${cpu[@]}" --background grid --box 90 --step 30 -o $threads.csv --threads $threads
  expect_status 0
  expect_in out "boxes of 90 px every 30 px"
  grep -v '^#' $threads.csv >$threads.rows
done
expect_same 1.rows 3.rows
run background "$image" "${cpu[@]}" --method grid --box 90 --step 100
expect_status 2
expect_in err 90 100
run background "$image" "${cpu[@]}" --step 20
expect_status 2
expect_in err grid
run background "$image" "${cpu[@]}" --method clip --adaptive
expect_status 2
run background "$image" "${cpu[@]}" --adaptive
expect_status 0
expect_in out adaptive

# A catalogue with the measured maps read back is that of the run that measured them.
run find "$image" "${cpu[@]}" -o measured.csv
expect_status 0
run find "$image" "${cpu[@]}" -o given.csv --use-mean mean.fits --use-rms rms.fits
expect_status 0
expect_in out "maps given by the user"
expect_same_but_levels measured.csv given.csv
run find "$image" "${cpu[@]}" --use-rms "$image"
expect_status 0
expect_in err "zero or negative"

run find "$image" "${cpu[@]}" --fdr 0.05
expect_status 0
expect_in out "threshold" "expected to be false" "(asked: 0.05)"
run find "$image" "${cpu[@]}" --fdr 0.05 --scales 0,3
expect_status 2
run find "$image" "${cpu[@]}" --scales 0,3,6 -o scales.csv
expect_status 0
expect_in out "scale 3 px" "scale 6 px"
run find "$image" "${cpu[@]}" --scales 0b,1b --negative
expect_status 0
for wrong in 0,x 0,3b -- 0,,3; do
  run find "$image" "${cpu[@]}" "--scales=$wrong"
  expect_status 2
done
run find "$image" "${cpu[@]}" --wavelets 4
expect_status 0
expect_in out "wavelet plane 4 (16 px)"
finish
