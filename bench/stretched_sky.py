#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Points and doubles under beams of any axis ratio: what a finder sees must not depend on how the sky is sheared.

usage: stretched_sky.py --reber BIN [--ratios 1,2,3,4,6,8] [--minors 2.5,3,4,8] [--seeds 2] [--first-seed 1]
                        [--white] [--keep FOLDER] [-- options of reber find]
Needs NumPy only. Isolated points of S/N 10 to 1000, and doubles of S/N 40 and 20 to 40, .8 to 1.5 beams apart along
the beam's major or minor axis, under a beam of any position angle; noise as in other_sky.py.

A row of the table: points found; ghosts, rows that share a third of the minor axis with another row or stand within a
beam of a point that has a row already; median of total over truth, and rms of its pull; components of doubles found.
"""
import argparse
import csv
import os
import subprocess
import tempfile

import numpy as np

import other_sky


def make(ratio, minor, seed, white):
    rng = np.random.default_rng([seed, int(10 * ratio), int(10 * minor)])
    major, angle = ratio * minor, rng.uniform(0, 180)
    other_sky.take_beam(major, minor, angle)
    apart = int(4 * major + 12)
    rows = max(4, min(14, 1500 // apart))
    size = rows * apart
    image = other_sky.ring_noise(size, rng, white)
    t = np.radians(angle)
    axes = {"major": np.array([-np.sin(t), np.cos(t)]) * major, "minor": np.array([np.cos(t), np.sin(t)]) * minor}
    truth = []
    for k in range(rows * rows):
        x, y = (np.array([k % rows, k // rows]) + 0.5) * apart + rng.uniform(-1, 1, 2)
        if k % 4:
            points = [(x, y, other_sky.RMS * 10 ** rng.uniform(1, 3))]
            kind = "point"
        else:
            kind = ("major", "minor")[k // 4 % 2]
            step = axes[kind] * rng.uniform(0.8, 1.5)
            points = [(x, y, 40 * other_sky.RMS), (x + step[0], y + step[1], other_sky.RMS * rng.uniform(20, 40))]
        for px, py, peak in points:
            other_sky.add_gaussian(image, px, py, peak, other_sky.BEAM)
            truth.append((kind, k, px, py, peak))
    return image, truth


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [{key: float(row[key]) for key in ("Xposn", "Yposn", "Total_flux", "E_Total_flux", "Flag")}
                for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def in_beams(dx, dy):
    inverse = np.linalg.inv(other_sky.BEAM)
    return np.sqrt(inverse[0, 0] * dx * dx + 2 * inverse[0, 1] * dx * dy + inverse[1, 1] * dy * dy)


def score(rows, truth):
    at = np.array([(row["Xposn"], row["Yposn"]) for row in rows]).reshape(-1, 2)
    points = found = ghosts = 0
    ratio, pulls, doubles, components = [], [], 0, 0
    for kind, _, x, y, peak in truth:
        distance = in_beams(at[:, 0] - x, at[:, 1] - y)
        near = np.flatnonzero(distance < (1 if kind == "point" else 0.35))
        if kind != "point":
            doubles += 1
            components += near.size > 0
            continue
        points += 1
        found += near.size > 0
        ghosts += max(0, near.size - 1)
        if near.size:
            best = rows[near[np.argmin(distance[near])]]
            ratio.append(best["Total_flux"] / peak)
            pulls.append((best["Total_flux"] - peak) / best["E_Total_flux"])
    for k, one in enumerate(at):  # two rows at one place, of doubles as well
        ghosts += np.any(np.hypot(*(at[:k] - one).T) < other_sky.MINOR / 3) and not any(
            t[0] == "point" and in_beams(one[0] - t[2], one[1] - t[3]) < 1 for t in truth)
    return points, found, ghosts, ratio, pulls, doubles, components


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--reber", required=True)
    parser.add_argument("--ratios", default="1,2,3,4,6,8")
    parser.add_argument("--minors", default="2.5,3,4,8")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--white", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("options", nargs="*")
    args = parser.parse_args()
    print(f"{'ratio':>5} {'minor':>5} {'points':>6} {'found':>5} {'ghosts':>6} {'total':>6} {'pull':>5} {'doubles':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for ratio in map(float, args.ratios.split(",")):
            for minor in map(float, args.minors.split(",")):
                sums = [0, 0, 0, [], [], 0, 0]
                for seed in range(args.first_seed, args.first_seed + args.seeds):
                    image, truth = make(ratio, minor, seed, args.white)
                    base = os.path.join(folder, f"stretched_{ratio:g}_{minor:g}_{seed}")
                    other_sky.write_fits(base + ".fits", image)
                    subprocess.run([args.reber, "find", base + ".fits", "-o", base + ".csv", "--overwrite", "-q", *args.options],
                                   check=True, stdout=subprocess.DEVNULL)
                    sums = [a + b for a, b in zip(sums, score(rows_of(base + ".csv"), truth))]
                points, found, ghosts, totals, pulls, doubles, components = sums
                print(f"{ratio:5g} {minor:5g} {points:6} {found:5} {ghosts:6} {np.median(totals):6.3f} "
                      f"{np.sqrt(np.mean(np.square(pulls))):5.2f} {components:4}/{doubles:<4}", flush=True)


if __name__ == "__main__":
    main()
