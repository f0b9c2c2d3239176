#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two viewers at once keep a copy of their session each: what runs is not offered, what was killed is, and what was asked
# to end (SIGTERM) ends cleanly and keeps its state.
#   recovery_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
running=()
finish() {
  for process in "${running[@]}"; do kill -9 "$process" 2> /dev/null || true; done
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
export XDG_STATE_HOME=$folder/state
cp "$data/galactic_plane_150mhz.fits" sky.fits
cp "$data/dirac_grid.fits" grid.fits
frame() { xvfb-run -a -s "-screen 0 800x600x24 -noreset" "$@"; }
# A viewer that stays open. Its number, not that of the display's server, goes into the file.
start() {
  frame sh -c 'echo $$ > "$1"; shift; exec "$@"' sh "$1.pid" "$view" --backend cpu --scale 1 --width 800 --height 600 \
    --settings "$1.json" "$1.fits" > "$1.log" 2>&1 &
  for _ in $(seq 300); do
    [ -s "$1.pid" ] && ls state/reber/session-"$(cat "$1.pid")".1 > /dev/null 2>&1 && break
    sleep 0.1
  done
  running+=("$(cat "$1.pid")")
  [ -s "state/reber/session-$(cat "$1.pid").1" ] || { echo "$1 keeps no copy of its session" >&2; exit 1; }
}
play() {
  frame "$view" --backend cpu --scale 1 --width 800 --height 600 --settings other.json --script "$1"
}

start sky
start grid
cat > none.steps << 'STEPS'
wait 5
expect panels.session != true
STEPS
play none.steps
[ -s "state/reber/session-$(cat sky.pid).1" ] && [ -s "state/reber/session-$(cat grid.pid).1" ]

# Killed: its copy is offered, that of the one that runs is not; closed without an answer, it is offered again.
kill -9 "$(cat sky.pid)"
while kill -0 "$(cat sky.pid)" 2> /dev/null; do sleep 0.1; done
running=("$(cat grid.pid)")
cat > seen.steps << 'STEPS'
wait 5
expect panels.session == true
shown session.restore.0
hidden session.restore.1
STEPS
play seen.steps
cat > back.steps << 'STEPS'
wait 5
click session.restore.0
wait 5
expect documents.length == 1
expect documents.0.title ~ sky.fits
STEPS
play back.steps
play none.steps

# Asked to end: cleanly, and what was open is kept.
kill -TERM "$(cat grid.pid)"
for _ in $(seq 100); do kill -0 "$(cat grid.pid)" 2> /dev/null || break; sleep 0.1; done
if kill -0 "$(cat grid.pid)" 2> /dev/null; then echo "SIGTERM does not end the viewer" >&2; exit 1; fi
running=()
[ -s grid.json ] || { echo "SIGTERM: the settings were not written" >&2; exit 1; }
sed 's/sky/grid/' back.steps > grid.steps
play grid.steps
play none.steps

# What was changed a moment before SIGTERM is in the copy.
cat > changed.steps << 'STEPS'
open sky.fits
settle
key i
wait 2
expect documents.0.render.invert == true
dump changed.json
pause 50
STEPS
frame sh -c 'echo $$ > changed.pid; exec "$@"' sh "$view" --backend cpu --scale 1 --width 800 --height 600 \
  --settings changed.settings --script changed.steps > changed.log 2>&1 &
for _ in $(seq 300); do [ -s changed.json ] && break; sleep 0.1; done
running=("$(cat changed.pid)")
kill -TERM "$(cat changed.pid)"
for _ in $(seq 100); do kill -0 "$(cat changed.pid)" 2> /dev/null || break; sleep 0.1; done
running=()
cat > kept.steps << 'STEPS'
wait 5
click session.restore.0
settle
expect documents.0.render.invert == true
STEPS
play kept.steps
[ -z "$(ls state/reber)" ] || { ls state/reber >&2; exit 1; }
