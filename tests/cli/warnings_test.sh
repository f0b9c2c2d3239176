#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What could go wrong without a word is said: no unit, pixels of 64 bits, old names of options, too large an image.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

cpu=(--backend cpu)
run simulate sky.fits --size 64 --sources 2 --seed 3 "${cpu[@]}"
expect_status 0
cat >make.py <<'PY'
import struct
data = open("sky.fits", "rb").read()
open("unitless.fits", "wb").write(data.replace(b"BUNIT   = ", b"COMMENT   ", 1))
at = data.index(b"END" + b" " * 77)
start = (at + 80 + 2879) // 2880 * 2880
pixels = struct.unpack(">4096f", data[start:start + 4096 * 4])
wide = struct.pack(">4096d", *pixels)
head = data[:start].replace(b"BITPIX  =                  -32", b"BITPIX  =                  -64", 1)
for name in (b"CHECKSUM", b"DATASUM "):
    head = head.replace(name + b"= ", b"COMMENT   ", 1)
open("double.fits", "wb").write(head + wide + bytes(-len(wide) % 2880))
cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
         "NAXIS1  =                40000", "NAXIS2  =                40000", "END"]
with open("large.fits", "wb") as file:
    file.write("".join(card.ljust(80) for card in cards).encode().ljust(2880))
    file.truncate(2880 + (40000 * 40000 * 4 + 2879) // 2880 * 2880)
PY
python3 make.py

run find unitless.fits "${cpu[@]}"
expect_status 0
expect_in err "no BUNIT" --unit
expect_in out "peak image unit"
expect_not_in out "+- 0.000 "
expect_not_in out "- +- -"
run find unitless.fits --unit Jy/beam "${cpu[@]}"
expect_status 0
expect_not_in err BUNIT
run find sky.fits "${cpu[@]}"
expect_status 0
expect_empty err
expect_not_in out "64 bits"
run find double.fits "${cpu[@]}" -o double.csv
expect_status 0
expect_in out "64 bits" "7 digits"
expect_empty err

run convolve sky.fits old.fits --beam 100,100,0 "${cpu[@]}"
expect_status 0
expect_in err --to-beam --image-beam
run convolve sky.fits new.fits --to-beam 100,100,0 "${cpu[@]}"
expect_status 0
expect_empty err
run smooth sky.fits --beam 100,100,0 "${cpu[@]}" -o .
expect_status 0
expect_in err --to-beam

# What a file of options says that is none.
printf '[find]\ntreshold = 7\n' >odd.toml
run find sky.fits --config odd.toml "${cpu[@]}"
expect_status 2
expect_in err "sets 'treshold'" "no option of 'reber find'" "did you mean 'threshold'?"
printf '[find]\nnegative = "perhaps"\n' >odd.toml
run find sky.fits --config odd.toml "${cpu[@]}"
expect_status 2
expect_in err "--negative: 'perhaps' is neither true nor false"

# From the plan, before the work.
run find sky.fits --dry-run "${cpu[@]}"
expect_status 0
expect_in out memory "may be used"
plain_build || finish
for words in "find large.fits" "find large.fits --dry-run"; do
  what="reber $words --backend reference under ulimit -v"
  status=0
  # shellcheck disable=SC2086
  (ulimit -v 4000000; exec "$reber" $words --backend reference) >out 2>err || status=$?
  expect_status 4
  expect_in err "40000 x 40000" MiB "--backend cpu"
done
what="reber find large.fits --dry-run under ulimit -v"
status=0
(ulimit -v 4000000; exec "$reber" find large.fits --dry-run "${cpu[@]}" --threads 1) >out 2>err || status=$?
expect_status 0
expect_in out "read from the file in bands"
finish
