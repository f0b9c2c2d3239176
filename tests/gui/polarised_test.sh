#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The polarised intensity of Stokes Q and U: its plane, its spectrum, its moments, with and without the bias of noise.
#   polarised_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2 here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -c 'import numpy' || exit 77
for order in xyvs sxyv; do python3 "$here/line_cube.py" $order.fits $order IQUV; done
python3 "$here/line_cube.py" two.fits xyvs
{
  for order in xyvs sxyv; do
    cat << STEPS
open $order.fits
settle
click canvas 0.5 0.5
wait 2
settle
click display.stokes.P
settle
wait 3
settle
expect documents.0.stokes == P
expect documents.0.polarised == plain
expect documents.0.title ~ P
# The root of .25 + .09 of a line of 100 mJy, and noise of 1 mJy in each.
expect documents.0.spectrum.value.20 > 0.056
expect documents.0.spectrum.value.20 < 0.061
expect documents.0.spectrum.error.2 > 0.0009
expect documents.0.spectrum.error.2 < 0.0011
expect documents.0.spectrum.error.20 < 0.0016
key .
settle
expect documents.0.coordinate == 4.0 km/s
expect documents.0.stokes == P
# Noise alone is no polarisation; sources are not searched in it.
action run.start
wait 3
expect notice ~ not Gaussian
at display.stokes.debiased click display.stokes.debiased
settle
wait 3
settle
expect documents.0.polarised == debiased
expect documents.0.spectrum.value.20 > 0.055
action limits.min-max
wait 2
expect documents.0.render.low == 0
click display.stokes.Q
settle
expect documents.0.stokes == Q
key Ctrl+w
wait 2
STEPS
  done
  cat << STEPS
# Without U there is no P.
open two.fits
settle
shown display.stokes.Q
hidden display.stokes.P
key Ctrl+w
wait 2
# A moment of P, as a file; it is no Q.
open xyvs.fits
settle
click display.stokes.P
settle
action panel.cube
wait 4
click cube.make
wait 2
settle
wait 3
expect documents.1.title ~ of P
click cube.path
wait 2
key Ctrl+a
type $folder/p0.fits
click cube.save
wait 3
expect notice ~ Image written
STEPS
} > steps
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --no-settings --script steps
python3 - << 'SUM'
import numpy as np

def read(path):
    with open(path, "rb") as file:
        raw = file.read()
    end = 0
    while raw[80 * end:80 * end + 8].rstrip() != b"END":
        end += 1
    cards = {raw[80 * i:80 * i + 8].decode().strip(): raw[80 * i + 10:80 * i + 80].decode() for i in range(end)}
    text = b"".join(raw[80 * i:80 * i + 80] for i in range(end)).decode()
    shape = [int(cards[f"NAXIS{i}"].split("/")[0]) for i in range(int(cards["NAXIS"].split("/")[0]), 0, -1)]
    start = -(-80 * (end + 1) // 2880) * 2880
    return np.frombuffer(raw, ">f4", int(np.prod(shape)), start).reshape(shape), text

cube, _ = read("xyvs.fits")  # s v y x
moment, text = read("p0.fits")
wanted = np.sqrt(cube[1].astype(float) ** 2 + cube[2].astype(float) ** 2).sum(0) * 4.0
assert np.abs(moment.reshape(wanted.shape) / wanted - 1).max() < 1e-5, "another moment"
assert "STOKES" not in text and "polarised intensity" in text, "P is said to be a Stokes parameter"
print("polarised")
SUM
