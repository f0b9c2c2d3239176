#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the source archive: make_source.sh FOLDER [PYTHON]. The commit's tracked files, all as old as the commit, in the
# shape that pip asks of a source distribution. PYTHON has the package `build` (pip install build).
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
python=$(command -v "${2:-python3}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
git archive HEAD | tar -x -C "$work"
"$python" -m build --sdist --outdir "$out" "$work"
