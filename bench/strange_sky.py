#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Skies that ask for something that others do not: padding, a primary beam of few cells, a beam of many pixels.

usage: strange_sky.py --reber BIN [--kinds padded,primary,ramp,mosaic,few,steps,slope,wide,round,bowls,halo,waves,clouds] [--seeds 3] [--first-seed 1] [--white] [--keep FOLDER]
                      [--length 400] [--height 3] [-- options of reber find]
Needs NumPy only. Points of S/N 5 to 300, each against its own noise; noise as in other_sky.py.

padded    1024 x 1024, exact zeros beyond a circle of 460 pixels; beam 8 x 5
primary   320 x 320, divided by a primary beam of 190 pixels FWHM, blank where that is below .2; beam 5 x 4
ramp      1024 x 1024, divided by one of 550 pixels, blank below .1; beam 5 x 4
mosaic    1024 x 1024, pointings 160 to 250 pixels apart of 230 pixels FWHM, divided by the root of their squares' sum, blank where
          the noise is 7 times its least; beam 6 x 5
few       the same of seven to nine pointings, 160 pixels apart
steps     1024 x 1024, a noise of 1 and 2.5 by turns, in stripes of 200 pixels; beam 6 x 5
slope     1024 x 1024, a background that rises by .05 of the noise a pixel; beam 5 x 4
wide      2048 x 2048, round beam of 25 pixels
round     1024 x 1024, round beam of 5 pixels
bowls     1024 x 1024, each point in a negative bowl of 3 % of its peak, 30 pixels FWHM; beam 5 x 4
halo      1024 x 1024, each point in a halo of 1.5 of the noise, 30 pixels FWHM; beam 5 x 4
waves     1024 x 1024, a background of sin x sin y, of --length pixels and --height times the noise; beam 5 x 4
clouds    1024 x 1024, a Gaussian random background, rms .7 --height, its autocorrelation .5 --length wide; beam 5 x 4
A row of the table: points found, of S/N 5 to 7 and above; rows farther than a beam from any point; noise over its true
value at the sources, median and scatter; rms of the pulls (error over stated error) of total, peak, x, y and angle.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np

import other_sky

SIZES = {"padded": 1024, "primary": 320, "ramp": 1024, "mosaic": 1024, "few": 1024, "steps": 1024, "slope": 1024, "wide": 2048, "round": 1024, "bowls": 1024, "halo": 1024, "waves": 1024, "clouds": 1024}
BEAMS = {"padded": (8, 5), "primary": (5, 4), "ramp": (5, 4), "mosaic": (6, 5), "few": (6, 5), "steps": (6, 5), "slope": (5, 4), "wide": (25, 25), "round": (5, 5), "bowls": (5, 4), "halo": (5, 4), "waves": (5, 4), "clouds": (5, 4)}
APART = {"bowls": 90, "halo": 90}
PRIMARY = {"primary": (190, 0.2), "ramp": (550, 0.1)}


def take_beam(kind):
    other_sky.take_beam(*BEAMS[kind], 37.0)


def mosaic_noise(n, apart, margin=130):
    """Of pointings in rows, every second one moved by half of their distance."""
    yy, xx = np.mgrid[0:n, 0:n]
    weight = np.zeros((n, n))
    for row, y in enumerate(np.arange(margin, n - margin + 10, 0.87 * apart)):
        for x in np.arange(margin + row % 2 * apart / 2, n - margin + 10, apart):
            weight += np.exp(-8 * np.log(2) * ((xx - x) ** 2 + (yy - y) ** 2) / 230**2)
    return np.sqrt(weight.max() / weight)


def large_scale(kind, n, rng, length):
    """A background of height 1."""
    if kind == "waves":
        first, second = (np.sin(2 * np.pi * (np.arange(n) / length + rng.uniform())) for _ in range(2))
        return first[:, None] * second
    u = np.hypot(*np.meshgrid(np.fft.fftfreq(n), np.fft.fftfreq(n)))
    power = np.exp(-((np.pi * u * length / 2) ** 2) / (4 * np.log(2)))
    cloud = np.fft.ifft2(np.fft.fft2(rng.standard_normal((n, n))) * np.sqrt(power)).real
    return np.sqrt(0.5) * cloud / cloud.std()


