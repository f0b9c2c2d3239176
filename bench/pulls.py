#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether stated errors are right: pulls of fluxes, places, axes and angles of Gaussians whose truth is known.

usage: pulls.py --reber BIN [--seeds 4] [--first-seed 1] [-- options of reber find]
Needs NumPy only. Skies of 1024 x 1024 in noise of a ring-shaped uv coverage and white noise, beam 8 x 5 pixels: isolated
Gaussians of 1.3 to 3 beams, 1.3 : 1 or longer, and as many points. A pull is error / stated error, 1 where errors are right; a
figure is the rms of pulls, none counting as more than 9. Angles of points are of what noise makes of a beam: they are left out.
"""
import argparse
import subprocess
import tempfile

import numpy as np

import law_fields
import other_sky

SIZE, SCALE = 1024, 2 / 3600
BINS = ((5, 10), (10, 30), (30, 300))
NAMES = ("Total_flux", "Peak_flux", "Xposn", "Yposn", "Maj", "Min", "PA")


def make_sky(seed, white):
    beam = other_sky.take_beam(8, 5, 37)
    sky = other_sky.Sky(SIZE, seed, white)
    truth = []
    for k, (x, y) in enumerate(sky.places(180, 60, 40)):
        peak = other_sky.RMS * 5 * 10 ** sky.rng.uniform(0, 1.7)
        wide = beam
        if k % 2:
            minor = other_sky.MAJOR * sky.rng.uniform(0.6, 1.8)
            wide = beam + law_fields.beam_matrix(minor * sky.rng.uniform(1.5, 2.5), minor, sky.rng.uniform(0, 180))
        sky.add("source", x, y, peak, wide)
        values, axes = np.linalg.eigh(wide)
        angle = np.degrees(np.arctan2(-axes[0, 1], axes[1, 1])) % 180
        total = peak * np.sqrt(np.linalg.det(wide) / np.linalg.det(beam))
        truth.append((total, peak, x, y, np.sqrt(values[1]) * SCALE, np.sqrt(values[0]) * SCALE, angle, k % 2))
    return law_fields.Field(sky.image.astype(np.float32), beam, SCALE), np.array(truth)


def pulls_of(truth, rows):
    """Of each source that one row stands for: its S/N, whether it is wide, and the pulls of NAMES."""
    out = []
    for one in truth:
        near = np.flatnonzero(np.hypot(rows["Xposn"] - one[2], rows["Yposn"] - one[3]) < other_sky.MAJOR)
        if len(near) != 1:
            continue
        row = {name: rows[name][near[0]] for name in (*NAMES, *("E_" + name for name in NAMES), "Isl_rms")}
        off = [row[name] - value for name, value in zip(NAMES, one)]
        off[6] = (off[6] + 90) % 180 - 90
        with np.errstate(all="ignore"):
            out.append([one[1] / row["Isl_rms"], one[7]] + [value / row["E_" + name] for value, name in zip(off, NAMES)])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("find", nargs="*", help="after --: options of reber find")
    options = parser.parse_args()
    print(f"{'':14}{'S/N':>8}{'rows':>6}   total  peak     x     y   Maj   Min    PA")
    with tempfile.TemporaryDirectory() as folder:
        for white in (False, True):
            pulls = []
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                field, truth = make_sky(seed, white)
                field.write(f"{folder}/sky.fits")
                command = [options.reber, "find", f"{folder}/sky.fits", "-o", f"{folder}/rows.csv", "--overwrite", "-q"]
                subprocess.run([*command, *options.find], check=True)
                pulls += pulls_of(truth, other_sky.table(f"{folder}/rows.csv"))
            pulls = np.array(pulls)
            for wide in (0, 1):
                for low, high in BINS:
                    of = pulls[(pulls[:, 1] == wide) & (pulls[:, 0] >= low) & (pulls[:, 0] < high), 2:]
                    rms = [np.sqrt(np.mean(np.clip(p[np.isfinite(p)], -9, 9) ** 2)) if np.isfinite(p).any() else np.nan for p in of.T]
                    figures = rms if wide else [*rms[:6], np.nan]
                    print(f"{'white ' if white else 'ring  '}{'wide' if wide else 'points':8}{low:>4}-{high:<4}{len(of):5d}   "
                          + " ".join(f"{value:5.2f}" for value in figures))


if __name__ == "__main__":
    main()
