#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The histogram and statistics of the chosen region: counts as by hand, followed when it is moved, and exported.
#   histogram_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
here=$(cd "$(dirname "$0")" && pwd)
screen=${SCREEN:-1280x800}
folder=$(mktemp -d)
trap '[ -z "${PICTURES:-}" ] || cp "$folder"/*.png "$PICTURES"; rm -rf "$folder"' EXIT
cd "$folder"
python3 "$here/pair_sky.py" sky.fits
# Writes the regions and the histogram into files of that name.
written() {
  cat << STEPS
click regions.file
wait 2
key Ctrl+a
type $1.reg
click regions.write
wait 2
expect notice ~ written to $1.reg
click histogram.export
wait 4
within histogram.export.write window
click histogram.export.path
wait 2
key Ctrl+a
type $1.csv
click histogram.export.write
wait 3
expect notice ~ Histogram written to $1.csv
STEPS
}
cat > steps << STEPS
open sky.fits
settle
key F2
wait 3
action panel.magnifier
action panel.display
wait 3
click panel.regions
wait 3
hidden statistics.of_region
click regions.in_pixels
wait 2
click regions.tool.Box
wait 2
drag image 45 45 to image 82 75
wait 3
key Esc
settle
wait 3
shown statistics.of_region
click statistics.of_region
wait 2
settle
wait 3
screenshot region.png
shown statistics.histogram
$(written one)
# Moved by hand: it follows.
drag image 63 60 to image 115 100
wait 2
settle
wait 3
$(written two)
click histogram.export
wait 4
click histogram.export.path
wait 2
key Ctrl+a
type two.svg
click histogram.export.write
wait 3
expect notice ~ Histogram written to two.svg
click histogram.export
wait 4
click histogram.export.path
wait 2
key Ctrl+a
type two.png
click histogram.export.write
wait 3
# Of the image again.
click statistics.of_region
wait 2
settle
$(written image)
# A region without pixels of the image says so.
click statistics.of_region
wait 2
click regions.x
wait 2
key Ctrl+a
type 900
key Enter
wait 2
settle
wait 3
hidden statistics.histogram
STEPS
xvfb-run -a -s "-screen 0 ${screen}x24 -noreset" "$view" --backend cpu --scale 1 --width "${screen%x*}" \
  --height "${screen#*x}" --script steps
[ -s two.png ]
grep -q '<svg' two.svg
python3 - << 'CHECK'
import csv
import re
import struct

SIDE = 160
data = open("sky.fits", "rb").read()
start = 2880
pixels = struct.unpack_from(f">{SIDE * SIDE}f", data, start)


def box_of(name):
    text = open(name + ".reg").read()
    x, y, wide, high = map(float, re.search(r"box\(([^)]*)\)", text).group(1).split(",")[:4])
    return x - 1, y - 1, wide / 2, high / 2


def check(name, values):
    rows = list(csv.DictReader(line for line in open(name + ".csv") if not line.startswith("#")))
    total = sum(int(row["Pixels"]) for row in rows)
    first, last = float(rows[0]["Low"]), float(rows[-1]["High"])
    assert total == sum(first <= v <= last for v in values), (name, total, len(values))
    assert len(values) > total > 0.9 * len(values) or total == len(values), (name, total, len(values))
    for row in rows:
        low, high = float(row["Low"]), float(row["High"])
        # Ends are rounded in the file: a pixel at one may count beside it.
        slack = 1e-5 * (last - first)
        least = sum(low + slack <= v < high - slack for v in values)
        most = sum(low - slack <= v <= high + slack for v in values)
        assert least <= int(row["Pixels"]) <= most, (name, row, least, most)
    return total, first, last


seen = []
for name in ("one", "two"):
    cx, cy, half_x, half_y = box_of(name)
    inside = [pixels[y * SIDE + x] for y in range(SIDE) for x in range(SIDE)
              if abs(x - cx) <= half_x and abs(y - cy) <= half_y]
    assert 800 < len(inside) < 1500, len(inside)
    seen.append(check(name, inside))
assert seen[0] != seen[1], seen
assert check("image", pixels)[0] > 20000
CHECK
