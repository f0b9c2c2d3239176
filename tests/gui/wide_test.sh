#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two images 80 degrees wide, of two projections: split, blink, difference and contours show one sky at one place, which
# no view of the other image's own pixels does. Then the whole sky, to its edge and around its far side.
#   wide_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# A dark image in SIN, and one in CAR with discs at known pixels of the first.
python3 - << 'PY'
import math
import struct

N, STEP = 200, 0.4
DISCS = [(178, 150), (150, 40), (112, 170), (30, 120)]
rad = math.radians


def write(name, nx, ny, cards, value):
    head = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", f"NAXIS1  = {nx}", f"NAXIS2  = {ny}", "BUNIT   = 'JY/BEAM '",
            "CUNIT1  = 'deg'", "CUNIT2  = 'deg'", "RADESYS = 'ICRS'"] + cards + ["END"]
    data = b"".join(struct.pack(">f", value(i % nx, i // nx)) for i in range(nx * ny))
    pad = lambda block, fill: block + fill * (-len(block) % 2880)
    open(name, "wb").write(pad("".join(c.ljust(80) for c in head).encode(), b" ") + pad(data, b"\0"))


def sine(ra, dec):
    """Pixel of the first image; None on the far side."""
    a, d, d0 = rad(ra - 150), rad(dec), rad(30)
    if math.sin(d) * math.sin(d0) + math.cos(d) * math.cos(d0) * math.cos(a) <= 0:
        return None
    l = math.cos(d) * math.sin(a)
    m = math.sin(d) * math.cos(d0) - math.cos(d) * math.sin(d0) * math.cos(a)
    return (N - 1) / 2 - math.degrees(l) / STEP, (N - 1) / 2 + math.degrees(m) / STEP


def disc(x, y):
    noise = ((x * 7919 + y * 104729) % 1009 / 1009 - 0.5) * 0.02
    at = sine(150 - 0.25 * (x - 239.5), 0.25 * (y - 79.5))
    return noise + (1.0 if at and any(math.hypot(at[0] - u, at[1] - v) < 8 for u, v in DISCS) else 0.0)


write("sine.fits", N, N, ["CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  = 150.0", "CRVAL2  = 30.0",
                          "CRPIX1  = 100.5", "CRPIX2  = 100.5", f"CDELT1  = {-STEP}", f"CDELT2  = {STEP}"],
      lambda x, y: 0.0)


def far(x, y):
    """A disc on the far side of the whole sky, which the map's edge cuts in two."""
    noise = ((x * 7919 + y * 104729) % 1009 / 1009 - 0.5) * 0.02
    a, d = rad(60 - (x - 179.5) - 200), rad(y - 89.5)
    return noise + (1.0 if math.cos(d) * math.cos(a) > math.cos(rad(15)) else 0.0)


whole = lambda projection, ra: [f"CTYPE1  = 'RA---{projection}'", f"CTYPE2  = 'DEC--{projection}'", f"CRVAL1  = {ra}",
                                "CRVAL2  = 0.0", "CRPIX1  = 180.5", "CRPIX2  = 90.5", "CDELT1  = -1.0", "CDELT2  = 1.0"]
write("aitoff.fits", 360, 180, whole("AIT", 20.0), lambda x, y: 0.0)
write("far.fits", 360, 180, whole("CAR", 60.0), far)
write("car.fits", 480, 400, ["CTYPE1  = 'RA---CAR'", "CTYPE2  = 'DEC--CAR'", "CRVAL1  = 150.0", "CRVAL2  = 0.0",
                             "CRPIX1  = 240.5", "CRPIX2  = 80.5", "CDELT1  = -0.25", "CDELT2  = 0.25"], disc)
PY
cat > steps << 'STEPS'
open car.fits
settle
action limits.min-max
action map.grey
open sine.fits
settle
action panel.pipeline
action panel.compare
key Ctrl+0
settle
key Shift+s
settle
expect compare == split
# Bright 3 pixels inside of each disc's edge, dark 3 outside.
red image 178 150 > 200
red image 173 150 > 200
red image 183 150 > 200
red image 178 145 > 200
red image 178 155 > 200
red image 189 150 < 60
red image 167 150 < 60
red image 178 161 < 60
red image 178 139 < 60
red image 145 40 > 200
red image 155 40 > 200
red image 150 35 > 200
red image 150 45 > 200
red image 161 40 < 60
red image 139 40 < 60
red image 150 51 < 60
red image 150 29 < 60
red image 112 175 > 200
red image 112 181 < 60
screenshot split.png
key Shift+s
key b
wait 2
drag compare.period 0.1 0.5 to compare.period 0.99 0.5
until compare_shown == first
until compare_shown == other
red image 178 155 > 200
red image 178 161 < 60
red image 25 120 > 200
red image 35 120 > 200
red image 19 120 < 60
red image 41 120 < 60
screenshot blink.png
until compare_shown == first
# Moved while the other one is shown, both stay at one place.
until compare_shown == other
drag canvas 0.5 0.5 to canvas 0.52 0.55
wait 2
until compare_shown == first
until compare_shown == other
red image 178 145 > 200
red image 178 139 < 60
red image 35 120 > 200
red image 41 120 < 60
until compare_shown == first
key b
key Ctrl+0
key d
settle
expect compare == difference
red image 178 155 < 150
blue image 178 155 > 150
red image 178 161 > 150
red image 25 120 < 150
red image 19 120 > 150
screenshot difference.png
key d
wait 2
action panel.compare
action panel.contours
key Shift+g
settle
click contours.of
wait 3
click contours.of.0
wait 3
settle
expect contours.of == 0
red image 22 120 < 150
red image 38 120 < 150
red image 30 120 > 200
red image 186 150 < 150
red image 170 150 < 150
red image 178 150 > 200
screenshot contours.png
STEPS
cat > whole.steps << 'STEPS'
open far.fits
settle
open aitoff.fits
settle
action panel.pipeline
action panel.contours
key Shift+g
settle
click contours.of
wait 3
click contours.of.0
wait 3
settle
expect contours.of == 0
# The circle meets the sky's edge in these rows on both sides: no line joins them.
red image 150 109.5 > 200
red image 150 110 > 200
red image 150 110.5 > 200
red image 150 111 > 200
red image 150 68 > 200
red image 150 68.5 > 200
red image 150 69 > 200
red image 150 69.5 > 200
screenshot whole_contours.png
key Shift+g
key d
settle
# The disc reaches the edge of the sky.
blue image 21 94 > 150
red image 21 94 < 150
screenshot whole_difference.png
STEPS
play() { xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$1"; }
play steps
play whole.steps
[ -z "${KEEP:-}" ] || cp ./*.png "$KEEP"
echo wide
