#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What earlier versions wrote is read: catalogues, regions, maps, records and configurations of tests/compat.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

for version in "$source_folder"/tests/compat/v*/; do
  cp -r "$version" kept
  rows=$(($(grep -vc '^#' kept/catalogue.csv) - 1))
  [ "$rows" -ge 5 ] || report "expected five sources in ${version}catalogue.csv"

  for ending in csv fits vot ecsv srl gaul; do
    run match "kept/catalogue.$ending" kept/catalogue.csv --json paired.json
    expect_status 0
    expect_json paired.json "d['pairs'] == $rows"
    rm -f paired.json
  done

  # The ellipses are places to search: the brightest source is found in them.
  for ending in reg crtf; do
    run find kept/field.fits --backend cpu --search-region "kept/catalogue.$ending" -o inside.csv
    expect_status 0
    [ "$(grep -vc '^#' inside.csv)" -ge 2 ] || report "expected a source inside of the regions of catalogue.$ending"
    rm -f inside.csv
  done

  # The maps are those of today's search, and give its sources.
  run find kept/field.fits --backend cpu --use-mean kept/mean.fits --use-rms kept/rms.fits -o given.csv
  expect_status 0
  [ "$(grep -vc '^#' given.csv)" -ge 5 ] || report "expected sources above the noise of rms.fits"

  # A configuration repeats its run, a record tells what is done, and the catalogues of the folder are joined.
  (cd kept && "$reber" run --config batch/field.toml -o ../again --quiet) || report "expected a run by batch/field.toml"
  [ -s again/field.csv ] || report "expected again/field.csv"
  run merge kept/batch -o joined.csv
  expect_status 0
  [ "$(($(grep -vc '^#' joined.csv) - 1))" -eq "$rows" ] || report "expected $rows rows in joined.csv"
  run run kept/field.fits --backend cpu --products csv -o kept/batch --resume  # of another folder's image: done again
  expect_status 0
  expect_in kept/batch/batch.jsonl '"sources"'
  rm -rf kept again given.csv joined.csv
done
finish