def make_sky(folder, kind, seed, white, length=400, height=3):
    n = SIZES[kind]
    sky = other_sky.Sky(n, seed, white)
    yy, xx = np.mgrid[0:n, 0:n] - (n - 1) / 2
    radius, noise, reach, outside = np.hypot(xx, yy), np.ones((n, n)), np.inf, np.nan
    if kind == "padded":
        reach, outside = 460, 0.0
    if kind in PRIMARY:
        fwhm, least = PRIMARY[kind]
        noise = np.exp(4 * np.log(2) * (radius / fwhm) ** 2)
        reach = fwhm * np.sqrt(np.log(1 / least) / (4 * np.log(2)))
    if kind in ("mosaic", "few"):
        noise = mosaic_noise(n, *((160, 352) if kind == "few" else (sky.rng.choice([160, 200, 250]),)))
    if kind == "steps":
        noise = np.where((xx + 0.3 * yy) % 400 < 200, 1.0, 2.5)
    beyond, near = (noise > 7, noise > 6.5) if kind in ("mosaic", "few") else (radius > reach, radius >= reach - 8)
    sky.image *= noise
    apart = APART.get(kind, 5 * other_sky.MAJOR)
    for x, y in sky.places(n * n // max(3000, 60 * other_sky.MAJOR**2, 2 * apart**2), apart, 2 * other_sky.MAJOR):
        rms = other_sky.RMS * noise[round(y), round(x)]
        if not near[round(y), round(x)]:
            peak = rms * 5 * 10 ** sky.rng.uniform(0, 1.8)
            sky.add("point", x, y, peak, gap=rms)
            level = {"bowls": -0.03 * peak, "halo": 1.5 * rms}.get(kind, 0)
            if level:
                sky.image += level * np.exp(-4 * np.log(2) * ((xx + (n - 1) / 2 - x) ** 2 + (yy + (n - 1) / 2 - y) ** 2) / 30**2)
    if kind == "slope":
        sky.image += other_sky.RMS * 0.05 * xx
    if kind in ("waves", "clouds"):
        sky.image += other_sky.RMS * height * large_scale(kind, n, sky.rng, length)
    sky.image[beyond] = outside
    os.makedirs(folder, exist_ok=True)
    other_sky.write_fits(f"{folder}/sky.fits", sky.image)
    np.save(f"{folder}/noise.npy", np.where(beyond, np.nan, other_sky.RMS * noise).astype(np.float32))
    return {name: np.array([row[name] for row in sky.rows]) for name in ("x", "y", "peak", "total", "gap")}


def measure(truth, found):
    """Of one sky: S/N and whether found of each point, false rows, and the columns of what was found."""
    match = other_sky.nearest(truth, found, np.ones(len(truth["x"]), bool), 0.75 * other_sky.MINOR)
    apart = np.hypot(found["Xposn"][:, None] - truth["x"], found["Yposn"][:, None] - truth["y"]).min(axis=1)
    k = match >= 0
    j = match[k]
    with np.errstate(all="ignore"):
        turned = (found["PA"][j] - other_sky.PA + 90) % 180 - 90
        columns = [found["Isl_rms"][j] / truth["gap"][k]] + [
            (found[a][j] - truth[b][k]) / found["E_" + a][j]
            for a, b in (("Total_flux", "total"), ("Peak_flux", "peak"), ("Xposn", "x"), ("Yposn", "y"))
        ] + [turned / found["E_PA"][j]]
    return truth["peak"] / truth["gap"], k, np.sum(apart > other_sky.MAJOR), np.array(columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--kinds", default=",".join(SIZES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--white", action="store_true", help="noise without correlation")
    parser.add_argument("--length", type=float, default=400, help="pixels, of waves and clouds")
    parser.add_argument("--height", type=float, default=3, help="of these, in rms of the noise")
    parser.add_argument("--keep", help="folder that keeps skies and catalogues")
    parser.add_argument("find", nargs="*", help="after --: options of reber find")
    options = parser.parse_args()
    print(f"{'':8} points 5-7, above       rows  false  rms/true        pulls: total, peak, x, y, angle")
    with tempfile.TemporaryDirectory() as temporary:
        for kind in options.kinds.split(","):
            take_beam(kind)
            parts = []
            for seed in range(options.first_seed, options.first_seed + options.seeds * (8 if kind == "primary" else 1)):
                folder = os.path.join(options.keep or temporary, f"{kind}{seed}" + ("white" if options.white else ""))
                truth = make_sky(folder, kind, 1000 * seed + len(kind), options.white, options.length, options.height)
                catalogue = f"{folder}/found.csv"
                command = [options.reber, "find", f"{folder}/sky.fits", "-o", catalogue, "--overwrite", "-q", *options.find]
                subprocess.run(command, check=True)
                parts.append(measure(truth, other_sky.table(catalogue)))
            snr, seen = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
            columns = np.concatenate([part[3] for part in parts], axis=1)
            faint, false = snr < 7, sum(part[2] for part in parts)
            pulls = [np.sqrt(np.mean(np.clip(p[np.isfinite(p)], -9, 9) ** 2)) for p in columns[1:]]
            print(f"{kind:8} {seen[faint].sum():4d} of {faint.sum():4d}, {seen[~faint].sum():4d} of {(~faint).sum():4d}"
                  f"  {seen.sum() + false:5d}  {false:5d}  {np.median(columns[0]):.3f}, {other_sky.spread(columns[0]):.3f}    "
                  + " ".join(f"{p:.2f}" for p in pulls))


if __name__ == "__main__":
    main()
