#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A card that failed is had back: opened again where it only lacked memory, else by a viewer that begins anew with what was
# open, the session's file included. The card is a fake one.
#   REBER_FAKE_CARD=PROGRAM card_test.sh
set -euo pipefail
fake=${REBER_FAKE_CARD:?names the viewer on a fake card}
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_STATE_HOME=$folder/state
cp "$data/galactic_plane_150mhz.fits" sky.fits
play() { timeout 200 xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$fake" sky.fits settings.json fault "$1" "$2"; }
begin() {
  cat << 'STEPS'
settle
expect card_failure !~ cuda
hidden device.again
key Enter
until card_failure ~ cuda
expect notice ~ The card failed, and the processor goes on
until documents.0.result.sources > 50
settle
expect documents.0.result.device ~ in place of the card, which failed
STEPS
}
echo memory > fault
{
  begin
  cat << 'STEPS'
expect card_failure ~ cudaErrorMemoryAllocation
action run.take_card_back
wait 2
until documents.0.result.device !~ in place of
settle
expect card_failure !~ cuda
expect documents.0.result.sources > 50
STEPS
} > memory.steps
echo "expect card_failure == the viewer began anew" > never.steps
play memory.steps never.steps
# With colours, a filter and a session's file of its own, which the one that begins anew has too.
echo broken > fault
{
  begin
  cat << 'STEPS'
expect card_failure ~ cudaErrorIllegalAddress
action panel.device
wait 3
shown device.again
screenshot failed.png
wait 1
key i
click panel.sources
wait 2
click sources.filter
wait 2
type SNR > 10
wait 3
click sources.row.1
wait 2
key Ctrl+Shift+s
wait 3
click session.path
wait 2
key Ctrl+a
type mine.reber.json
click session.save
wait 2
key Esc
wait 2
key y
wait 2
click device.again
wait 2
STEPS
} > broken.steps
cat > anew.steps << 'STEPS'
wait 5
settle
expect panels.session != true
expect documents.length == 1
expect documents.0.title ~ sky.fits
until documents.0.result.sources > 50
settle
expect card_failure !~ cuda
expect documents.0.result.device !~ in place of
expect documents.0.render.invert == true
expect documents.0.table.filter == SNR > 10
key Ctrl+s
wait 2
expect notice ~ Session saved to mine.reber.json
screenshot anew.png
wait 1
STEPS
play broken.steps anew.steps | tee said
[ "$(grep -c 'steps played' said)" -eq 2 ] || { echo "it did not begin anew" >&2; exit 1; }
[ -z "$(ls state/reber)" ] || { ls state/reber >&2; exit 1; }
[ -z "${KEEP:-}" ] || cp ./*.png "$KEEP"
echo card
