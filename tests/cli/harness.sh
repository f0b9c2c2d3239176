# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of the command line: a scratch folder, and checks that name what they expected.
# Each test gets the program as $1, the source folder as $2 and the folder of real images, or nothing, as $3.
# shellcheck shell=bash disable=SC2034
set -uo pipefail
reber=$(realpath "$1")
source_folder=$(realpath "$2")
sample_data=$source_folder/sample_data
data=${REBER_TEST_DATA:-${3:-}}  # of real images; empty: none
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
checks=0

# Runs reber; leaves $status, the files out and err.
run() {
  status=0
  "$reber" "$@" >out 2>err </dev/null || status=$?
  what="reber $*"
}

# Arrays are made or read here: the test is skipped (77) where no Python has NumPy.
needs_numpy() { python3 -c 'import numpy' 2>/dev/null || { echo "SKIP: python3 has no NumPy"; exit 77; }; }

# A sanitizer has need of memory, addresses, descriptors and processes itself: a build with one has no library of faults.
plain_build() { [ -n "${REBER_FAULTS:-}" ]; }

# From here on programs run under strace, where a sanitizer cannot look for leaks.
no_leak_check() { export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"; }

report() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n  %s\n' "$what" "$1"
  sed 's/^/  out: /' out | head -n 20
  sed 's/^/  err: /' err | head -n 20
}

expect_status() {
  checks=$((checks + 1))
  [ "$status" -eq "$1" ] || report "expected exit code $1, got $status"
}

expect_in() {  # FILE TEXT...
  local file=$1 text
  shift
  for text in "$@"; do
    checks=$((checks + 1))
    grep -qF -- "$text" "$file" || report "expected '$text' in $file"
  done
}

expect_not_in() {
  checks=$((checks + 1))
  if grep -qF -- "$2" "$1"; then report "did not expect '$2' in $1"; fi
}

expect_empty() {
  checks=$((checks + 1))
  [ ! -s "$1" ] || report "expected nothing in $1"
}

expect_same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" || report "expected $1 and $2 to be the same"
}

# expect_same_but_levels A B: two catalogues whose rows are the same, but for errors of fluxes that in B, made with the
# maps of A's run, know nothing of the errors of levels under sources.
expect_same_but_levels() {
  checks=$((checks + 1))
  python3 - "$1" "$2" <<'END' || report "expected $1 and $2 to hold the same rows, and errors of fluxes no larger in $2"
import csv, sys
a, b = ([row for row in csv.DictReader(line for line in open(path) if line[0] != "#")] for path in sys.argv[1:])
errors = ("E_Total_flux", "E_Peak_flux")
def rest(rows): return [{name: value for name, value in row.items() if name not in errors} for row in rows]
larger = [row for row, other in zip(a, b) for name in errors if not float(other[name]) <= float(row[name])]
sys.exit(len(a) == 0 or rest(a) != rest(b) or bool(larger))
END
}

# expect_same_pixels A B: two plain FITS files whose primary images have the same bytes.
expect_same_pixels() {
  checks=$((checks + 1))
  python3 - "$1" "$2" <<'END' || report "expected $1 and $2 to hold the same pixels"
import sys
def pixels(path):
    data, cards = open(path, "rb").read(), {}
    for at in range(0, len(data), 80):
        card = data[at:at + 80].decode()
        cards[card[:8].strip()] = card[10:30].strip()
        if card.startswith("END "):
            begin = (at // 2880 + 1) * 2880
            size = abs(int(cards["BITPIX"])) // 8
            for axis in range(int(cards["NAXIS"])):
                size *= int(cards["NAXIS%d" % (axis + 1)])
            return data[begin:begin + size]
a, b = (pixels(path) for path in sys.argv[1:])
sys.exit(not a or a != b)
END
}

expect_file() {
  local file
  for file in "$@"; do
    checks=$((checks + 1))
    [ -s "$file" ] || report "expected a file $file"
  done
}

expect_no_file() {
  local file
  for file in "$@"; do
    checks=$((checks + 1))
    [ ! -e "$file" ] || report "expected no file $file"
  done
}

expect_json() {  # FILE [PYTHON EXPRESSION over d]
  checks=$((checks + 1))
  python3 -c '
import json, sys
def refuse(name):
    raise ValueError(name)
d = json.load(open(sys.argv[1]), parse_constant=refuse)
assert eval(sys.argv[2]), sys.argv[2]' "$1" "${2:-True}" 2>>err || report "expected JSON in $1 with ${2:-any content}"
}

finish() {
  printf '%d checks, %d failed\n' "$checks" "$failures"
  [ "$failures" -eq 0 ]
  exit
}
