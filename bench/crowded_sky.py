#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Crowded skies, searched and scored: how far the seed threshold is lowered, and what the rows are then worth.

usage: crowded_sky.py --reber BIN [--kinds natural,ring,white,uneven,spikes,lobes,bowls,clouds] [--seeds 4] [--first-seed 1]
                      [--size 640] [--beam 2.5] [--density 60] [--keep FOLDER] [-- options of reber find]
Needs NumPy only. Points in Jy/beam of a round beam; one of S/N 5 and more in `density` squared FWHMs, N(>S) ~ 1/S from S/N 1 to 2000.

natural  noise whose autocorrelation is the beam's shape        ring   one with sidelobes, of a ring-shaped uv coverage
white    no correlation
uneven   natural, times a smooth field of 4 beams that scatters by .35: the tails are heavy on both sides
spikes   natural, and in one pixel of 3000 one of 3 to 8 rms more, of either sign, in the beam's shape
lobes    ring, and 6 points of 5000 to 20000 sigma of which .5 % keeps the sidelobes of a short observation
bowls    natural, each point above 100 sigma in a negative bowl of 2 % of its peak, 12 beams wide
clouds   natural, on a random background of rms 1.5 and 12 beams
A row: threshold of each sky; rows; purity, the part with a true point of half its peak or more within .75 beams; the same of
rows below 5.5 sigma; found: true points of S/N 5 and more with a row there, one to one.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile

import numpy as np

import other_sky

RMS = other_sky.RMS
KINDS = ("natural", "ring", "white", "uneven", "spikes", "lobes", "bowls", "clouds")


def take_beam(beam):
    other_sky.MAJOR = other_sky.MINOR = beam
    other_sky.BEAM = other_sky.covariance(beam, beam, 0)
    other_sky.AREA = np.pi / (4 * np.log(2)) * beam**2


def field(size, rng, fwhm):
    """Gaussian, of standard deviation 1; its autocorrelation has this width."""
    u = np.fft.fftfreq(size)
    q2 = u[:, None] ** 2 + u**2
    made = np.fft.ifft2(np.fft.fft2(rng.standard_normal((size, size))) * np.exp(-np.pi**2 * fwhm**2 * q2 / (8 * np.log(2)))).real
    return made / made.std()


def add_artefacts(sky, kind, beam):
    size, rng = sky.size, sky.rng
    if kind == "spikes":
        for _ in range(size * size // 3000):
            x, y = rng.uniform(0, size, 2)
            other_sky.add_gaussian(sky.image, x, y, RMS * rng.choice((-1, 1)) * rng.uniform(3, 8), other_sky.BEAM)
    if kind == "clouds":
        sky.image += 1.5 * RMS * field(size, rng, 12 * beam)
    if kind == "lobes":
        residual = other_sky.snapshot_beam(2 * size, rng)
        residual[size - 3 : size + 4, size - 3 : size + 4] = 0
        for x, y in sky.places(6, 60):
            x, y, peak = round(x), round(y), RMS * 10 ** rng.uniform(np.log10(5000), np.log10(20000))
            sky.add("point", x, y, peak)
            sky.image += 0.005 * peak * residual[size - y : 2 * size - y, size - x : 2 * size - x]
    if kind == "bowls":
        for row in sky.rows:
            if row["peak"] > 100 * RMS:
                other_sky.add_gaussian(sky.image, row["x"], row["y"], -0.02 * row["peak"], other_sky.covariance(12 * beam, 12 * beam, 0))


def make(kind, seed, options):
    size, beam = options.size, options.beam
    sky = other_sky.Sky(size, seed, kind == "white")
    if kind not in ("ring", "white", "lobes"):
        sky.image = RMS * field(size, sky.rng, beam)
    if kind == "uneven":
        sky.image *= np.exp(0.35 * field(size, sky.rng, 4 * beam))
    for _ in range(int(5 * size * size / beam**2 / options.density)):
        x, y = sky.rng.uniform(-2, size + 1, 2)
        sky.add("point", x, y, RMS / sky.rng.uniform(1 / 2000, 1))
    add_artefacts(sky, kind, beam)
    return sky


def score(sky, rows, beam):
    """rows, real ones, rows below 5.5 sigma, real ones of these, true points, found ones."""
    x, y, peak = (np.array([row[name] for row in sky.rows]) for name in ("x", "y", "peak"))
    near = [np.flatnonzero(np.hypot(x - a, y - b) <= 0.75 * beam) for a, b in zip(rows["Xposn"], rows["Yposn"])]
    real = np.array([bool(len(j)) and peak[j].max() >= 0.5 * p for j, p in zip(near, rows["Peak_flux"])], bool)
    faint = rows["SNR"] < 5.5
    use = peak >= 5 * RMS
    found = other_sky.nearest({"x": x, "y": y, "peak": peak}, rows, use, 0.75 * beam) if len(rows["Xposn"]) else np.full(len(x), -1)
    return np.array([len(real), real.sum(), faint.sum(), real[faint].sum(), use.sum(), (found[use] >= 0).sum()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=640)
    parser.add_argument("--beam", type=float, default=2.5)
    parser.add_argument("--density", type=float, default=60)
    parser.add_argument("--keep")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    take_beam(options.beam)
    print("| sky | thresholds | rows | purity | of rows below 5.5 | found |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for kind in options.kinds.split(","):
            sums, thresholds = np.zeros(6), []
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                sky = make(kind, seed, options)
                path = f"{folder}/{kind}_{seed}"
                other_sky.write_fits(path + ".fits", sky.image)
                subprocess.run([options.reber, "find", path + ".fits", "-o", path + ".csv", "--json", path + ".json", "--overwrite", "-q", *options.words], check=True, stdout=subprocess.DEVNULL)
                with open(path + ".json", encoding="utf-8") as file:
                    seed_used = re.search(r"seed ([\d.]+), flood", file.read())
                thresholds.append(seed_used[1] if seed_used else "?")
                sums += score(sky, other_sky.table(path + ".csv"), options.beam)
            rows, real, faint, faint_real, true, found = sums
            print(f"| {kind} | {', '.join(thresholds)} | {rows:.0f} | {real / rows:.4f} | {faint_real / max(faint, 1):.3f} of {faint:.0f} | {found / true:.3f} |", flush=True)


if __name__ == "__main__":
    main()
