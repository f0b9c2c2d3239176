#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# VOTables of every command that writes one: UCDs, units and cells, and astropy's validator where there is one.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 256 256 --sources 25 --seed 3 --truth truth.vot --backend cpu
expect_status 0
run find sky.fits -o found.vot --backend cpu
expect_status 0
for set in srl gaul aegean casda aegean-isle casda-islands; do
  run find sky.fits -o "$set.vot" --columns "$set" --backend cpu
  expect_status 0
done
run measure sky.fits --at found.vot -o forced.vot --backend cpu
expect_status 0
run find sky.fits -o other.xml --backend cpu
expect_status 0
grep -v history other.xml >other.vot
grep -v history found.vot >as.vot
expect_same other.vot as.vot
rm as.vot other.vot
run match found.vot forced.vot -o matched.vot
expect_status 0
what="check_votable.py"
python3 "$source_folder/tests/support/check_votable.py" ./*.vot >out 2>err || report "warnings"
expect_in out 'VOTables hold'
finish
