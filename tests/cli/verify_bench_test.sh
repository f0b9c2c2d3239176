#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber verify and reber bench on small skies.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 300 --blank-corners --backend cpu
expect_status 0
run verify sky.fits --backend cpu --json verify.json
expect_status 0
expect_json verify.json 'd["checks"] and all(c["passed"] for c in d["checks"])'
run verify sky.fits --backend reference
expect_status 2
expect_in err reference
run run sky.fits -o results --backend cpu --verify --products csv
expect_status 0
expect_json results/sky_verification.json

run bench --size 256 --repeat 2 --backend cpu --json bench.json --plot bench.png
expect_status 0
expect_file bench.png
expect_in out load clip "mesh" label measure direct separable fft
expect_json bench.json 'd["size"] == 256 and all(r["wall_ms"]["median"] > 0 for r in d["rows"] if "wall_ms" in r)'
run bench --size 256 --repeat 1 --backend cpu --reference --json agreement.json --quiet
expect_status 0
expect_json agreement.json 'max(r.get("difference", 0) for r in d["rows"]) < 0.01'

finish
