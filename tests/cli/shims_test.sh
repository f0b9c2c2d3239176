#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# BANE and aegean as flint calls them.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
export REBER=$reber
cp "$sample_data/galactic_plane_150mhz.fits" image.fits

shim() {
  status=0
  "$source_folder/app/shims/$1" "${@:2}" >out 2>err </dev/null || status=$?
  what="$*"
}

shim BANE image.fits --cores 2 --stripes 1 --grid 16 16 --box 196 196
expect_status 0
expect_file image_bkg.fits image_rms.fits
shim aegean image.fits --autoload --nocov --maxsummits 4 --table found.fits --island
expect_status 0
expect_file found_comp.fits found_isle.fits
run find image.fits --use-mean image_bkg.fits --use-rms image_rms.fits --columns aegean -o same.csv --quiet
shim aegean image.fits --autoload --table found.csv
expect_same found_comp.csv same.csv
shim aegean image.fits --autoload --table found.csv --find-everything
expect_status 2
expect_in err "--find-everything is not taken here"
shim BANE image.fits --box 10 20
expect_status 2
expect_in err "square"
finish
