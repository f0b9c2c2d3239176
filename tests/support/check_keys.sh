#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The manual's table of keys is the program's own.   check_keys.sh REBER-VIEW docs/viewer.md
set -u
table=$("$1" --keys) || exit 1
[ -n "$table" ] || { echo "reber-view --keys prints nothing"; exit 1; }
written=$(sed -n '/<!-- keys: begin -->/,/<!-- keys: end -->/p' "$2" | sed '1d;$d')
if ! diff <(printf '%s\n' "$written") <(printf '%s\n' "$table"); then
  echo "docs/viewer.md: replace its table of keys by the output of: reber-view --keys"
  exit 1
fi
