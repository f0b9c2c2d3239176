#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --extended of reber find and run: its files, what they hold, that outlines read back, and what it refuses.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)
sky=$sample_data/galactic_plane_150mhz.fits

run find "$sky" -o cat.csv --extended ext.csv ext.vot ext.reg ext.crtf --json report.json "${cpu[@]}"
expect_status 0
expect_in out 'extended  ' 'structures'
expect_in report.json 'ext.vot'
expect_in ext.csv 's_region' 'Total_flux' 'Parent_id'
expect_in ext.reg 'polygon(' 'extended sources: the image'
expect_in ext.crtf 'poly ['
expect_in ext.vot 's_region' 'pos.outline;obs.field'
if command -v xmllint >/dev/null; then
  what='xmllint ext.vot'
  checks=$((checks + 1))
  xmllint --noout ext.vot 2>err || report 'expected a well-formed VOTable'
fi

# The catalogue is what it is without the option.
run find "$sky" -o plain.csv "${cpu[@]}"
expect_same <(grep -v '^#' cat.csv) <(grep -v '^#' plain.csv)

# A picture draws the outlines, in a colour that the picture of a run has not.
run find "$sky" --extended shown.png "${cpu[@]}"
expect_status 0
run run "$sky" -o plain --products picture "${cpu[@]}"
expect_status 0
run run "$sky" -o drawn --products picture,csv,reg --extended "${cpu[@]}"
expect_status 0
expect_in out 'extended  ' 'structures'
expect_in drawn/batch.jsonl 'galactic_plane_150mhz_extended.csv' 'galactic_plane_150mhz.png'
expect_in drawn/galactic_plane_150mhz.toml 'extended = true'
expect_in drawn/galactic_plane_150mhz_extended.reg 'polygon('
expect_same <(grep -v '^#' ext.csv) <(grep -v '^#' drawn/galactic_plane_150mhz_extended.csv)
expect_same <(grep -v '^#' cat.csv) <(grep -v '^#' drawn/galactic_plane_150mhz.csv)
what='outlines in shown.png'
checks=$((checks + 1))
python3 - shown.png plain/galactic_plane_150mhz.png drawn/galactic_plane_150mhz.png <<'P' || report 'expected yellow lines with --extended alone'
import struct, sys, zlib
def yellow(path):
    raw = open(path, "rb").read()
    at, data = 8, b""
    while at < len(raw):
        size, kind = struct.unpack(">I4s", raw[at:at + 8])
        body = raw[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
        at += size + 12
    assert depth == 8 and colours == 2
    rows, stride, before, count = zlib.decompress(data), 3 * width, bytes(3 * width), 0
    for y in range(height):
        how, line = rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = line[i - 3] if i > 2 else 0, before[i], before[i - 3] if i > 2 else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[how]) & 255
        before = bytes(line)
        count += sum(line[i:i + 3] == b"\xf0\xe4\x42" for i in range(0, stride, 3))
    return count
counts = [yellow(path) for path in sys.argv[1:]]
sys.exit(0 if counts[0] > 200 and counts[1] == 0 and counts[2] == counts[0] else 1)
P

# Outlines, read back as regions, hold the pixels that the table counts.
what='outlines against Npix'
checks=$((checks + 1))
grep polygon ext.reg | head -1 >one.reg
run mask "$sky" --coverage --inside one.reg -o one.fits "${cpu[@]}"
expect_status 0
row=$(grep -v '^#' ext.csv | awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) column[$i] = i} NR == 2 {print $column["Npix"]}')
counted=$(python3 - one.fits <<'P'
import struct, sys
raw = open(sys.argv[1], "rb").read()
end = raw.index(b"END" + b" " * 77)
start = (end // 2880 + 1) * 2880
cards = {raw[i:i + 8].decode().strip(): raw[i + 10:i + 80].decode().split("/")[0].strip() for i in range(0, end, 80)}
n = int(cards["NAXIS1"]) * int(cards["NAXIS2"])
print(sum(v != 0 for v in struct.unpack(f">{n}f", raw[start:start + 4 * n])))
P
)
awk -v a="$row" -v b="$counted" 'BEGIN {exit !(a > 0 && b > 0.9 * a && b < 1.1 * a)}' || report "expected about $row pixels inside, got $counted"

run find "$sky" --extended ext.csv "${cpu[@]}"
expect_status 2
expect_in err 'ext.csv'
run find "$sky" --extended other.csv --wavelets 3 "${cpu[@]}"
expect_status 2
expect_in err 'scales of their own'
run run "$sky" -o nothing --products labels --extended "${cpu[@]}"
expect_status 2
expect_in err '--extended writes'
run find "$sky" --extended other.csv --planes all "${cpu[@]}"
expect_status 2
expect_in err '--plane N'
run find "$sky" --extended other.xyz "${cpu[@]}"
expect_status 2
checks=$((checks + 1))
[ ! -e other.csv ] || report 'a refused request left a file'

finish
