#!/usr/bin/env bash
# A picture of the view is made over several frames: the window answers all the while, the file is whole, and what is
# wrong with its name is told once it is known.
#   export_test.sh REBER REBER_VIEW
set -euo pipefail
view=$2
data=$(cd "$(dirname "$0")/../../sample_data" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > steps << STEPS
open $data/galactic_plane_150mhz.fits
settle
click pipeline.run
until documents.0.result.sources > 50
settle
expect export.busy == false
key Ctrl+e
wait 3
click export.path
wait 2
key Ctrl+a
type $folder/view.png
drag export.scale 0.5 0.5 to export.scale 1.0 0.5
wait 2
click export.write
until export.busy == true
hidden export.write
shown export.busy
# Frames go on: the cursor is followed while the picture is under way.
move canvas 0.32 0.2
wait 1
expect cursor.on_image == true
settle
expect export.busy == false
expect export.frames > 3
hidden export.busy
expect notice ~ Picture written
# The file exists: the dialog stays and says so.
key Ctrl+e
wait 3
click export.write
wait 6
settle
expect export.busy == false
shown export.write
STEPS
xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script steps
[ "$(head -c 4 view.png | tail -c 3)" = PNG ]
[ "$(tail -c 8 view.png | head -c 4)" = IEND ]
