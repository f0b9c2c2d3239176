#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# FITS in forms that CFITSIO reads, and verify --against cfitsio.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
cpu=(--backend cpu)
cat >pack.py <<'END'
import sys
def compressed(data, most=16):
    """As compress(1) writes it: codes of 9 bits and more, in groups of eight, widened once the table is full."""
    out, table, free, width = bytearray(b"\x1f\x9d" + bytes([0x80 | most])), {bytes([i]): i for i in range(256)}, 257, 9
    group, word = [], b""
    def flush():
        number = sum(code << i * width for i, code in enumerate(group))
        out.extend(number.to_bytes((width * len(group) + 7) // 8, "little"))
        group.clear()
    for byte in data:
        longer = word + bytes([byte])
        if longer in table:
            word = longer
            continue
        group.append(table[word])
        if len(group) == 8: flush()
        if free > (1 << width) - 1 and width < most:
            if group: group.extend([0] * (8 - len(group))); flush()
            width += 1
        if free < 1 << most:
            table[longer] = free
            free += 1
        word = bytes([byte])
    group.append(table[word])
    flush()
    return bytes(out)
open(sys.argv[2], "wb").write(compressed(open(sys.argv[1], "rb").read()))
END
run simulate sky.fits --size 200 --blank-corners "${cpu[@]}"
python3 pack.py sky.fits sky.fits.Z || exit 1
run find sky.fits -o plain.csv "${cpu[@]}"
run find sky.fits.Z -o packed.csv "${cpu[@]}"
expect_status 0
expect_same plain.csv packed.csv
head -c 20000 sky.fits.Z >cut.fits.Z
run info cut.fits.Z "${cpu[@]}"
expect_status 3
expect_in err cut.fits.Z

run verify sky.fits --against cfitsio --json judged.json "${cpu[@]}"
expect_status 0
expect_in out "own reader" "CFITSIO" "all 5 checks hold"
expect_json judged.json 'd["against"].startswith("CFITSIO") and d["passed"] and len(d["checks"]) == 5'

finish
