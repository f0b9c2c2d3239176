#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Planes of a cube: a moment of a region, sources on channel maps, planes played, a film, values along a line.
#   planes_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2 here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -c 'import numpy' || exit 77
python3 "$here/line_cube.py" cube.fits xyv
"$reber" find cube.fits --planes all --backend cpu -q -o rows.csv > /dev/null
cat > steps << STEPS
open cube.fits
settle
# Two steps while sources are searched: those shown are the last plane's.
action run.start
settle
until documents.0.result.stale == false
settle
key .
until documents.0.plane == 1
until documents.0.loading == false
key .
until documents.0.plane == 2
settle
wait 5
settle
expect documents.0.result.stale == false
# A moment of a region and a range.
at spectrum.plot wait 2
click canvas 0.5 0.5
wait 2
settle
drag spectrum.plot 0.4 0.5 to spectrum.plot 0.62 0.6
wait 2
key r
drag canvas 0.4 0.4 to canvas 0.6 0.6
wait 2
settle
key r
action panel.cube
wait 4
shown cube.region
click cube.make
wait 2
settle
wait 3
expect documents.1.title ~ region 1
expect documents.1.made.seconds < 1
expect documents.1.shape.0 == 64
click cube.path
wait 2
key Ctrl+a
type $folder/part.fits
click cube.save
wait 3
expect notice ~ Image written
key Ctrl+PageUp
wait 3
# Channel maps with sources: each plane's own search, then the rows of a catalogue by their planes.
at spectrum.range.none click spectrum.range.none
wait 2
click cube.sources
wait 3
click cube.sources.search
wait 3
click cube.maps
wait 2
settle
wait 3
expect documents.2.made.cells.length == 12
expect documents.2.made.sources ~ searched in each plane
expect documents.2.made.cells.0.sources >= 1
# The whole grid lies beside the colour bar, also where it was moved away and is fetched again.
$(for plane in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "apart overlay.cell.$plane overlay.colour_bar"; done)
key Ctrl+0
wait 3
$(for plane in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "apart overlay.cell.$plane overlay.colour_bar"; done)
key Ctrl+PageUp
wait 2
key Ctrl+PageUp
wait 2
open rows.csv
wait 4
settle
at cube.sources click cube.sources
wait 3
click cube.sources.rows.csv
wait 3
click cube.maps
wait 2
settle
wait 3
expect documents.3.made.sources ~ column Plane
expect documents.3.made.cells.0.sources >= 1
screenshot maps.png
key Ctrl+PageUp
wait 2
key Ctrl+PageUp
wait 2
key Ctrl+PageUp
wait 2
# The values along a line.
key Shift+p
drag canvas 0.42 0.5 to canvas 0.58 0.5
wait 3
expect documents.0.line.values > 10
expect documents.0.line.high >= 0
expect documents.0.line.counts.length == 10
shown profiles.line
key Shift+p
# A film, in both forms.
action panel.film
wait 4
click film.path
wait 2
key Ctrl+a
type $folder/film.gif
click film.write
wait 2
settle
until notice ~ Film of 40 planes
wait 2
expect documents.0.plane == 2
action panel.film
wait 4
click film.png
wait 2
click film.path
wait 2
key Ctrl+a
type $folder/film.png
click film.write
wait 2
settle
until notice ~ film.png
# Played, the rate is told.
click display.plane.play
until planes_reached > 1
shown display.plane.reached
click display.plane.play
wait 3
expect planes_reached == 0
STEPS
xvfb-run -a -s "-screen 0 1280x1024x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 1024 --no-settings --script steps
python3 - "$here" << 'CHECK'
import struct, sys, zlib
import numpy as np
sys.path.insert(0, sys.argv[1])
from ellipses import read_png

def fits(path, count):
    raw = open(path, "rb").read()
    end = 0
    while raw[80 * end:80 * end + 8].rstrip() != b"END":
        end += 1
    return np.frombuffer(raw, ">f4", count, -(-80 * (end + 1) // 2880) * 2880)

part = fits("part.fits", 64 * 64).reshape(64, 64)
cube = fits("cube.fits", 40 * 64 * 64).reshape(40, 64, 64).astype(float)
inside = np.isfinite(part)
assert 20 < inside.sum() < 600, inside.sum()
best = min(np.abs(part[inside] - 4.0 * cube[a:b].sum(0)[inside]).max() for a in range(14, 20) for b in range(22, 28))
assert best < 1e-5, best  # no range that the drag can have made gives this

# The films: as many pictures as planes, and those of one as those of the other, but for 256 colours.
png = open("film.png", "rb").read()
at, kinds, first = 8, [], []
while at < len(png):
    size, = struct.unpack(">I", png[at:at + 4])
    kind, data = png[at + 4:at + 8], png[at + 8:at + 8 + size]
    assert zlib.crc32(kind + data) == struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0], kind
    kinds.append(kind)
    if kind == b"acTL":
        assert struct.unpack(">II", data) == (40, 0)
    at += 12 + size
assert kinds.count(b"fcTL") == 40 and kinds[-1] == b"IEND"
rows = read_png("film.png")

gif = open("film.gif", "rb").read()
assert gif[:6] == b"GIF89a"
width, height = struct.unpack("<HH", gif[6:10])

def lzw(data, size):
    bits = held = 0
    out, table, width, before = bytearray(), None, size + 1, None
    clear = 1 << size
    for byte in data:
        bits |= byte << held
        held += 8
        while held >= width:
            code, bits, held = bits & ((1 << width) - 1), bits >> width, held - width
            if code == clear:
                table, width, before = [bytes([i]) for i in range(clear)] + [b"", b""], size + 1, None
                continue
            if code == clear + 1:
                return bytes(out)
            entry = table[code] if code < len(table) else before + before[:1]
            out += entry
            if before is not None and len(table) < 4096:
                table.append(before + entry[:1])
            before = entry
            if len(table) == 1 << width and width < 12:
                width += 1
    raise ValueError("no end")

at, pictures = 13, 0
while gif[at] != 0x3B:
    if gif[at] == 0x21:
        at += 2
    else:
        assert gif[at] == 0x2C and struct.unpack("<HH", gif[at + 5:at + 9]) == (width, height)
        colours = gif[at + 10:at + 10 + 768]
        size = gif[at + 778]
        at += 779
        pictures += 1
        data = bytearray()
        block = at
        while gif[block]:
            data += gif[block + 1:block + 1 + gif[block]]
            block += 1 + gif[block]
        pixels = lzw(data, size)
        assert len(pixels) == width * height
        if pictures == 1:
            palette = np.frombuffer(colours, np.uint8).reshape(256, 3)
            shown = palette[np.frombuffer(pixels, np.uint8)].reshape(height, width, 3).astype(int)
            whole = np.array([list(row) for row in rows]).reshape(height, width, -1)[:, :, :3]
            off = np.abs(shown - whole)
            assert off.mean() < 2 and (off.max(2) > 40).mean() < 0.002, (off.mean(), off.max())
    while gif[at]:
        at += 1 + gif[at]
    at += 1
assert pictures == 40, pictures
print("planes")
CHECK
