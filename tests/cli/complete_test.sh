#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber complete: the curve of an easy sky, the same answer for any number of threads and for both backends of the host,
# and what is refused.
source "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 768 --sources 40 --extended 0 --rms-rise 0 --seed 3
expect_status 0
run complete sky.fits --number 40 --bins 4 --snr 2.5 40 --fit gaussian -o table.csv table.fits --plot plot.png --json a.json
expect_status 0
expect_in out "50 % complete at S/N" "found, clear" "wrote plot.png"
expect_file table.csv table.fits plot.png
# Bins of S/N 2.5-5, 5-10, 10-20, 20-40; a source of 2.5 to 5 sigma is seldom found at 5 sigma, one above 7 always.
expect_json a.json "d['injected'] == 160 and d['bins'][0]['found_clear']['value'] < 0.45 and d['bins'][2]['found_clear']['value'] > 0.95 and d['bins'][3]['found_clear']['value'] > 0.95"
expect_json a.json "abs(d['bins'][3]['total_ratio']['median'] - 1) < 0.03 and 0.7 < d['bins'][3]['pull_x']['scatter'] < 1.4 and 4 < d['snr_50'] < 7"
run complete sky.fits --number 40 --bins 4 --snr 2.5 40 --fit gaussian --json b.json --threads 1
expect_same a.json b.json
run complete sky.fits --number 40 --bins 4 --snr 2.5 40 --fit gaussian --json c.json --seed 2
checks=$((checks + 1))
cmp -s a.json c.json && report "another seed gave the same answer"
run complete sky.fits --number 20 --bins 3 --into residual --size 15 --json d.json
expect_status 0
expect_json d.json "d['on_sources'] == 0 and d['into'] == 'the image less its sources'"
# Peaks are in the image's own unit, and no line is wider than a terminal of 80 columns.
LC_ALL=C sed "s/BUNIT   = 'JY\/BEAM '/BUNIT   = 'K       '/" sky.fits >kelvin.fits
grep -a -q "BUNIT   = 'K  " kelvin.fits || report "the unit of sky.fits is not where it was looked for"
run complete kelvin.fits --number 20 --bins 3 --snr 4 40 -o kelvin.csv kelvin.vot --json k.json
expect_status 0
expect_in out "K at the median rms" "wrote kelvin.vot"
expect_not_in out Jy
expect_in kelvin.vot 'unit="K"'
expect_json k.json "d['unit'] == 'K'"
run complete kelvin.fits --number 20 --bins 3 --flux 100 1000
expect_status 2
expect_in err "uJy/beam" "'K'"
run complete sky.fits --snr 10 5
expect_status 2
expect_in err "must rise"
run complete sky.fits --number 0
expect_status 2
run complete sky.fits -o table.csv
expect_status 2
expect_in err "table.csv exists"
finish
