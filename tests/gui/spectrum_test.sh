#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A cube as a cube: axes in any order, spectra of a pixel and a region, moments, cuts, channel maps, export.
#   spectrum_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2 here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -c "import numpy" 2>/dev/null || exit 77
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
  cat << STEPS
# A click in the spectrum shows its plane.
click spectrum.plot 0.5 0.5
settle
expect documents.0.coordinate ~ 80
# Of a region, the flux density: the beam has 18 pixels.
key r
drag canvas 0.45 0.45 to canvas 0.55 0.55
wait 2
settle
wait 2
settle
expect documents.0.regions == 1
expect documents.0.spectrum.pixels > 20
expect documents.0.spectrum.of ~ sum
expect documents.0.spectrum.value.20 > 0.1
expect documents.0.spectrum.error.20 > 0.0015
# A drag chooses a range; its moment lies beside the cube.
drag spectrum.plot 0.4 0.5 to spectrum.plot 0.62 0.6
wait 2
shown spectrum.range
expect documents.0.range.0 > 14
expect documents.0.range.1 < 27
click spectrum.export
wait 3
click spectrum.export.path
wait 2
key Ctrl+a
type $folder/line.csv
click spectrum.export.write
wait 3
expect notice ~ Spectrum written
click spectrum.export
wait 3
click spectrum.export.path
wait 2
key Ctrl+a
type $folder/line.pdf
click spectrum.export.write
wait 3
action panel.cube
wait 4
click cube.make
wait 2
settle
wait 2
expect documents.length == 2
expect documents.1.title ~ moment
# A double click on a channel map would show its plane; a cut needs the line of the profiles.
key Ctrl+PageUp
wait 3
key Shift+p
drag canvas 0.42 0.5 to canvas 0.58 0.5
wait 2
click cube.cut
wait 2
settle
wait 3
expect documents.length == 3
expect documents.2.title ~ position-velocity
click cube.path
wait 2
key Ctrl+a
type $folder/pv.fits
click cube.save
wait 3
expect notice ~ Image written
key Ctrl+PageUp
wait 3
key Ctrl+PageUp
wait 3
action panel.display
wait 3
click cube.maps
wait 2
settle
wait 3
expect documents.length == 4
STEPS
} > steps
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --no-settings --script steps
[ "$(wc -l < line.csv)" -ge 41 ]
grep -q Velocity line.csv
head -c 1000 pv.fits | grep -q "CTYPE1  = .OFFSET"
[ "$(head -c 4 line.pdf)" = %PDF ]
