# SPDX-License-Identifier: BSD-3-Clause
"""Feathering against the truth and against other programs, on a sky with a power spectrum of slope -2.5.

usage: feather.py --reber BIN [--size 1024] [--seed 5] [--hole 0] [--uvcombine PYTHON] [--casa PYTHON]

A beam of 1" on pixels of .25" sees all but scales beyond --hole arcsec (0: all but the mean), one of 30" sees the rest. Prints the
total and the structure function from 5" to 120" over the truth's, and the largest difference between programs over the peak.
PYTHON: an interpreter that has uvcombine, or casatasks. NumPy and Astropy are needed.
"""
import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from astropy.io import fits

PIXEL, HIGH, LOW = 0.25, 1.0, 30.0  # arcsec
LAGS = (5, 10, 20, 40, 80, 120)  # arcsec

UVCOMBINE = """
import sys
import numpy as np
from astropy import units
from astropy.io import fits
from uvcombine import feather_simple
high, low = (fits.open(name)[0] for name in sys.argv[1:3])
fits.writeto(sys.argv[3], np.real(feather_simple(high, low, lowresfwhm=30 * units.arcsec)), high.header)
"""
CASA = """
import sys
from casatasks import exportfits, feather, importfits
for name in sys.argv[1:3]:
    importfits(name, name + ".im")
feather(sys.argv[3] + ".im", sys.argv[1] + ".im", sys.argv[2] + ".im")
exportfits(sys.argv[3] + ".im", sys.argv[3])
"""


def frequencies(n):
    return np.hypot(np.fft.fftfreq(n)[:, None], np.fft.rfftfreq(n)[None]) / PIXEL


def smoothed(sky, fwhm):
    """In units per beam."""
    transfer = np.exp(-((np.pi * fwhm * frequencies(len(sky))) ** 2) / (4 * np.log(2)))
    area = np.pi * (fwhm / PIXEL) ** 2 / (4 * np.log(2))
    return area * np.fft.irfft2(np.fft.rfft2(sky) * transfer, s=sky.shape)


def write(path, image, fwhm):
    n = len(image)
    cards = {"BUNIT": "Jy/beam", "CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN", "CRVAL1": 150.0, "CRVAL2": -30.0, "CRPIX1": n / 2,
             "CRPIX2": n / 2, "CDELT1": -PIXEL / 3600, "CDELT2": PIXEL / 3600, "CUNIT1": "deg", "CUNIT2": "deg", "RADESYS": "ICRS",
             "BMAJ": fwhm / 3600, "BMIN": fwhm / 3600, "BPA": 0.0}
    fits.PrimaryHDU(image.astype(np.float32), fits.Header(cards)).writeto(path)


def structure(image):
    """Mean squared difference over each lag, along both axes of a periodic image."""
    return np.array([np.mean([((np.roll(image, round(lag / PIXEL), axis) - image) ** 2).mean() for axis in (0, 1)]) for lag in LAGS])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--reber", required=True)
    options.add_argument("--size", type=int, default=1024)
    options.add_argument("--seed", type=int, default=5)
    options.add_argument("--hole", type=float, default=0)
    options.add_argument("--uvcombine")
    options.add_argument("--casa")
    asked = options.parse_args()
    k = frequencies(asked.size)
    noise = np.fft.rfft2(np.random.default_rng(asked.seed).normal(size=(asked.size, asked.size)))
    sky = np.fft.irfft2(noise * np.where(k > 0, k, 1) ** -1.25, s=(asked.size, asked.size))
    sky = (sky - sky.min()) / sky.std()
    truth = smoothed(sky, HIGH)
    seen = np.fft.irfft2(np.fft.rfft2(truth) * (k > (1 / asked.hole if asked.hole else 0)), s=sky.shape)
    with tempfile.TemporaryDirectory() as folder:
        high, low = f"{folder}/high.fits", f"{folder}/low.fits"
        write(high, seen, HIGH)
        write(low, smoothed(sky, LOW), LOW)
        ways = {"reber": [asked.reber, "cube", high, "-o", f"{folder}/reber.fits", f"feather:{low}", "--quiet"]}
        for name, python, text in (("uvcombine", asked.uvcombine, UVCOMBINE), ("casa", asked.casa, CASA)):
            if python:
                ways[name] = [python, "-c", text, high, low, f"{folder}/{name}.fits"]
        ours = None
        for name, words in ways.items():
            subprocess.run(words, check=True, capture_output=True, cwd=folder)
            (file,) = Path(folder).glob(f"{name}.fits")
            image = fits.getdata(file).squeeze().astype(float)
            ours = image if ours is None else ours
            print(f"{name:10} total {image.sum() / truth.sum() - 1:+.1e}  structure at {LAGS} arcsec",
                  " ".join(f"{100 * part:+.2f} %" for part in structure(image) / structure(truth) - 1),
                  f" from Reber's {np.abs(image - ours).max() / ours.max():.1e} of the peak")


if __name__ == "__main__":
    main()
