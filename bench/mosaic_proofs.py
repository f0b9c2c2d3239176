#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What docs/mosaics.md promises of mosaics, measured on skies that are known, and judged.

    python3 bench/mosaic_proofs.py --reber build/dev/app/reber [--seeds 4] [--only sky,points,noise,pulls]

sky     extended emission without noise: the mosaic against the sky, and its steps where fields end
points  points of 3 pixels without noise: their amplitudes in the mosaic, and against those in the fields
noise   the map of the noise against the scatter of realisations, by cell; noise of one rms a field, and with maps of it
pulls   what find makes of the mosaic: (measured - true) / stated error

Ends with 1 where a number is outside of its bounds, or none. Needs numpy and astropy.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import mosaics
import numpy as np
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.wcs import WCS
from mosaics import DEC, PIXEL, PRIMARY, RA, add_fields, header, pulls_of, width

FIELD, STEP, CELL, DRAWS = 512, 300, 64, 24
BEAM_PX = 3.0
#: What a mosaic has to be: (least, most).
BOUNDS = {
    "extended emission, largest difference over the peak": (0, 1e-3),
    "largest step at a border, sky of 1000 sigma [sigma]": (0, 0.2),
    "amplitude in the mosaic over the true one, less 1: mean": (-1e-4, 1e-4),
    "amplitude in the mosaic over the true one: scatter": (0, 1e-4),
    "amplitude in the mosaic over that in a field, less 1: mean": (-1e-4, 1e-4),
    "amplitude in the mosaic over that in a field: scatter": (0, 1e-4),
    "noise over its map, one rms a field: mean": (0.99, 1.01),
    "noise over its map, one rms a field: scatter by cell": (0, 0.02),
    "noise over its map, maps of the rms: mean": (0.99, 1.01),
    "noise over its map, maps of the rms: scatter by cell": (0, 0.02),
}
for _how in ("noise measured", "noise from the map"):
    for _what in ("peak", "total", "RA", "Dec"):
        BOUNDS[f"pulls, {_how}: {_what}"] = (0.95, 1.05)


def pointings(rng):
    """The headers of three times three fields."""
    for k in range(9):
        i, j = k % 3 - 1, k // 3 - 1
        keys = header(RA + (i * STEP * PIXEL / np.cos(np.radians(DEC)) + rng.uniform(-1, 1)) / 3600,
                      DEC + (j * STEP * PIXEL + rng.uniform(-1, 1)) / 3600, FIELD)
        keys["BMAJ"] = keys["BMIN"] = BEAM_PX * PIXEL / 3600
        yield keys


def places(keys, shape):
    y, x = np.mgrid[:shape[0], :shape[1]]
    return SkyCoord(*WCS(keys).all_pix2world(x, y, 0), unit="deg")


def response(keys, where):
    centre = SkyCoord(keys["CRVAL1"], keys["CRVAL2"], unit="deg")
    return np.exp(-4 * np.log(2) * (centre.separation(where).deg / PRIMARY) ** 2)


def blobs(rng, where):
    """Twenty Gaussians of 20 to 300 arcsec, the brightest of 1."""
    sky = np.zeros(where.shape)
    for _ in range(20):
        lon, lat = rng.uniform(-700, 700, 2) / 3600
        centre = SkyCoord(RA + lon / np.cos(np.radians(DEC)), DEC + lat, unit="deg")
        sky += rng.uniform(0.2, 1) * np.exp(-4 * np.log(2) * (centre.separation(where).arcsec / 10 ** rng.uniform(1.3, 2.5)) ** 2)
    return sky


