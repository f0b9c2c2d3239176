#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The copied command finds the sources that the viewer shows: its catalogue has the rows that the table exports. Of a name
# with blanks and quotes, a plane of a cube, parameters that differ, a convolved image, extended sources.
#   command_test.sh REBER REBER_VIEW
set -euo pipefail
reber=$1 view=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin "it's a field"
ln -s "$reber" bin/reber
PATH=$folder/bin:$PATH
"$reber" simulate sky.fits --scene galactic_plane --size 500 --seed 5 --backend cpu --quiet
cp sky.fits "it's a field/my \"sky\" \$HOME.fits"
play() { xvfb-run -a -s "-screen 0 1280x800x24 -noreset" "$view" --backend cpu --scale 1 --width 1280 --height 800 --script "$@"; }
# NAME IMAGE [ARGUMENTS]: runs what is shown, exports NAME.seen.csv, and pastes the command into NAME.json.
seen() {
  local name=$1 image=$2
  shift 2
  cat > "$name.steps" << STEPS
settle
key Enter
until documents.0.result.sources > 5
settle
click panel.sources
wait 2
click sources.export
wait 2
click sources.export.path
wait 2
key Ctrl+a
type $folder/$name.seen.csv
click sources.export.write
wait 2
expect notice ~ written to
action run.copy_command
wait 2
expect notice ~ Copied
click sources.filter
wait 2
key Ctrl+a
key Ctrl+v
wait 2
dump $name.json
STEPS
  play "$name.steps" "$image" "$@"
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["documents"][0]["table"]["filter"])' "$name.json" \
    > "$name.sh"
}
rows() { grep -v '^#' "$1"; }
# NAME CATALOGUE: the command is run in a folder of its own.
same() {
  mkdir "$1.run"
  (cd "$1.run" && bash "../$1.sh" > /dev/null 2> errors) || { cat "$1.sh" "$1.run/errors" >&2; exit 1; }
  cmp <(rows "$1.seen.csv") <(rows "$1.run/$2") || { cat "$1.sh" >&2; exit 1; }
}
seen plain "it's a field/my \"sky\" \$HOME.fits" --threshold 6 --flood 3.5 --no-deblend --box 60 --scales 0,4
grep -q -- '--threshold=6 ' plain.sh
same plain 'my "sky" $HOME_sources.csv'
seen convolved sky.fits --kernel gaussian:4 --negative --fit moments
same convolved sky_results/sky.csv
# The defaults are left out.
seen short sky.fits
[ "$(cat short.sh)" = "reber find $folder/sky.fits -o sky_sources.csv --backend=cpu" ]
same short sky_sources.csv
# A plane of a cube.
python3 - << 'PYTHON'
import re
card = lambda text: text.ljust(80).encode()
raw = open("sky.fits", "rb").read()
head_end = next(i for i in range(0, len(raw), 2880) if any(raw[j:j + 8] == b"END     " for j in range(i, i + 2880, 80))) + 2880
cards = [raw[i:i + 80] for i in range(0, head_end, 80)]
cards = [c for c in cards if c.strip() and c[:8] not in (b"END     ", b"DATASUM ", b"CHECKSUM")]
cards = [card("NAXIS   =                    3") if c.startswith(b"NAXIS   ") else c for c in cards]
at = next(i for i, c in enumerate(cards) if c.startswith(b"NAXIS2")) + 1
cards.insert(at, card("NAXIS3  =                    2"))
head = b"".join(cards) + card("END")
head += b" " * (-len(head) % 2880)
pixels = raw[head_end:head_end + 500 * 500 * 4]
data = pixels[::-1][:0] + bytes(len(pixels)) + pixels
open("cube.fits", "wb").write(head + data + bytes(-len(data) % 2880))
PYTHON
seen cube cube.fits --plane 1
grep -q -- '--plane=1' cube.sh
same cube cube_sources.csv
echo commands
