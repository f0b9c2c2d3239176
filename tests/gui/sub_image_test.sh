#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A part of the image saved as FITS: what is in view, a region's box, a plane and all planes of a cube; never over the
# image itself.
#   sub_image_test.sh REBER REBER_VIEW
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

python3 "$here/pair_sky.py" sky.fits
python3 - << 'CUBE'
# Three planes of the same sky, of which the second has twice its values and the third three times.
import struct
data = open("sky.fits", "rb").read()
head, pixels = data[:2880].decode(), struct.unpack(f">{160 * 160}f", data[2880:2880 + 4 * 160 * 160])
cards = [head[i:i + 80] for i in range(0, 2880, 80) if head[i:i + 80].strip() and not head.startswith("END", i)]
cards = [card.replace("    2", "    3") if card.startswith("NAXIS   ") else card for card in cards]
cards.insert(5, f"{'NAXIS3':<8}= {3:>20}".ljust(80))
for key, value in (("CTYPE3", "'FREQ    '"), ("CRPIX3", 1.0), ("CRVAL3", 1.4e9), ("CDELT3", 1e6), ("CUNIT3", "'Hz      '")):
    cards.append(f"{key:<8}= {value!s:>20}".ljust(80))
text = "".join(cards + ["END".ljust(80)])
body = b"".join(struct.pack(f">{len(pixels)}f", *(k * v for v in pixels)) for k in (1, 2, 3))
with open("cube.fits", "wb") as file:
    file.write(text.ljust(-(-len(text) // 2880) * 2880).encode() + body.ljust(-(-len(body) // 2880) * 2880, b"\0"))
CUBE
cp sky.fits kept.fits
cat > sky.steps << 'STEPS'
open sky.fits
settle
key Ctrl+d
wait 3
click regions.tool.Box
wait 2
drag image 45 45 to image 82 75
wait 3
key Esc
wait 2
action panel.sub_image
wait 3
screenshot part.png
click sub_image.path
wait 2
key Ctrl+a
type sky.fits
click sub_image.replace
wait 2
click sub_image.write
wait 3
settle
wait 3
screenshot refused.png
click sub_image.path
wait 2
key Ctrl+a
type box.fits
click sub_image.write
wait 3
settle
wait 3
expect notice ~ Part written to box.fits
key 4
wait 5
action panel.sub_image
wait 3
click sub_image.view
wait 2
click sub_image.path
wait 2
key Ctrl+a
type seen.fits
click sub_image.write
wait 3
settle
wait 3
expect notice ~ Part written to seen.fits
STEPS
play sky.steps
cmp sky.fits kept.fits
cat > cube.steps << 'STEPS'
open cube.fits
settle
key .
wait 3
settle
action panel.sub_image
wait 3
click sub_image.path
wait 2
key Ctrl+a
type plane.fits
click sub_image.write
wait 3
settle
wait 3
expect notice ~ Part written to plane.fits
action panel.sub_image
wait 3
click sub_image.planes
wait 2
action window.theme
wait 3
screenshot part_light.png
click sub_image.path
wait 2
key Ctrl+a
type planes.fits
click sub_image.write
wait 3
settle
wait 3
expect notice ~ Part written to planes.fits
STEPS
play cube.steps
python3 - << 'CHECK'
import struct


def read(path):
    data = open(path, "rb").read()
    cards, at = {}, 0
    while not data.startswith(b"END ", at):
        card = data[at:at + 80].decode()
        if card[8:10] == "= ":
            value = card[10:].strip()
            value = value[1:].split("'")[0] if value.startswith("'") else value.split("/")[0]
            cards[card[:8].strip()] = value.strip()
        at += 80
    start = -(-(at + 80) // 2880) * 2880
    shape = [int(cards[f"NAXIS{i}"]) for i in range(1, int(cards["NAXIS"]) + 1)]
    count = 1
    for n in shape:
        count *= n
    return cards, shape, struct.unpack(f">{count}f", data[start:start + 4 * count])


def same(path, whole, planes):
    head, shape, pixels = whole
    cards, part, values = read(path)
    assert cards["BUNIT"] == "Jy/beam" and float(cards["BMAJ"]) == float(head["BMAJ"]), cards
    x0, y0 = (round(float(head[f"CRPIX{i}"]) - float(cards[f"CRPIX{i}"])) for i in (1, 2))
    assert all(float(cards[key]) == float(head[key]) for key in ("CRVAL1", "CRVAL2", "CDELT1", "CDELT2"))
    nx, ny = part[:2]
    assert 0 < nx <= shape[0] and 0 < ny <= shape[1] and len(values) == nx * ny * len(planes)
    for k, plane in enumerate(planes):
        for y in range(ny):
            first = (plane * shape[1] + y + y0) * shape[0] + x0
            assert values[(k * ny + y) * nx:(k * ny + y + 1) * nx] == pixels[first:first + nx], (path, plane, y)
    return nx, ny, x0, y0


sky, cube = read("sky.fits"), read("cube.fits")
nx, ny, x0, y0 = same("box.fits", sky, [0])
assert abs(nx - 38) <= 2 and abs(ny - 31) <= 2 and abs(x0 - 45) <= 2 and abs(y0 - 45) <= 2, (nx, ny, x0, y0)
assert same("seen.fits", sky, [0])[:2] != (160, 160)
same("plane.fits", cube, [1])
same("planes.fits", cube, [0, 1, 2])
CHECK
# The frequency of the plane is kept.
"$reber" info plane.fits --json info.json > /dev/null
python3 -c 'import json; hz = json.load(open("info.json"))["frequency_hz"]; assert abs(hz - 1.401e9) < 1, hz'
