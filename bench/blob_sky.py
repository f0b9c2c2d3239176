#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Doubles of another make than other_sky.py's, searched and scored: lobes with edges, a round beam, smoothed white noise.

usage: blob_sky.py --reber BIN [--seeds 3] [--first-seed 1] [--keep FOLDER]
Needs NumPy only. A lobe is the projection of an ellipsoid of even emissivity, convolved with the beam; hot spots and nuclei are
points of 20 to 200 rms. The beam is 6 x 6 px, the noise white noise smoothed by it.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np

import other_sky

SIZE, WIDTH, DOUBLES = 1024, 6.0, 37


def make_sky(folder, seed):
    sky = other_sky.Sky(SIZE, 777000 + seed, True)
    rng = sky.rng
    noise = other_sky.smoothed(sky.image)
    sky.image = other_sky.RMS * noise / noise.std()
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    model = np.zeros((SIZE, SIZE))
    for group, (x, y) in enumerate(sky.places(DOUBLES, 100, 60)):
        half, t, peak, total = rng.uniform(9, 26), rng.uniform(0, np.pi), other_sky.RMS * 10 ** rng.uniform(1.3, 2.3), 0
        for side in (-1, 1):
            a, b, share = side * half * np.cos(t), side * half * np.sin(t), 1 if side > 0 else rng.uniform(0.4, 1)
            total += sky.add("hotspot", x + a, y + b, share * peak, group=group)
            long, wide = rng.uniform(0.35, 0.6) * half, rng.uniform(0.2, 0.4) * half
            dx, dy = xx - x - 0.65 * a, yy - y - 0.65 * b
            along, across = dx * np.cos(t) + dy * np.sin(t), -dx * np.sin(t) + dy * np.cos(t)
            blob = np.sqrt(np.maximum(0, 1 - (along / long) ** 2 - (across / wide) ** 2))
            flux = share * peak * rng.uniform(0.15, 0.4) * 2.5 * long * wide / other_sky.AREA
            model += blob / blob.sum() * flux
            total += flux
        if group % 2:
            total += sky.add("nucleus", x, y, peak * rng.uniform(0.3, 0.8), group=group)
        sky.rows.append({"kind": "double", "x": x, "y": y, "peak": peak, "total": total, "group": group, "gap": half})
    sky.image += other_sky.smoothed(model)
    sky.write(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--keep", help="folder that keeps skies and catalogues")
    options = parser.parse_args()
    other_sky.take_beam(WIDTH, WIDTH, 0.0)
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            folder = os.path.join(options.keep or temporary, f"blobs{seed}")
            make_sky(folder, seed)
            subprocess.run([options.reber, "find", f"{folder}/sky.fits", "-o", f"{folder}/found.csv", "--overwrite", "-q"], check=True)
            print(f"seed {seed}:")
            other_sky.score("lobes", other_sky.table(f"{folder}/truth.csv"), other_sky.table(f"{folder}/found.csv"))


if __name__ == "__main__":
    main()
