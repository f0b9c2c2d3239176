#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Processes that meet in one folder: each image is done once, records stay, and a process that is killed leaves its work
# to the others.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu -q --threads 1 --products csv)
images=12
for ((i = 0; i < images; ++i)); do
  run simulate "s$i.fits" --size 120 --sources 4 --seed "$i" --backend cpu -q
  expect_status 0
done
run run s*.fits -o alone "${cpu[@]}"
expect_status 0

# Images with a record, and how often one was done at least and at most.
records() {
  python3 - "$1" <<'PY'
import json, sys
done = {}
for line in open(sys.argv[1] + "/batch.jsonl"):
    record = json.loads(line)
    done[record["path"]] = done.get(record["path"], 0) + (record["exit_code"] == 0)
print(len(done), min(done.values()), max(done.values()))
PY
}
wait_for() {
  status=0
  wait "$1" || status=$?
}

started=()
for _ in 1 2 3 4 5 6 7 8; do
  "$reber" run s*.fits -o met --resume "${cpu[@]}" >/dev/null 2>>met.err &
  started+=($!)
done
what="eight processes in one folder"
for process in "${started[@]}"; do
  wait_for "$process"
  expect_status 0
done
checks=$((checks + 1))
[ "$(records met)" = "$images 1 1" ] || report "expected $images images done once each: $(records met) $(cat met.err)"
expect_same met/catalogue.csv alone/catalogue.csv
expect_no_file met/.reber-leases

# One that is killed: the other does its image, at once.
"$reber" run s*.fits -o killed --resume "${cpu[@]}" >/dev/null 2>&1 &
victim=$!
"$reber" run s*.fits -o killed --resume "${cpu[@]}" >/dev/null 2>err &
other=$!
for ((i = 0; i < 400; ++i)); do
  holders=(killed/.reber-leases/process.*)
  [ "${#holders[@]}" -lt 2 ] || break
  sleep 0.002
done
kill -KILL "$victim"
wait "$victim" 2>/dev/null
what="a process whose companion is killed"
wait_for "$other"
expect_status 0
expect_same killed/catalogue.csv alone/catalogue.csv
# Its leases go with the companion, or with the next run where the companion had ended before.
run run s*.fits -o killed --resume "${cpu[@]}"
expect_status 0
expect_no_file killed/.reber-leases

# One that is stopped before its first image takes no records away.
"$reber" run s*.fits -o stopped --resume "${cpu[@]}" >/dev/null 2>&1 &
other=$!
"$reber" run s*.fits -o stopped --resume "${cpu[@]}" >/dev/null 2>&1 &
first=$!
sleep 0.05
kill -INT "$first"
wait "$first"
what="a process whose companion is stopped at once"
wait_for "$other"
expect_status 0
checks=$((checks + 1))
[ "$(records stopped | cut -d' ' -f1)" = "$images" ] || report "expected records of $images images: $(records stopped)"
finish
