#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A cube as a cube: its axes in any order, channels and Stokes parameters, the spectrum of a pixel with errors.
#   spectrum_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2 here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -c 'import numpy' || exit 77
for order in xyvs vxys sxyv; do python3 "$here/line_cube.py" $order.fits $order; done
{
  # The same spectrum and the same words, whatever the order of the axes.
  for order in xyvs vxys sxyv; do
    cat << STEPS
open $order.fits
settle
at display.stokes.Q wait 2
at spectrum.plot wait 2
expect documents.0.stokes == I
expect documents.0.coordinate == 0.0 km/s
click canvas 0.5 0.5
wait 2
settle
wait 2
settle
expect documents.0.spectrum.pixels == 1
expect documents.0.spectrum.value.length == 40
expect documents.0.spectrum.value.20 > 0.08
expect documents.0.spectrum.value.2 < 0.02
expect documents.0.spectrum.error.20 > 0.0015
expect documents.0.spectrum.error.20 < 0.0025
expect documents.0.spectrum.seconds < 0.05
click display.stokes.Q
settle
wait 3
settle
expect documents.0.stokes == Q
expect documents.0.spectrum.value.20 < -0.03
click display.stokes.I
settle
key .
settle
expect documents.0.coordinate == 4.0 km/s
expect documents.0.stokes == I
key ,
settle
expect documents.0.coordinate == 0.0 km/s
STEPS
    [ $order = sxyv ] || printf 'key Ctrl+w\nwait 2\n'
  done
} > steps
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --no-settings --script steps
