#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --trace: a timeline that Chrome's viewer takes, of every kind of work, and no other output because of it.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 300 300 --sources 20 --seed 3 --backend cpu
expect_status 0
run run sky.fits -o results --backend cpu
expect_status 0
mv results plain
echo old >trace.json
run run sky.fits -o results --backend cpu --trace trace.json --overwrite
expect_status 0
checks=$((checks + 1))
# Reports hold times.
diff -rq -x '*.json' -x '*.jsonl' plain results >err || report "another output because of --trace"

checks=$((checks + 1))
python3 - trace.json >out 2>err <<'EOF' || report "not the timeline that was expected"
import json, sys
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] != "M"]
open_of, names, last = {}, {}, {}
for event in events:
    row = event["tid"]
    assert event["ts"] >= last.get(row, 0), f"{event} goes back in time"
    last[row] = event["ts"]
    if event["ph"] == "B":
        open_of.setdefault(row, []).append(event["name"])
        names.setdefault(event["cat"], set()).add(event["name"])
    else:
        assert event["ph"] == "E" and open_of[row], f"{event} ends nothing"
        open_of[row].pop()
assert not any(open_of.values()), f"left open: {open_of}"
assert {"read", "background", "detect", "measure", "fit", "write"} <= names["stage"], names["stage"]
assert "read" in names["read"] and "open a backend" in names["host"] and "code tiles" in names["host"], names
assert {"commit", "sync a file", "picture", "catalogues", "labels"} <= names["write"], names["write"]
assert "render" in names["copy"], names["copy"]
assert sum(e["ph"] == "B" and e["name"] == "sync a file" for e in events) == 11, "eleven files are synced"
EOF

# A run that fails leaves its timeline too; a trace that cannot be written is told.
run find missing.fits -o a.csv --backend cpu --trace failed.json
expect_status 3
expect_in failed.json '"open a backend"'
run find sky.fits -o b.csv --backend cpu --fit none --trace no/such/folder.json
expect_status 3
expect_in err "no/such/folder.json"
finish
