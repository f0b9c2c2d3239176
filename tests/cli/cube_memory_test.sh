#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber cube: memory does not grow with the number of planes, by sparse cubes of 256 KiB a plane.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
command -v python3 >/dev/null || { echo "python3 is needed"; exit 77; }
plain_build || { echo "a sanitizer keeps memory of its own"; exit 77; }

cat >make.py <<'E2'
import os, subprocess, sys
def card(key, value): return ("%-8s= %20s" % (key, value)).ljust(80)
def make(name, planes):
    keys = {"SIMPLE": "T", "BITPIX": -32, "NAXIS": 3, "NAXIS1": 512, "NAXIS2": 128, "NAXIS3": planes, "CTYPE1": "'RA---SIN'", "CTYPE2": "'DEC--SIN'",
            "CTYPE3": "'VRAD'", "CRVAL1": 10.0, "CRVAL2": 0.0, "CRPIX1": 256.0, "CRPIX2": 64.0, "CDELT1": -0.001, "CDELT2": 0.001, "CRVAL3": 0.0,
            "CRPIX3": 1.0, "CDELT3": 1000.0, "CUNIT3": "'m/s'", "BUNIT": "'Jy/beam'", "BMAJ": 0.003, "BMIN": 0.003, "BPA": 0.0}
    text = "".join(card(k, v) for k, v in keys.items()) + "END".ljust(80)
    with open(name, "wb") as file:
        file.write((text + " " * (-len(text) % 2880)).encode())
        file.truncate(file.tell() + -(-planes * 512 * 128 * 4 // 2880) * 2880)
def megabytes(*words):
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, words
    return used.ru_maxrss / 1024
make("few.fits", 50)
make("many.fits", 500)
common = ["-o", "o.fits", "--overwrite", "--threads", "2", "--backend", "cpu", "--quiet"]
for steps in (["noise:1", "moments:0,1,2"], ["spectral:gauss:5ch"], ["noise:1", "mask:strict"]):
    few, many = (megabytes(sys.argv[1], "cube", name, *steps, *common) for name in ("few.fits", "many.fits"))
    print(steps, few, many)
    assert many < few + 12, (steps, few, many)
E2
what="python3 make.py"
status=0
python3 make.py "$reber" >out 2>err || status=$?
expect_status 0
finish
