#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nine pointings with noise correlated like the beam, their mosaic, and what find makes of it.

    python3 bench/mosaics.py --reber build/dev/app/reber [--seed 1]

Prints the noise of the mosaic over its map of the noise, and the pulls of sources: (measured - true) / stated error, half their
width by the median. Needs numpy and astropy.
"""
import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.wcs import WCS

PIXELS, STEP, PIXEL, BEAM, PRIMARY = 1024, 640, 2.0, 3.2, 0.9
RA, DEC = 150.0, -30.0


def header(ra, dec, pixels):
    keys = fits.Header()
    for axis, name, value, sign in ((1, "RA---SIN", ra, -1), (2, "DEC--SIN", dec, 1)):
        keys[f"CTYPE{axis}"], keys[f"CRVAL{axis}"] = name, value
        keys[f"CRPIX{axis}"], keys[f"CDELT{axis}"] = pixels / 2 + 1.0, sign * PIXEL / 3600
    keys["BUNIT"], keys["BPA"], keys["RESTFRQ"], keys["RADESYS"] = "Jy/beam", 0.0, 1.4e9, "ICRS"
    keys["BMAJ"] = keys["BMIN"] = BEAM * PIXEL / 3600
    return keys


def add(image, x, y, flux):
    """Points of the beam's shape."""
    for a, b, f in zip(x, y, flux):
        if not (-12 < a < image.shape[1] + 12 and -12 < b < image.shape[0] + 12):
            continue
        rows = np.arange(max(0, int(b) - 11), min(image.shape[0], int(b) + 13))
        columns = np.arange(max(0, int(a) - 11), min(image.shape[1], int(a) + 13))
        shape = np.exp(-4 * np.log(2) * ((columns - a) ** 2 + (rows[:, None] - b) ** 2) / BEAM ** 2)
        image[np.ix_(rows, columns)] += f * shape


def make(folder, rng):
    places = np.arange(160, 2240, 52)
    x, y = (axis.ravel() + rng.uniform(-8, 8, axis.size) for axis in np.meshgrid(places, places))
    ra, dec = WCS(header(RA, DEC, 2398)).all_pix2world(x, y, 0)
    flux = 10 ** rng.uniform(np.log10(20), np.log10(200), x.size)
    f = np.fft.fftfreq(PIXELS)
    transfer = np.exp(-np.pi ** 2 / (4 * np.log(2)) * BEAM ** 2 * (f[:, None] ** 2 + f ** 2))
    for k in range(9):
        i, j = k % 3 - 1, k // 3 - 1
        keys = header(RA + i * STEP * PIXEL / 3600 / np.cos(np.radians(DEC)) + rng.uniform(-1, 1) / 3600,
                      DEC + j * STEP * PIXEL / 3600 + rng.uniform(-1, 1) / 3600, PIXELS)
        image = np.fft.ifft2(np.fft.fft2(rng.normal(0, 1, (PIXELS, PIXELS))) * transfer).real
        image /= image.std()
        centre = SkyCoord(keys["CRVAL1"], keys["CRVAL2"], unit="deg")
        response = np.exp(-4 * np.log(2) * (centre.separation(SkyCoord(ra, dec, unit="deg")).deg / PRIMARY) ** 2)
        add(image, *WCS(keys).all_world2pix(ra, dec, 0), flux * response)
        fits.writeto(folder / f"p{k}.fits", image.astype("f4"), keys)
    return ra, dec, flux


def width(values):
    return 1.4826 * np.median(abs(values - np.median(values)))


def pulls_of(reber, folder, truth, more=()):
    """(measured - true) / stated error of what find makes of m.fits by quantity, and how many rows there are on nothing."""
    ra, dec, flux = truth
    subprocess.run([reber, "find", folder / "m.fits", "-o", folder / "c.csv", "--overwrite", "--backend", "cpu", "-q", *more], check=True)
    with open(folder / "c.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    column = {key: np.array([float(row[key] or "nan") for row in rows])
              for key in ("RA", "DEC", "E_RA", "E_DEC", "Peak_flux", "E_Peak_flux", "Total_flux", "E_Total_flux")}
    which, apart, _ = SkyCoord(column["RA"], column["DEC"], unit="deg").match_to_catalog_sky(SkyCoord(ra, dec, unit="deg"))
    good = apart.arcsec < 4
    pulls = {"peak": (column["Peak_flux"] - flux[which]) / column["E_Peak_flux"],
             "total": (column["Total_flux"] - flux[which]) / column["E_Total_flux"],
             "RA": (column["RA"] - ra[which]) * np.cos(np.radians(dec[which])) / column["E_RA"],
             "Dec": (column["DEC"] - dec[which]) / column["E_DEC"]}
    return {key: value[good] for key, value in pulls.items()}, int((~good).sum())


def add_fields(reber, folder, *more):
    """m.fits and its map of the noise s.fits of the fields p*.fits."""
    subprocess.run([reber, "mosaic", *sorted(folder.glob("p?.fits")), "-o", folder / "m.fits", "--write-rms-map", folder / "s.fits",
                    "--beam-model", f"gaussian:{PRIMARY}@1400", "--overwrite", "--backend", "cpu", "-q", *more], check=True)
    return fits.getdata(folder / "m.fits", header=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reber", required=True)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = ra, dec, flux = make(folder, np.random.default_rng(given.seed))
        image, keys = add_fields(given.reber, folder)
        rest = image.astype(float)
        add(rest, *WCS(keys).all_world2pix(ra, dec, 0), -flux)
        print(f"noise over its map: {np.nanstd(rest / fits.getdata(folder / 's.fits')):.4f}")
        for more in ([], ["--use-rms", folder / "s.fits"]):
            pulls, nothing = pulls_of(given.reber, folder, truth, more)
            print("with its map of the noise:" if more else "noise measured:", f"{pulls['peak'].size} sources of {flux.size}, {nothing} rows on nothing;",
                  ", ".join(f"{key} {width(value):.3f}" for key, value in pulls.items()))


if __name__ == "__main__":
    main()
