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

run bench --size 256 --repeat 2 --backend cpu --json bench.json --plot bench.png --sky bench_sky.fits
expect_status 0
expect_file bench.png bench_sky.fits
expect_in out load clip "mesh" label measure direct separable fft "floor ms" "first call ms" "with transfers ms"
expect_json bench.json 'd["size"] == 256 and len([r for r in d["rows"] if r["wall_ms"]["median"] > 0]) == len(d["rows"]) > 20'
expect_json bench.json 'all(l > 0 for b in d["backends"] for n, l in b["limits"].items() if n != "drift")'
# A floor is what cannot be beaten, but for the noise of a shared machine: half of all rows at most may come near.
expect_json bench.json 'all(r["floor_ms"] > 0 and r["floor_by"] in ("copy", "read", "FMA", "launch") for r in d["rows"])'
expect_json bench.json 'sum(r["reached"] > 1 for r in d["rows"]) < len(d["rows"]) / 4'
# No line is wider than a page.
checks=$((checks + 1))
[ "$(awk '{ if (length > most) most = length } END { print most }' out)" -le 106 ] || report "a line of more than 106 columns"

run bench --size 256 --repeat 1 --backend cpu --reference --json agreement.json --quiet
expect_status 0
expect_json agreement.json 'd["agrees"] and all(r["agrees"] for r in d["rows"] if "agrees" in r)'
expect_json agreement.json 'sum(r.get("compared_with") == "reference" for r in d["rows"]) > 15'
expect_json agreement.json 'max(r.get("difference", 0) for r in d["rows"]) < 0.01'

run bench --sizes 384,128,256 --repeat 1 --backend cpu --only direct --json sizes.json --plot sizes.png
expect_status 0
expect_file sizes.png
expect_in out "largest/least" "/ copy" "fixed us"
expect_json sizes.json 'd["rows"][0]["operation"] == "copy" and [r["operation"] for r in d["rows"]].count("copy") == 1'
awk '$1 == "copy" { found = $6 } END { exit found != "1.00" }' out || report "the copy is not as flat as the copy"
expect_json sizes.json 'all("fixed_us" in r for r in d["rows"])'
expect_json sizes.json 'd["sizes"] == [128, 256, 384] and all(len(r["ms"]) == 3 and min(r["ms"]) > 0 for r in d["rows"])'
run bench --size 256 --plot bench.png --backend cpu
expect_status 2
run bench --sizes 1,2
expect_status 2

# The table for a page, in place of the one before it.
printf 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n' >page.md
what="bench/table.py"
python3 "$source_folder/bench/table.py" bench.json --into page.md >out 2>err || report "table.py failed"
expect_in page.md before after "| direct 7x7 |" "reached"
expect_not_in page.md old
cp page.md again.md
python3 "$source_folder/bench/table.py" bench.json --into again.md >out 2>err || report "table.py failed"
expect_same page.md again.md

# For a card and a size that have them, the table holds the aims, and why rows miss them or stay far from their floor.
sed 's/"device": "[^"]*"/"device": "NVIDIA H200 (card 0)"/' bench.json >card.json
mkdir tables
cp "$source_folder/bench/table.py" tables
echo '{"NVIDIA H200": {"256": {"direct 3x3": 1e-9, "direct 5x5": 1e9}}}' >tables/targets.json
echo '{"NVIDIA H200": {"direct 3x3": {"bound": "issue slots 99 % busy", "ms": 1e9}}}' >tables/bounds.json
python3 tables/table.py card.json >out 2>err || report "table.py failed on a card's document"
expect_in out "| target |" "1e-09 missed" "| 1e+09 |" "issue slots 99 % busy (counters of a run of 1000000000 ms)" "no counters read" "; the rest"

# The policy tables stand where tune.py looks for them, and the program that it runs times and checks rows.
what="bench/tune.py list"
python3 "$source_folder/bench/tune.py" list >out 2>err || report "tune.py does not find a policy table"
expect_in out direct_march separable_march
rows=$(dirname "$reber")/../bench/reber_bench_rows
if [ -x "$rows" ]; then
  what="bench/tune.py auto"
  python3 "$source_folder/bench/tune.py" auto --rows "$rows" --backend cpu --size 256 --runs 1 >out 2>err || report "tune.py auto failed"
  expect_in out "auto takes" "measured / predicted"
  what="reber_bench_rows"
  "$rows" --backend reference --check 200 "direct 5x5" "mesh 64 px" "clip to convergence" >out 2>err || report "the check failed"
  checks=$((checks + 1))
  [ "$(grep -c '"agrees":true' out)" = 3 ] || report "three rows agree"
  "$rows" --backend cpu "direct 4x4" >out 2>err && report "a row that does not exist was timed"
fi

# Peers, where one is installed: the same work must have the same result.
if python3 -c 'import numpy, scipy' 2>/dev/null; then
  what="bench/peers.py"
  checks=$((checks + 1))
  python3 "$source_folder/bench/peers.py" --bench bench.json --sky bench_sky.fits --libraries scipy --repeat 1 \
    --json peers.json --markdown peers.md >out 2>err || report "peers.py failed"
  expect_json peers.json 'sum("ms" in r["peers"]["scipy"] for r in d["rows"] if "peers" in r) > 15'
  expect_json peers.json 'all(r["peers"]["scipy"]["agrees"] for r in d["rows"] if "peers" in r)'
fi

finish