def proof_of_sky(reber, folder, given):
    fields = list(pointings(np.random.default_rng(given.seed)))
    for k, keys in enumerate(fields):
        where = places(keys, (FIELD, FIELD))
        fits.writeto(folder / f"p{k}.fits", (blobs(np.random.default_rng(7), where) * response(keys, where)).astype("f4"), keys)
    image, keys = add_fields(reber, folder, "--weights", "uniform")
    where = places(keys, image.shape)
    sky = blobs(np.random.default_rng(7), where)
    difference = image - sky
    yield "extended emission, largest difference over the peak", np.nanmax(abs(difference)) / sky.max()
    # Where the set of fields that have a pixel changes from a pixel to its neighbour. A field ends four pixels early at the most.
    inside = [np.all([(p > 0) & (p < FIELD - 1) for p in WCS(one).all_world2pix(where.ra.deg, where.dec.deg, 0)], axis=0) for one in fields]
    sets = sum(one.astype(int) << k for k, one in enumerate(inside))
    noise = fits.getdata(folder / "s.fits") / np.nanmin(fits.getdata(folder / "s.fits")) * sky.max() / 1000
    steps = []
    for axis in (0, 1):
        border = np.diff(sets, axis=axis) != 0
        step = abs(np.diff(difference, axis=axis)) / np.minimum(np.delete(noise, 0, axis), np.delete(noise, -1, axis))
        steps.append(step[border & np.isfinite(step)])
    steps = np.concatenate(steps)
    yield "largest step at a border, sky of 1000 sigma [sigma]", steps.max() if steps.size > 5000 else np.nan


def amplitudes(image, x, y, radius=7):
    """By least squares with the true shape at the true places; NaN where it is not all there."""
    found = np.full(x.size, np.nan)
    for i, (a, b) in enumerate(zip(x, y)):
        rows, columns = np.arange(round(b) - radius, round(b) + radius + 1), np.arange(round(a) - radius, round(a) + radius + 1)
        if rows[0] < 0 or columns[0] < 0 or rows[-1] >= image.shape[0] or columns[-1] >= image.shape[1]:
            continue
        shape = np.exp(-4 * np.log(2) * ((columns - a) ** 2 + (rows[:, None] - b) ** 2) / BEAM_PX ** 2)
        found[i] = (image[np.ix_(rows, columns)].astype(float) * shape).sum() / (shape * shape).sum()
    return found


def proof_of_points(reber, folder, given):
    rng = np.random.default_rng(given.seed + 100)
    grid = np.arange(-520, 521, 26)
    x, y = (axis.ravel() + rng.uniform(-3, 3, axis.size) for axis in np.meshgrid(grid, grid))
    ra, dec = WCS(header(RA, DEC, 2000)).all_pix2world(x + 1000, y + 1000, 0)
    where, flux = SkyCoord(ra, dec, unit="deg"), rng.uniform(1, 2, x.size)
    mosaics.BEAM, usual = BEAM_PX, mosaics.BEAM
    in_fields, weights = np.zeros(x.size), np.zeros(x.size)
    for k, keys in enumerate(pointings(rng)):
        image, p = np.zeros((FIELD, FIELD)), response(keys, where)
        at = WCS(keys).all_world2pix(ra, dec, 0)
        mosaics.add(image, *at, flux * p)
        image = image.astype("f4")
        fits.writeto(folder / f"p{k}.fits", image, keys, overwrite=True)
        found = amplitudes(image, *at)
        seen = np.isfinite(found)
        in_fields += np.where(seen, found * p, 0)
        weights += np.where(seen, p * p, 0)
    mosaics.BEAM = usual
    image, keys = add_fields(reber, folder, "--weights", "uniform")
    found = amplitudes(image, *WCS(keys).all_world2pix(ra, dec, 0))
    with np.errstate(all="ignore"):
        for what, right in (("the true one", flux), ("that in a field", in_fields / weights)):
            ratio = (found / right)[np.isfinite(found / right)]
            enough = ratio.size > 0.9 * x.size
            yield f"amplitude in the mosaic over {what}, less 1: mean", ratio.mean() - 1 if enough else np.nan
            yield f"amplitude in the mosaic over {what}: scatter", ratio.std() if enough else np.nan


