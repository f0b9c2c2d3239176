#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber find --extended: its files, what they hold, that outlines read back, and what it refuses.
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
run find "$sky" --extended other.csv --planes all "${cpu[@]}"
expect_status 2
expect_in err '--plane N'
run find "$sky" --extended other.xyz "${cpu[@]}"
expect_status 2
checks=$((checks + 1))
[ ! -e other.csv ] || report 'a refused request left a file'

finish
