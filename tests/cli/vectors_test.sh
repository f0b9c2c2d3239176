#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A processor's wide vectors change no bit: blended sources fitted with and without them are the same catalogue.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate blends.fits --size 700 --sources 3000 --seed 7 --extended 20 --backend cpu
expect_status 0
for image in "$sample_data/galactic_plane_150mhz.fits" blends.fits; do
  for vectors in narrow wide; do
    export REBER_CPU_VECTORS=$vectors
    run find "$image" -o "$vectors.csv" --backend cpu --overwrite
    expect_status 0
    grep -v '^#' "$vectors.csv" > "$vectors.rows"
  done
  unset REBER_CPU_VECTORS
  checks=$((checks + 1))
  [ "$(grep -c '"[CM]"' wide.rows)" -gt 10 ] || report "expected sources that share islands in $image"
  expect_same narrow.rows wide.rows
done

finish
