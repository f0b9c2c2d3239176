#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber find --why: how a row was made, and that asking changes no catalogue.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
image=$sample_data/galactic_plane_150mhz.fits

run find "$image" --backend cpu -o plain.csv
expect_status 0
expect_not_in out "Refinements"
rows=$(($(grep -vc '^#' plain.csv) - 1))

run find "$image" --backend cpu -o asked.csv --why 3
expect_status 0
for part in "Source 3" "Island" "Deblending" "Fits of the island" "Refinements" "Flag"; do expect_in out "$part"; done
expect_same plain.csv asked.csv

# The last row is told of, and none behind it.
run find "$image" --backend cpu --why $((rows - 1))
expect_status 0
expect_in out "Source $((rows - 1))"
run find "$image" --backend cpu --why "$rows"
expect_status 2
expect_in err "there is no source $rows"

# By moments nothing is fitted.
run find "$image" --backend cpu --fit moments --why 0
expect_status 0
expect_in out "measured by their moments"

# Drawn as well: image, model and residual, in every format; the catalogue is the same.
for ending in png svg pdf; do
  run find "$image" --backend cpu -o drawn.csv --overwrite --why 3 --why-plot "source.$ending"
  expect_status 0
  expect_in out "source.$ending"
done
expect_same plain.csv drawn.csv
[ "$(grep -c '<image' source.svg)" -eq 3 ] || report "expected image, model and residual in source.svg"
run find "$image" --backend cpu --why 3 --why-plot source.svg
expect_status 2
expect_in err "source.svg"
run find "$image" --backend cpu --why "$rows" --why-plot other.png
expect_status 2
run find "$image" --backend cpu --why-plot other.png
expect_status 2
run find "$image" --backend cpu --why 3 --why-plot other.txt
expect_status 2
expect_in err "--why-plot draws the source of --why"

run find "$image" --why 0 --planes all
expect_status 2
finish
