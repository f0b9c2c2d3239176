#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Places of catalogues: frames and equinoxes, columns of text, hours and degrees; on files on which they were wrong.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
reported=$data/reported
if [ ! -d "$reported" ]; then
  echo "skipped: no reported files here (REBER_TEST_DATA)"
  exit 77
fi

# One sky as FK4 B1950 and as ICRS, through every kind of table.
run find "$reported/15_b1950_against_icrs/b1950.fits" -o b.csv --backend cpu
expect_status 0
run find "$reported/15_b1950_against_icrs/b1950.fits" -o b.fits --backend cpu
run find "$reported/15_b1950_against_icrs/b1950.fits" -o b.vot --backend cpu
[ "$(head -n 1 b.csv)" = "# frame: FK4 B1950" ] || report "the CSV does not say its frame: $(head -n 1 b.csv)"
for table in b.csv b.fits b.vot; do
  run match $table "$reported/15_b1950_against_icrs/truth_icrs.csv"
  expect_status 0
  expect_in out "pairs                 3:"
done
run find "$reported/15_b1950_against_icrs/icrs.fits" -o i.csv --backend cpu
grep -q '^#' i.csv && report "a CSV of ICRS positions has a comment"

# FK5 of the date.
run measure "$reported/49_equinox_of_date/date.fits" --at "$reported/49_equinox_of_date/icrs.csv" -o date.csv --backend cpu
expect_status 0
grep -v '^#' date.csv | awk -F, 'NR > 1 { n += ($7 > .495 && $7 < .505) } END { exit n != 2 }' ||
  report "fluxes on an image of equinox 2025.5: $(cat date.csv)"
run find "$reported/49_equinox_of_date/wide.fits" -o wide.csv --backend cpu
run match wide.csv "$reported/49_equinox_of_date/icrs_wide.csv"
expect_in out "pairs                 2:"

# The sign of -00, in every spelling.
for spelling in colons dots letters; do
  run measure "$reported/21_minus_zero_dec/minus.fits" --at "$reported/21_minus_zero_dec/$spelling.csv" -o $spelling.csv --backend cpu
  expect_status 0
  awk -F, 'NR == 2 { a = $5 } NR == 3 { b = $5 } END { exit !(a + .504167 < 1e-6 && a + .504167 > -1e-6 && b + .493056 < 1e-6 && b + .493056 > -1e-6) }' \
    $spelling.csv || report "$spelling: $(cat $spelling.csv)"
done

# Degrees in columns of text; an odd cell is refused alone.
for table in good.csv one_bad.csv text.fits; do
  run measure "$reported/22_degrees_as_text/field.fits" --at "$reported/22_degrees_as_text/$table" -o t.csv --overwrite --backend cpu
  expect_status 0
  awk -F, 'NR == 2 { a = $3 } NR == 3 { b = $3 } END { exit !(a == 188.009939 && b == 187.98722) }' t.csv || report "$table: $(cat t.csv)"
  [ $table = one_bad.csv ] && expect_in out "column ra, row 3: 'masked' is no angle"
done
# Hours where two or three fields or an h say so, and where the unit does; degrees where the unit says that.
printf 'name,ra [hourangle],dec\na,12.53399593,11.995833\n' >hours.csv
printf 'name,ra [deg],dec\na,188:00:35.78,11.995833\n' >degrees.csv
printf 'name,ra,dec\na,12 32 02.3854,+11 59 45.0\n' >blanks.csv
printf 'name,ra,dec\na,12h32m02.3854s,+11d59m45.0s\n' >letters.csv
printf 'name,ra,dec\na,188d00m35.78s,+11d59m45.0s\n' >arcs.csv
for table in hours degrees blanks letters arcs; do
  run measure "$reported/22_degrees_as_text/field.fits" --at $table.csv -o t.csv --overwrite --backend cpu
  expect_status 0
  awk -F, 'NR == 2 { exit !($3 > 188.00993 && $3 < 188.00995) }' t.csv || report "$table: $(cat t.csv)"
done
finish
