#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The noise that reber measures, over its true value, by where the cells of the mesh fall: frames of blank pixels and cut-outs.

usage: phases.py --reber BIN [--kinds mosaic,few,primary,ramp,steps,slope,round] [--seeds 2] [--first-seed 1]
                 [--shifts 0,16,37,48,-16,-37] [-- options of reber background]
Needs NumPy only. Skies are those of strange_sky.py. A shift above 0 is the width of a frame, one below cuts so many rows and columns
off at the first corner.
A line of the table: scatter (1.4826 x the median absolute deviation) of rms over true at each shift; then of the worst one the median
and the percentiles 1 and 99; then the 95th percentile of what two shifts differ by: in rms, and in the mean over the rms.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np

import law_fields
import other_sky
import strange_sky


def shifted(image, shift):
    return np.pad(image, shift, constant_values=np.nan) if shift >= 0 else image[-shift:, -shift:]


def unshifted(image, shift):
    return image[shift : image.shape[0] - shift, shift : image.shape[1] - shift] if shift >= 0 else np.pad(image, ((-shift, 0), (-shift, 0)), constant_values=np.nan)


def maps(reber, field, folder, shift, options):
    field.with_image(shifted(field.image, shift)).write(f"{folder}/shifted.fits")
    names = [f"{folder}/{name}.fits" for name in ("mean", "rms")]
    command = [reber, "background", f"{folder}/shifted.fits", "--write-mean", names[0], "--write-rms", names[1], "--overwrite", "-q", *options]
    subprocess.run(command, check=True)
    return [unshifted(law_fields.pixels_of(name)[0], shift) for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--kinds", default="mosaic,few,primary,ramp,steps,slope,round")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--shifts", default="0,16,37,48,-16,-37")
    parser.add_argument("background", nargs="*", help="after --: options of reber background")
    options = parser.parse_args()
    shifts = [int(one) for one in options.shifts.split(",")]
    print(f"{'':10}" + "".join(f"{shift:6d}" for shift in shifts) + "   median    1 %   99 %   differ: rms, mean")
    for kind in options.kinds.split(","):
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            with tempfile.TemporaryDirectory() as folder:
                strange_sky.take_beam(kind)
                strange_sky.make_sky(folder, kind, 1000 * seed + len(kind), False)
                field, noise = law_fields.read_field(f"{folder}/sky.fits"), np.load(f"{folder}/noise.npy")
                found = [maps(options.reber, field, folder, shift, options.background) for shift in shifts]
            with np.errstate(invalid="ignore"):
                ratios = [rms / noise for _, rms in found]
                scatters = [other_sky.spread(ratio.ravel()) for ratio in ratios]
                worst = ratios[int(np.argmax(scatters))]
                differ = [np.nanpercentile(np.ptp(np.where(np.isnan(some).any(axis=0), np.nan, some), axis=0), 95)
                          for some in (np.array(ratios), np.array([mean / noise for mean, _ in found]))]
            low, middle, high = np.nanpercentile(worst, (1, 50, 99))
            print(f"{kind + str(seed):10}" + "".join(f"{one:6.3f}" for one in scatters)
                  + f"   {middle:6.3f} {low:6.3f} {high:6.3f}   {differ[0]:6.3f} {differ[1]:6.3f}", flush=True)


if __name__ == "__main__":
    main()
