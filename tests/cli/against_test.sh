#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber verify --against opencv: OpenCV judges from a module of its own, which is loaded when it is asked for.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"

run simulate sky.fits --size 200 --blank-corners --backend cpu
run verify sky.fits --backend cpu --against opencv --json judged.json
expect_status 0
expect_in out "against OpenCV" "convolve separable" "labels 8-conn" "mask dilated by 5" "checks hold"
expect_json judged.json 'd["against"].startswith("OpenCV") and all(c["passed"] for c in d["checks"]) and len(d["checks"]) > 12'

# The program itself has nothing of it.
what="ldd reber"
ldd "$reber" >libraries
expect_in libraries libwcs
expect_not_in libraries opencv

# Without the module: why.
mkdir bin
cp "$reber" bin
reber=$PWD/bin/reber
run verify sky.fits --backend cpu --against opencv
expect_status 2
expect_in err "--against opencv" libreber_opencv.so "$PWD/bin"
# One that cannot be loaded: what the loader says.
mkdir -p lib/reber
echo "no library" >lib/reber/libreber_opencv.so
run verify sky.fits --backend cpu --against opencv
expect_status 2
expect_in err "--against opencv" "lib/reber/libreber_opencv.so"

finish