def correlated(rng, n):
    f = np.fft.fftfreq(n)
    transfer = np.exp(-np.pi ** 2 / (4 * np.log(2)) * BEAM_PX ** 2 * (f[:, None] ** 2 + f ** 2))
    image = np.fft.ifft2(np.fft.fft2(rng.normal(0, 1, (n, n))) * transfer).real
    return image / np.sqrt(np.mean(transfer ** 2))


def proof_of_noise(reber, folder, given):
    rng = np.random.default_rng(given.seed + 200)
    fields = list(pointings(rng))
    y, x = np.mgrid[:FIELD, :FIELD] / FIELD
    for name, option in (("one rms a field", []), ("maps of the rms", ["--weights", "map:%_rms.fits"])):
        squares, stated, count = 0, 0, 0
        for _ in range(DRAWS):
            for k, keys in enumerate(fields):
                rms = (1 + 0.1 * k) * (1 + 0.4 * np.sin(7 * x + k) * np.cos(5 * y) if option else np.ones_like(x))
                fits.writeto(folder / f"p{k}.fits", (correlated(rng, FIELD) * rms).astype("f4"), keys, overwrite=True)
                fits.writeto(folder / f"p{k}_rms.fits", rms.astype("f4"), keys, overwrite=True)
            image, _ = add_fields(reber, folder, *option)
            noise = fits.getdata(folder / "s.fits").astype(float)
            squares, stated, count = squares + image.astype(float) ** 2, stated + noise, count + 1
        rows, columns = (n // CELL * CELL for n in squares.shape)
        cut = lambda map_: map_[:rows, :columns].reshape(rows // CELL, CELL, columns // CELL, CELL).swapaxes(1, 2).reshape(-1, CELL * CELL)
        ratio = np.sqrt(cut(squares / count / (stated / count) ** 2))
        part = np.isfinite(ratio).mean(axis=1)
        cells = np.sqrt(np.nanmean(ratio[part > 0.5] ** 2, axis=1))
        enough = cells.size > 100
        yield f"noise over its map, {name}: mean", cells.mean() if enough else np.nan
        # What so many independent pixels leave of scatter by chance is known: it is not the map's.
        chance = np.sqrt(2 * np.log(2) / np.pi * 2) * BEAM_PX / np.sqrt(2 * count * CELL * CELL * part[part > 0.5])
        yield f"noise over its map, {name}: scatter by cell", np.sqrt(max(cells.var() - np.mean(chance ** 2), 0)) if enough else np.nan


def proof_of_pulls(reber, folder, given):
    pulls = {}
    for seed in range(given.seed, given.seed + given.seeds):
        truth = mosaics.make(folder, np.random.default_rng(seed))
        add_fields(reber, folder)
        for how, more in (("noise measured", []), ("noise from the map", ["--use-rms", folder / "s.fits"])):
            found, nothing = pulls_of(reber, folder, truth, more)
            print(f"seed {seed}, {how}: {found['peak'].size} sources of {truth[2].size}, {nothing} rows on nothing", flush=True)
            for what, values in found.items():
                pulls.setdefault((how, what), []).append(values)
        for path in folder.glob("p?.fits"):
            path.unlink()
    for (how, what), values in pulls.items():
        yield f"pulls, {how}: {what}", width(np.concatenate(values))


PROOFS = {"sky": proof_of_sky, "points": proof_of_points, "noise": proof_of_noise, "pulls": proof_of_pulls}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reber", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=4, help="skies that pulls are taken of")
    parser.add_argument("--only", default=",".join(PROOFS))
    given = parser.parse_args()
    failed = 0
    for name in given.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            for what, value in PROOFS[name](given.reber, Path(folder), given):
                least, most = BOUNDS[what]
                good = least <= value <= most  # NaN is in no bounds
                failed += not good
                print(f"{'ok  ' if good else 'FAIL'} {what}: {value:.4g} ({least:g} to {most:g})", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
