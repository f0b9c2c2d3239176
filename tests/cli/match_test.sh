#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber match: catalogues of several origins, what is printed and written, and what is refused.
source "$(dirname "$0")/harness.sh"

cat >a.csv <<'CSV'
Source_id,Isl_id,RA,E_RA,DEC,E_DEC,Total_flux,E_Total_flux,Maj
0,1,10.0,0.0001,-30.0,0.0001,0.011,0.001,0.01
1,2,10.1,0.0001,-30.1,0.0001,0.022,0.001,0.01
2,3,10.2,0.0001,-30.2,0.0001,0.033,0.001,0.01
3,4,10.3,0.0001,-30.3,0.0001,0.044,0.001,0.01
4,5,10.4,0.0001,-30.4,0.0001,0.055,0.001,0.01
CSV
cat >b.tsv <<'TSV'
RAJ2000	DEJ2000	S1.4	Name
deg	deg	mJy	
-------	-------	----	----
10.0001	-30.0	10	one
10.1001	-30.1	20	two
10.2001	-30.2	30	three
10.3001	-30.3	40	four
11	-31	50	alone
TSV

run match a.csv b.tsv -o pairs.csv pairs.fits --only-a left_a.csv --only-b left_b.vot --plot match.png --json match.json
expect_status 0
expect_in out "radius" "18 arcsec: half the median FWHM of A" "4: " "S1.4 (mJy)" "1.1000" "wrote pairs.fits"
expect_file pairs.csv pairs.fits left_a.csv left_b.vot match.png
expect_json match.json "d['pairs'] == 4 and abs(d['total_flux_ratio']['median'] - 1.1) < 1e-12 and abs(d['d_lon_arcsec']['median'] - 0.36 * 0.8645) < 1e-3"
what="rows of the matched table"
checks=$((checks + 1))
[ "$(wc -l <pairs.csv)" -eq 5 ] || report "expected 5 lines in pairs.csv"
expect_in pairs.csv Separation RA_1 Name_2 three
expect_in left_a.csv "0.055"
expect_in left_b.vot alone

run match a.csv a.csv --radius 1 --quiet --json -
expect_status 0
expect_json out "d['pairs'] == 5 and d['separation_arcsec']['median'] == 0"

# One flux that no noise explains, among five: a robust scatter does not show it.
sed '/^2,/s/0.033,/0.053,/' a.csv >changed.csv
run match a.csv changed.csv --radius 1 --json far.json
expect_status 0
expect_in out "1 of 5 total fluxes differ by over 5 errors"
expect_json far.json "d['total_flux_far'] == 1 and d['peak_flux_far'] == 0"

run match a.csv b.tsv -o pairs.csv
expect_status 2
expect_in err "pairs.csv exists" --overwrite
run match a.csv b.tsv --columns-b lon=nothing
expect_status 2
expect_in err "nothing" RAJ2000 --columns-b
run match a.csv b.tsv --columns-b flux=S1.4
expect_status 2
expect_in err "QUANTITY=COLUMN" total
run match a.csv b.tsv --columns-b total=S1.4:parsec
expect_status 0
printf 'a,b\n1,2\n' >nothing.csv
run match a.csv nothing.csv
expect_status 2
expect_in err "no columns of sky positions" "lon=COLUMN"
run match a.csv nowhere.csv
expect_status 3
expect_in err nowhere.csv
run match a.csv b.tsv -o pairs.xyz
expect_status 2
expect_in err pairs.xyz .fits

if [ -n "$data" ] && [ -r "$data/images/sumss/1904_comp.fits" ]; then
  images=$data/images
  run find "$images/sumss/1904-66_SIN.fits" -o sumss.csv --fit gaussian
  run match sumss.csv "$images/sumss/1904_comp.fits" --json sumss.json
  expect_status 0
  expect_json sumss.json "d['pairs'] >= 40 and abs(d['peak_flux_ratio']['median'] - 1) < 0.02 and abs(d['total_flux_ratio']['median'] - 1) < 0.06"
  run find "$images/lofar_sim/pybdsf_ch0_I.fits" -o lofar.vot --fit gaussian
  run match lofar.vot "$images/lofar_sim/pybdsf_srl.fits" --json lofar.json
  expect_status 0
  expect_json lofar.json "d['pairs'] >= 30 and abs(d['peak_flux_ratio']['median'] - 1) < 0.02"
else
  echo "no real images (REBER_TEST_DATA is '$data'): real catalogues not compared"
fi
finish
