# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts of the viewer: a folder of its own, play FILE for steps on a window, and steps that many need.
# PICTURES=FOLDER keeps the screenshots; SCREEN=WxH is the window's size.
# shellcheck shell=bash
set -euo pipefail
# shellcheck disable=SC2034
reber=$1 view=$2
# shellcheck disable=SC2034
here=$(cd "$(dirname "$0")" && pwd)
screen=${SCREEN:-1280x800}
folder=$(mktemp -d)
trap '[ -z "${PICTURES:-}" ] || cp "$folder"/*.png "$PICTURES"; rm -rf "$folder"' EXIT
cd "$folder"
play() {
  xvfb-run -a -s "-screen 0 ${screen}x24 -noreset" "$view" --backend cpu --scale 1 --width "${screen%x*}" \
    --height "${screen#*x}" --script "$1"
}
session_saved() {  # NAME   the steps that save the session under it
  printf '%s\n' "key Ctrl+Shift+s" "wait 3" "click session.path" "wait 2" "key Ctrl+a" "type $1" "click session.save" "wait 2" \
    "expect notice ~ Session saved"
}
