#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The viewer sends image and table to programs beside it, through a hub that writes down what it is told; without a hub it
# says so.
#   send_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
hub=
trap '[ -z "$hub" ] || kill "$hub"; rm -rf "$folder"' EXIT
cd "$folder"
mkdir tmp
export TMPDIR=$folder/tmp
cp "$root/sample_data/galactic_plane_150mhz.fits" 'sky%20field.fits'
# SCRIPT
play() { xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$1"; }

export SAMP_HUB=std-lockurl:file://$folder/nowhere.samp
cat > alone.steps << 'STEPS'
open sky%20field.fits
settle
# From the menu, without a hub: the dialog comes and says what to do.
hidden send.error
action samp.image
settle
wait 3
shown send.error
expect panels.send == true
key Esc
wait 2
hidden send.error
# The dialog looks for programs by itself.
action panel.send
wait 3
settle
shown send.error
shown send.to
STEPS
play alone.steps

python3 "$root/tests/support/samp_hub.py" plain 2> hub.err &
hub=$!
for _ in $(seq 200); do [ ! -s plain.samp ] || break; sleep 0.1; done
export SAMP_HUB=std-lockurl:file://$folder/plain.samp
cat > sent.steps << 'STEPS'
open sky%20field.fits
settle
action samp.image
settle
wait 3
until notice ~ sky%20field.fits sent to Aladin & co <3>
key Enter
until documents.0.result.sources > 50
settle
click sources.filter
wait 2
type SNR > 30
settle
action panel.send
wait 3
settle
click send.to
wait 3
click send.to.TOPCAT
wait 3
click send.table
settle
wait 3
until notice ~ sky%20field_sources.vot sent to TOPCAT
hidden send.table
# What the program of the list cannot take is said.
action panel.send
wait 3
settle
click send.to
wait 3
click send.to.TOPCAT
wait 3
click send.image
settle
wait 3
shown send.error
key Esc
wait 2
action samp.table
settle
wait 3
until notice ~ sent to TOPCAT, Aladin & co <3>
pause 3
STEPS
play sent.steps &
player=$!
# The table is read while the viewer runs, as a program would.
table=
for _ in $(seq 600); do
  table=$(find tmp -name '*_sources.vot' | head -n 1)
  [ -z "$table" ] || break
  sleep 0.1
done
[ -n "$table" ]
[ "$(stat -c %a "$(dirname "$table")")" = 700 ]
cp "$table" table.vot
wait "$player"
python3 - << 'CHECK'
import json, re, urllib.parse
told = [c for c in json.load(open("told.json")) if c[0] == "notify"]
heard = [(c[2], c[3]["samp.mtype"], urllib.parse.unquote(c[3]["samp.params"]["url"])) for c in told]
assert [h[:2] for h in heard] == [("c2", "image.load.fits"), ("c1", "table.load.votable"), ("c1", "table.load.votable"),
                                  ("c2", "table.load.votable")], heard
assert heard[0][2].endswith("/sky%20field.fits") and all(h[2].endswith("/sky%20field_sources.vot") for h in heard[1:]), heard
rows = len(re.findall("<TR>", open("table.vot").read()))
assert 3 < rows < 50, f"the filter's rows alone were expected, not {rows}"
CHECK
[ -z "$(find tmp -name '*.vot')" ]  # gone with the viewer
echo sent
