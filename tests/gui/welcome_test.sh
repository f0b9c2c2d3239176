#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A first minute: without a file the sample field is shown, with hints and recent files; with one it is left alone.
#   welcome_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
process=
finish() {
  [ -z "$process" ] || kill -9 "$process" 2> /dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
export XDG_STATE_HOME=$folder/state
cp "$data/dirac_grid.fits" grid.fits
frame() { xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$@"; }
size=(--backend cpu --scale 1 --width 1280 --height 800)
cat > steps << 'STEPS'
wait 3
shown welcome.open
shown welcome.sample
open grid.fits
settle
expect documents.length == 1
key Ctrl+w
wait 3
shown welcome.recent.0
action panel.welcome
wait 3
click welcome.recent.0
settle
expect documents.0.title ~ grid.fits
click welcome.sample
settle
expect documents.1.title ~ galactic_plane
hidden welcome.sample
click welcome.run.start
until documents.1.result.sources > 50
key Esc
wait 3
hidden welcome.open
STEPS
frame "$view" "${size[@]}" --settings settings.json --script steps
# By hand, without a file: the copy of the session tells what is open.
frame sh -c 'echo $$ > pid; exec "$@"' sh "$view" "${size[@]}" --settings by_hand.json &
for _ in $(seq 300); do
  [ -s pid ] && grep -qs galactic_plane_150mhz "state/reber/session-$(cat pid).1" && break
  sleep 0.1
done
process=$(cat pid)
grep -q galactic_plane_150mhz "state/reber/session-$process.1"
kill -TERM "$process"
for _ in $(seq 100); do kill -0 "$process" 2> /dev/null || break; sleep 0.1; done
if kill -0 "$process" 2> /dev/null; then exit 1; fi
process=
# Nobody chose the sample: it is no recent file.
[ -s by_hand.json ]
if grep -q galactic_plane by_hand.json; then exit 1; fi
