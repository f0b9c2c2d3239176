#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The viewer served to browsers, without a display: who is refused, hostile frames, two browsers, a lost line, folders;
# the page in a headless Chromium where there is one; scripts of the window off the screen.
#   browser_test.sh REBER REBER_VIEW
set -euo pipefail
view=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
sample=$here/../../sample_data/galactic_plane_150mhz.fits
folder=$(mktemp -d)
trap 'kill "${server:-}" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
export XDG_STATE_HOME=$folder/state XDG_CONFIG_HOME=$folder/config
unset DISPLAY
mkdir -p seen hidden
cp "$sample" seen/sky.fits
cp "$sample" hidden/other.fits
ln -s ../hidden/other.fits seen/link.fits

serve() {  # ARGUMENT...: leaves $server and $address
  "$view" --browser --backend cpu "$@" > out 2> err &
  server=$!
  for _ in $(seq 100); do
    address=$(grep -o 'http://127[^ ]*' out || true)
    [ -n "$address" ] && return
    kill -0 "$server" 2> /dev/null || { cat err >&2; exit 1; }
    sleep 0.1
  done
  echo "no address was printed" >&2
  exit 1
}

serve --no-settings --folder seen seen/sky.fits
port=$(sed 's|.*127.0.0.1:\([0-9]*\)/.*|\1|' <<< "$address")
# Loopback alone: /proc/net/tcp holds addresses as hexadecimal numbers.
listening=$(printf ':%04X 00000000:0000 0A' "$port")
grep -q "0100007F$listening" /proc/net/tcp
if grep "$listening" /proc/net/tcp | grep -qv 0100007F; then echo "it listens to more than loopback" >&2; exit 1; fi
timeout 200 python3 "$here/browser.py" "$address" "$folder/seen"
if "$view" --browser --no-settings --port "$port" > taken 2>&1; then echo "one port was served twice" >&2; exit 1; fi
grep -q "port $port" taken

chromium=$(command -v chromium || true)
if [ -n "$chromium" ]; then
  for budget in 8000 40000 120000; do  # the page's clock runs ahead of the server's
    timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --window-size=1280,800 --virtual-time-budget=$budget \
      --user-data-dir="$folder/profile" --dump-dom "$address" > dom 2> chromium.err || true
    if grep -q 'id="opening" class="gone"' dom; then break; fi
  done
  grep -q 'id="opening" class="gone"' dom || { echo "the page drew no frame" >&2; tail -c 2000 dom >&2; exit 1; }
else
  echo "no chromium: the page itself is not tried"
fi
kill "$server"
wait "$server" || true
if grep -q "${address##*token=}" err; then echo "the token stands in the log" >&2; exit 1; fi

# The same scripts as of the window, off the screen; and the folders that are seen.
cat > folders.steps << 'STEPS'
settle
expect documents.0.loading == false
open seen/link.fits
settle
expect documents.1.error ~ outside
open hidden/other.fits
settle
expect documents.2.error ~ outside
STEPS
cp folders.steps seen/
sed -i 's| seen/| |; s|hidden/|../hidden/|' seen/folders.steps
timeout 100 "$view" --browser --backend cpu --no-settings --folder seen --scale 1 --script "$folder/seen/folders.steps" seen/sky.fits
timeout 200 "$view" --browser --backend cpu --no-settings --scale 1 --width 1280 --height 800 \
  --script "$here/ds9_session.steps"
