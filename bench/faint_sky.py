#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faint sources much wider than the beam, searched and scored: what lies below the flood level counts as well.

usage: faint_sky.py --reber BIN [--shapes gaussian,disc,ring,wings,bar,filament,halo] [--noises natural,ring,white] [--seeds 3]
                    [--first-seed 1] [--keep FOLDER] [-- options of reber find]
Needs NumPy only. Skies of 1024 x 1024, beam 6 x 5 pixels at PA 37, 25 objects each (16 haloes) and a point of S/N 10 to 40
beside every third (none beside haloes). Peak S/N 5 to 100 of Gaussians of 2 to 6 beams; of the others, of up to 8 beams across, as well.

gaussian  axes of 2 to 6 and .3 to 1 of that        disc   uniform, radius of 1 to 4 beams
wings     exponential, half its light in 1 to 2.5     ring   inner radius .6 of the outer
bar       3 to 8 beams long, a beam wide
halo      exponential, half its light in 2.5 to 6 beams: wide against the cells of the background
arc       .8 beams wide, radius of 2.5 to 5 beams, 90 to 180 degrees long
faint     Gaussians of 3 to 6 beams with peaks of S/N 1 to 3, which smoothed images alone show
filament  5 to 14 beams long, 2 pixels wide, bent, brighter and fainter along it; peak S/N 5 to 500
noise     natural: autocorrelation of the beam's shape; ring: sidelobes of -17 to +12 %; white
A row of the table: objects found as one row or more, the sum of their rows over truth, mean, median and scatter; mean
and rms of its pull, each row's error in quadrature; for those of one row the pulls of x, y and the axes of Gaussians.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np

import other_sky

SIZE = 1024


def reach_of(shape):
    """Pixels to which an object has light."""
    return 150 if shape == "halo" else 64


def take_beam():
    other_sky.MAJOR, other_sky.MINOR = 6.0, 5.0
    other_sky.BEAM = other_sky.covariance(6, 5, other_sky.PA)
    other_sky.AREA = np.pi / (4 * np.log(2)) * 30


def noise_of(kind, rng):
    if kind != "natural":
        return other_sky.ring_noise(SIZE, rng, kind == "white")
    u = np.fft.fftfreq(SIZE)
    grid = np.stack(np.meshgrid(u, u))
    power = np.exp(-np.pi**2 * np.einsum("ij,i...,j...->...", other_sky.BEAM, grid, grid) / (8 * np.log(2)))
    noise = np.fft.ifft2(np.fft.fft2(rng.standard_normal((SIZE, SIZE))) * power).real
    return other_sky.RMS * noise / noise.std()


def model_of(shape, rng, dx, dy):
    """Brightness of 1 in Jy/pixel, at its peak or so, before the beam."""
    t = rng.uniform(0, np.pi)
    along, across = dx * np.cos(t) + dy * np.sin(t), dy * np.cos(t) - dx * np.sin(t)
    r = np.hypot(dx, dy)
    beam = 5.5
    if shape == "gaussian":
        major = beam * rng.uniform(2, 6)
        minor = major * rng.uniform(0.3, 1)
        return np.exp(-4 * np.log(2) * ((along / major) ** 2 + (across / minor) ** 2))
    if shape == "disc":
        return (r < beam * rng.uniform(1, 4)).astype(float)
    if shape == "ring":
        radius = beam * rng.uniform(1.5, 4)
        return ((r < radius) & (r > 0.6 * radius)).astype(float)
    if shape == "wings":
        return np.exp(-r / (beam * rng.uniform(1, 2.5) / 1.678))
    if shape == "halo":
        return np.exp(-r / (beam * rng.uniform(2.5, 6) / 1.678))
    if shape == "filament":
        length, bent, knots = beam * rng.uniform(2.5, 7), rng.uniform(-0.01, 0.01), rng.uniform(0, 0.8)
        return (1 + knots * np.sin(along / 6)) * ((np.abs(along) < length) & (np.abs(across - bent * along**2) < 1))
    if shape == "faint":
        return np.exp(-4 * np.log(2) * (r / (beam * rng.uniform(3, 6))) ** 2)
    if shape == "arc":
        radius, half = beam * rng.uniform(2.5, 5), rng.uniform(0.8, 1.6)
        return ((np.abs(r - radius) < 0.4 * beam) & (np.abs(np.arctan2(across, along)) < half)).astype(float)
    length = beam * rng.uniform(1.5, 4)
    return ((np.abs(along) < length) & (np.abs(across) < 0.5 * beam)).astype(float)


