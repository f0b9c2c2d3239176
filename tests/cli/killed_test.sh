#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# regrid, mosaic and cube killed at any moment: no file under its final name but whole ones, and the next run sweeps.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy
if ! plain_build; then
  echo "skipped: a sanitizer's program starts too slowly to be killed within its work"
  exit 77
fi

export PYTHONPATH=$source_folder/tests/support
cat >killed.py <<'E2'
import glob, hashlib, os, signal, subprocess, sys, time
import numpy as np
from fits_cubes import write
reber = sys.argv[1]
write("cube.fits", np.random.default_rng(1).normal(size=(24, 300, 320)).astype(np.float32))
for i in range(3):
    subprocess.run([reber, "simulate", "f%d.fits" % i, "--size", "700", "--seed", str(i), "--ra", str(10 + 0.1 * i), "--quiet"], check=True)
commands = {
    "regrid": ["cube.fits", "--projection", "TAN", "--rotate", "20", "-o", "made/a.fits", "--write-psf-map", "made/a_psf.fits"],
    "mosaic": ["f0.fits", "f1.fits", "f2.fits", "--to-beam", "15,15,0", "-o", "made/b.fits", "--write-weight", "made/b_weight.fits"],
    "cube": ["cube.fits", "smooth:20,20,0", "regrid:made/a.fits", "spectral:hanning", "moments:0,1", "-o", "made/c.fits"],
}
def sums():
    return {name: hashlib.sha256(b"".join(c for c in blocks(name) if not c.startswith((b"DATE", b"CHECKSUM")))).hexdigest() for name in glob.glob("made/*.fits")}
def blocks(name):
    raw = open(name, "rb").read()
    return [raw[i:i + 80] for i in range(0, len(raw), 80)]
os.mkdir("made")
left_over = killed = 0
for command, words in commands.items():
    line = [reber, command, *words, "--backend", "cpu", "--threads", "1", "--quiet"]
    before = set(os.listdir("made"))
    begin = time.monotonic()
    subprocess.run(line, check=True)
    took = time.monotonic() - begin
    whole = sums()
    made = sorted(set(os.listdir("made")) - before)
    for part in 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97:
        for name in made:
            os.remove("made/" + name)
        process = subprocess.Popen(line, stderr=subprocess.DEVNULL)
        time.sleep(part * took)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        for name, sum_ in sums().items():
            assert sum_ == whole[name], "%s killed after %.2f s left %s, which is not whole" % (command, part * took, name)
        there = glob.glob("made/.reber*")
        left_over += len(there)
        subprocess.run([*line, "--overwrite"], check=True)
        assert not glob.glob("made/.reber*"), "%s: the next run left %s" % (command, there)
        assert sums() == whole
# Nothing is proved where no process was killed in its work.
assert killed >= 12 and left_over >= 6, (killed, left_over)
print(killed, "killed,", left_over, "files left and swept")
E2
status=0 what="regrid, mosaic and cube, killed"
python3 killed.py "$reber" >out 2>err || status=$?
expect_status 0
expect_in out "files left and swept"
finish
