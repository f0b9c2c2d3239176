#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The extended sources of `reber find --extended`, scored on skies of other_sky.py whose truth is known.

usage: extended.py --reber BIN [--kinds emission,lobes,compact,bright] [--seeds 3] [--size 1024] [--white] [-- options of reber find]
Needs NumPy only. For each true object: the sum of the structures whose centroid lies on it over its true total, the
pull, how many structures it came as, and their class. Structures on no object are counted as false.
"""
import argparse
import collections
import subprocess
import tempfile

import numpy as np

import other_sky as sky_of

OBJECTS = ("disc", "ring", "filament", "haze", "double")


def score(folder, extra, reber):
    subprocess.run([reber, "find", f"{folder}/sky.fits", "-o", f"{folder}/cat.csv", "--extended", f"{folder}/ext.csv", "--backend", "cpu",
                    "--overwrite", "-q", *extra], check=True)
    truth, found = sky_of.table(f"{folder}/truth.csv"), sky_of.table(f"{folder}/ext.csv")
    if not found:
        found = {name: np.array([]) for name in ("Parent_id", "Xposn", "Yposn", "Total_flux", "E_Total_flux", "Class", "Npix")}
    roots = np.flatnonzero((found["Parent_id"] == 0))
    used, rows = np.zeros(len(found["Parent_id"]), bool), []
    for i in np.flatnonzero(np.isin(truth["kind"], OBJECTS)):
        reach = truth["gap"][i] * (1.2 if truth["kind"][i] in ("disc", "ring", "double") else 1.8) + 5
        mine = roots[np.hypot(found["Xposn"][roots] - truth["x"][i], found["Yposn"][roots] - truth["y"][i]) < reach]
        used[mine] = True
        total, error = found["Total_flux"][mine].sum(), np.sqrt((found["E_Total_flux"][mine] ** 2).sum())
        rows.append((truth["kind"][i], truth["peak"][i] / sky_of.RMS, truth["total"][i], total, error, len(mine), "+".join(found["Class"][mine])))
    return rows, [(found["Xposn"][k], found["Yposn"][k], found["Total_flux"][k] / found["E_Total_flux"][k], found["Npix"][k]) for k in roots[~used[roots]]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--kinds", default="emission,lobes,compact,bright")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--white", action="store_true")
    parser.add_argument("--every", action="store_true", help="a line for each object")
    parser.add_argument("options", nargs="*")
    args = parser.parse_args()
    for kind in args.kinds.split(","):
        rows, false = [], []
        for seed in range(args.first, args.first + args.seeds):
            with tempfile.TemporaryDirectory() as folder:
                sky_of.make_sky(folder, kind, args.size, seed, args.white, True)
                some, none = score(folder, args.options, args.reber)
                rows += some
                false += none
        print(f"{kind}: {len(rows)} objects, {len(false)} structures on none of them" + (f", of S/N {', '.join(f'{f[2]:.0f}' for f in false[:12])}" if false else ""))
        if args.every:
            for row in sorted(rows):
                print(f"    {row[0]:9} level {row[1]:6.1f}  S/N {row[2] / row[4] if row[4] else np.nan:7.1f}  total/true {row[3] / row[2]:.3f}  pull {(row[3] - row[2]) / row[4] if row[4] else np.nan:6.2f}  {row[5]} {row[6]}")
        for name in OBJECTS:
            mine = [row for row in rows if row[0] == name]
            seen = [row for row in mine if row[5] > 0]
            for low, high in ((0, 20), (20, np.inf)):
                some = [row for row in seen if low <= row[2] / row[4] < high]
                if not some:
                    continue
                ratio = np.array([row[3] / row[2] for row in some])
                pulls = np.array([(row[3] - row[2]) / row[4] for row in some])
                print(f"  {name:9} S/N {low:g}-{high:g}: {len(some):3d} of {len(mine)} seen, as one structure {sum(row[5] == 1 for row in some)}; total/true mean {ratio.mean():.3f} "
                      f"median {np.median(ratio):.3f} scatter {sky_of.spread(ratio):.3f} least {ratio.min():.2f} most {ratio.max():.2f}; pulls mean {pulls.mean():5.2f} rms {np.sqrt((np.clip(pulls, -9, 9) ** 2).mean()):.2f}"
                      f"  {dict(collections.Counter(row[6] for row in some).most_common(3))}")


if __name__ == "__main__":
    main()