def make_sky(folder, shape, noise, seed):
    sky = other_sky.Sky(8, seed, True)
    rng = sky.rng
    sky.size, sky.image = SIZE, noise_of(noise, rng)
    halo, reach = shape == "halo", reach_of(shape)
    sky.image = np.pad(sky.image, reach)
    for group, (x, y) in enumerate(sky.places(16, 170, 85) if halo else sky.places(25, 130, 65)):
        x0, y0 = int(x) - reach, int(y) - reach
        yy, xx = np.mgrid[0 : 2 * reach, 0 : 2 * reach].astype(float)
        model = other_sky.smoothed(model_of(shape, rng, xx + x0 - x, yy + y0 - y))
        peak = other_sky.RMS * rng.uniform(1, 3) if shape == "faint" else other_sky.RMS * 5 * 10 ** rng.uniform(0, (2 if shape == "filament" else 1.3) if group % 3 else 0.3)
        model *= peak / model.max()
        sky.image[y0 + reach : y0 + 3 * reach, x0 + reach : x0 + 3 * reach] += model
        total = model.sum() / other_sky.AREA
        sky.rows.append({"kind": shape, "x": x, "y": y, "peak": peak, "total": total, "group": group, "gap": 0})
        if group % 3 == 0 and not halo:
            t = rng.uniform(0, 2 * np.pi)
            sky.add("point", x + reach + 62 * np.cos(t), y + reach + 62 * np.sin(t), other_sky.RMS * 10 * 10 ** rng.uniform(0, 0.6))
            sky.rows[-1]["x"] -= reach
            sky.rows[-1]["y"] -= reach
    sky.image = sky.image[reach:-reach, reach:-reach]
    os.makedirs(folder, exist_ok=True)
    other_sky.write_fits(f"{folder}/sky.fits", sky.image)
    return {name: np.array([row[name] for row in sky.rows]) for name in ("kind", "x", "y", "peak", "total")}


def measure(truth, found):
    """Of each object: peak S/N, rows, total over truth, pulls of total, x and y, and the rows' flags."""
    out, near = [], 85 if "halo" in truth["kind"] else 45
    whole = truth["kind"] != "point"
    apart = np.hypot(found["Xposn"][:, None] - truth["x"][whole], found["Yposn"][:, None] - truth["y"][whole])
    point = np.hypot(found["Xposn"][:, None] - truth["x"][~whole], found["Yposn"][:, None] - truth["y"][~whole]).min(axis=1, initial=np.inf) < 3
    for k, i in enumerate(np.flatnonzero(whole)):
        rows = np.flatnonzero((apart[:, k] < near) & ~point)
        if not len(rows):
            out.append((truth["peak"][i] / other_sky.RMS, 0) + (np.nan,) * 6)
            continue
        total, error = found["Total_flux"][rows].sum(), np.sqrt((found["E_Total_flux"][rows] ** 2).sum())
        one = rows[0] if len(rows) == 1 else None
        place = [np.nan if one is None else (found[a][one] - truth[b][i]) / found[e][one] for a, b, e in (("Xposn", "x", "E_Xposn"), ("Yposn", "y", "E_Yposn"))]
        flag = int(np.bitwise_or.reduce(found["Flag"][rows].astype(int)))
        out.append((truth["peak"][i] / other_sky.RMS, len(rows), total / truth["total"][i], (total - truth["total"][i]) / error, *place, flag, error / truth["total"][i]))
    return np.array(out), np.sum((apart.min(axis=1) > near) & ~point)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--shapes", default="gaussian,disc,ring,wings,bar,filament,halo")
    parser.add_argument("--noises", default="natural,ring,white")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--keep", help="folder that keeps skies and catalogues")
    parser.add_argument("--list", action="store_true", help="each object as well")
    parser.add_argument("find", nargs="*", help="after --: options of reber find")
    options = parser.parse_args()
    take_beam()
    clip = lambda p: np.clip(p[np.isfinite(p)], -9, 9)
    print("shape    noise    S/N      found rows  total/true: mean, median, scatter, rms  error  pull: mean, rms; x, y   not fitted")
    with tempfile.TemporaryDirectory() as temporary:
        for shape in options.shapes.split(","):
            for noise in options.noises.split(","):
                parts, false = [], 0
                for seed in range(options.first_seed, options.first_seed + options.seeds):
                    folder = os.path.join(options.keep or temporary, f"{shape}_{noise}{seed}")
                    truth = make_sky(folder, shape, noise, 100000 * seed + 17 * len(noise) + len(shape))
                    command = [options.reber, "find", f"{folder}/sky.fits", "-o", f"{folder}/found.csv", "--overwrite", "-q", *options.find]
                    subprocess.run(command, check=True)
                    got, more = measure(truth, other_sky.table(f"{folder}/found.csv"))
                    parts.append(got)
                    false += more
                    if options.list:
                        for row in sorted(got.tolist()):
                            print("   ", " ".join(f"{v:8.2f}" for v in row))
                all_of = np.concatenate(parts)
                for low, high in ((1, 5), (5, 7), (7, 10), (10, 100), (100, 1e9)):
                    bin_ = all_of[(all_of[:, 0] >= low) & (all_of[:, 0] < high)]
                    k = bin_[bin_[:, 1] > 0]
                    if not len(k):
                        continue
                    ratio, pull = k[:, 2], clip(k[:, 3])
                    print(f"{shape:8} {noise:8} {low:3}-{min(high, 500):<4.0f} {len(k):3d} of {len(bin_):3d} {k[:, 1].mean():4.2f}  {ratio.mean():.3f}, {np.median(ratio):.3f}, {other_sky.spread(ratio):.3f}, {np.sqrt(np.mean((ratio - 1) ** 2)):.3f}"
                          f"  {np.median(k[:, 7]):.3f}  {pull.mean():+5.2f}, {np.sqrt(np.mean(pull**2)):.2f};  "
                          + ", ".join(f"{np.sqrt(np.mean(clip(k[:, c]) ** 2)):.2f}" for c in (4, 5)) + f"   {np.mean((k[:, 6].astype(int) & 64) != 0):.2f}" + (f"   elsewhere {false}" if low == 5 or shape == "faint" else ""))


if __name__ == "__main__":
    main()
