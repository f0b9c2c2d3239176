#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reber spectrum against NumPy's transform: every annulus, and that the powers add up to the variance.
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "$0")/harness.sh"
needs_numpy

# Sides without a common factor, one of them prime; pixels that are not square; blanks; a level far from 0.
cat >make.py <<'END'
import sys
import numpy as np
ny, nx, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
random = np.random.default_rng(4)
image = 3 + random.normal(size=(ny, nx)) + float(sys.argv[4]) * np.sin(np.arange(nx) * 0.3)[None, :]
image[: ny // 10, : nx // 7] = np.nan
cards = ["SIMPLE  =                    T", "BITPIX  =                  -64", "NAXIS   =                    2",
         f"NAXIS1  = {nx:20d}", f"NAXIS2  = {ny:20d}", "BUNIT   = 'JY/BEAM '", "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'",
         "CRVAL1  =                 40.0", "CRVAL2  =                -20.0", f"CRPIX1  = {nx / 2 + 0.5:20.1f}",
         f"CRPIX2  = {ny / 2 + 0.5:20.1f}", "CDELT1  =  -0.0005", "CDELT2  =   0.0008", "BMAJ    =  0.003", "BMIN    =  0.002",
         "BPA     =  0.0", "END"]
header = "".join(f"{card:<80}" for card in cards)
with open(path, "wb") as file:
    file.write(header.ljust(2880).encode())
    data = image.astype(">f8").tobytes()
    file.write(data + b"\0" * (-len(data) % 2880))
np.save(path + ".npy", image.astype(np.float32).astype(float))
END
cat >compare.py <<'END'
import json, sys
import numpy as np
told, image = json.load(open(sys.argv[1])), np.load(sys.argv[2])
ny, nx = image.shape
blank = ~np.isfinite(image)
values = np.where(blank, 0, image - told["background"])
power = np.abs(np.fft.fft2(values)) ** 2 / (nx * ny) ** 2
fx, fy = np.fft.fftfreq(nx) / (0.0005 * 3600), np.fft.fftfreq(ny) / (0.0008 * 3600)
f = np.hypot(fx[None, :], fy[:, None])
assert abs(told["blank"] - blank.mean()) < 1e-12, told["blank"]
assert abs(told["background"] - 3) < 1, told["background"]
assert abs(told["variance"] / values.var() - 1) < 1e-6, (told["variance"], values.var())
assert abs(told["variance"] / (power.sum() - power[0, 0]) - 1) < 1e-6
assert abs(told["beam_arcsec"] / (3600 * np.sqrt(0.003 * 0.002)) - 1) < 1e-6
modes, worst = 0, 0
for bin in told["annuli"]:
    # Modes on an edge, but for the last one, have ten digits of room.
    inside = (f >= bin["low"] * (1 + 1e-6)) & (f < bin["high"] * (1 - 1e-6))
    near = (f >= bin["low"] * (1 - 1e-6)) & (f < bin["high"] * (1 + 1e-6))
    modes += bin["modes"]
    assert inside.sum() <= bin["modes"] <= near.sum(), (bin, inside.sum(), near.sum())
    if inside.sum() == near.sum():
        worst = max(worst, abs(bin["power"] / power[near].mean() - 1), abs(bin["frequency"] / f[near].mean() - 1))
assert modes == nx * ny - 1, modes
assert worst < 1e-6, worst
# Modes of white noise are exponential: their scatter is their mean.
if sys.argv[3:] == ["noise"]:
    ratios = [b["error"] / b["power"] * np.sqrt(b["modes"] / 2) for b in told["annuli"] if b["modes"] > 200]
    assert len(ratios) > 5 and 0.9 < np.median(ratios) < 1.1, ratios
print(f"{len(told['annuli'])} annuli, worst {worst:.1e}")
END

for size in "211 150" "128 256" "97 101"; do
  # shellcheck disable=SC2086
  python3 make.py $size image.fits 5
  for bins in 30 0; do
    run spectrum image.fits --bins "$bins" --json told.json --backend cpu --overwrite
    expect_status 0
    what="NumPy, $size pixels, --bins $bins"
    checks=$((checks + 1))
    python3 compare.py told.json image.fits.npy >out 2>err || report "differs from NumPy"
  done
done
python3 make.py 211 150 noise.fits 0
run spectrum noise.fits --json told.json --backend cpu --overwrite
what="NumPy, noise alone"
checks=$((checks + 1))
python3 compare.py told.json noise.fits.npy noise >out 2>err || report "the errors are not those of noise"
run spectrum image.fits -o annuli.csv --plot annuli.png --backend cpu
expect_status 0
expect_in out "% blank" "cycles/beam" variance "wrote annuli.csv"
expect_in annuli.csv Frequency Cycles_per_beam E_Power Modes
expect_file annuli.png
run spectrum image.fits -o annuli.csv --backend cpu
expect_status 2

finish
