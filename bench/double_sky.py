#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Radio galaxies of type FR II in three makes, searched and scored by the parts that a challenge would count.

usage: double_sky.py [--reber BIN] [--finders Reber,PyBDSF] [--makes steep,backflow,gauss] [--seeds 3] [--first-seed 1] [--white]
                     [--keep FOLDER] [-- options of reber find]
Needs NumPy; astropy where other finders are asked. Noise and beam are those of other_sky.py. A galaxy is 5 to 20 beams long,
has two hot spots of S/N 5 to 100, of the beam's size or a little wider, two lobes, a bridge, and a core of S/N 3 to 15 or none.

steep     lobes are projected ellipsoids of even emissivity, whose edges are steep
backflow  lobes are brightest behind the hot spot and fade towards the core; their fronts and sides are steep
gauss     lobes and bridge are Gaussians
Found: hot spots and cores of S/N 5, with a row of their own within .75 beams; lobes of S/N 5
with a row of their own within half their width. total: mean and scatter of an object's rows over its truth. beyond: rows
farther than a beam from any part and from lobes and bridges.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np

import other_sky

SIZE = 1024


def frame(shape, x, y, angle):
    """Coordinates along and across a direction from a place."""
    yy, xx = np.mgrid[0 : shape[0], 0 : shape[1]].astype(float)
    return (xx - x) * np.cos(angle) + (yy - y) * np.sin(angle), -(xx - x) * np.sin(angle) + (yy - y) * np.cos(angle)


def lobe_of(make, half, wide, along, across):
    """Brightness of a lobe on the side of positive `along`, any scale."""
    if make == "steep":
        return np.sqrt(np.maximum(0, 1 - ((along - 0.62 * half) / (0.4 * half)) ** 2 - (across / wide) ** 2))
    if make == "gauss":
        return np.exp(-4 * np.log(2) * (((along - 0.62 * half) / (0.5 * half)) ** 2 + (across / wide) ** 2))
    edge = wide * np.sqrt(np.clip(1.04 - along / half, 0, 1) + 0.05)
    return np.where((along > 0) & (along < 1.04 * half) & (np.abs(across) < edge), np.exp((along - half) / (0.35 * half)), 0.0)


def add_galaxy(sky, make, group, x, y):
    """Its parts become rows of the truth.   returns its diffuse brightness, Jy per pixel"""
    rng = sky.rng
    half, angle = other_sky.MAJOR * np.exp(rng.uniform(np.log(2.5), np.log(10))), rng.uniform(0, 2 * np.pi)
    spot, wide = other_sky.RMS * 10 ** rng.uniform(0.7, 2), max(3.0, half * rng.uniform(0.15, 0.3))
    diffuse, total = np.zeros_like(sky.image), 0.0
    for side in (0, np.pi):
        t, share = angle + side, 1.0 if side == 0 else rng.uniform(0.4, 1)
        reach = half * rng.uniform(0.92, 0.97)
        shape = other_sky.BEAM + rng.uniform(0, 0.5) ** 2 * other_sky.MAJOR**2 * np.eye(2)
        total += sky.add("hotspot", x + reach * np.cos(t), y + reach * np.sin(t), share * spot, shape, group)
        along, across = frame(sky.image.shape, x, y, t)
        lobe = lobe_of(make, half, wide, along, across)
        level = share * spot * rng.uniform(0.1, 0.4)
        diffuse += lobe * level / lobe.max() / other_sky.AREA
        middle = (lobe * along).sum() / lobe.sum()
        sky.rows.append({"kind": "lobe", "x": x + middle * np.cos(t), "y": y + middle * np.sin(t), "peak": level,
                         "total": lobe.sum() * level / lobe.max() / other_sky.AREA, "group": group, "gap": wide})
    along, across = frame(sky.image.shape, x, y, angle)
    bridge = (np.abs(along) < 0.4 * half) & (np.abs(across) < 0.5 * wide)
    diffuse += bridge * spot * rng.uniform(0.01, 0.05) / other_sky.AREA
    if group % 3:
        total += sky.add("nucleus", x, y, other_sky.RMS * 10 ** rng.uniform(0.5, 1.2), group=group)
    total += diffuse.sum()
    sky.rows.append({"kind": "double", "x": x, "y": y, "peak": spot, "total": total, "group": group, "gap": half})
    return diffuse


def make_sky(folder, make, seed, white):
    sky = other_sky.Sky(SIZE, seed, white)
    diffuse = np.zeros_like(sky.image)
    for group, (x, y) in enumerate(sky.places(16, 190, 95)):
        diffuse += add_galaxy(sky, make, group, x, y)
    smooth = other_sky.smoothed(diffuse)
    for row in sky.rows:
        row["under"] = smooth[round(row["y"]), round(row["x"])]
    sky.image += smooth
    sky.write(folder)


def search(name, folder, options):
    """x, y and total of the rows."""
    path = f"{folder}/{name}.csv"
    if name == "Reber":
        done = subprocess.run([options.reber, "find", f"{folder}/sky.fits", "-o", path, "--overwrite", "-q", *options.find], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        found = other_sky.table(path)
        return {"x": found["Xposn"], "y": found["Yposn"], "total": found["Total_flux"]}
    import finders

    found = finders.FINDERS[name](f"{folder}/sky.fits", tempfile.mkdtemp(dir=folder), options.reber)
    return {key: np.asarray(found[key]) for key in ("x", "y", "total")}


def matched(truth, found):
    """Row of each part, -1 without: hot spots and cores first, then lobes, each row once."""
    taken, match = np.zeros(len(found["x"]), bool), np.full(len(truth["x"]), -1)
    points = np.isin(truth["kind"], ("hotspot", "nucleus"))
    for i in sorted(np.flatnonzero(truth["kind"] != "double"), key=lambda i: (not points[i], -truth["peak"][i])):
        within = 0.75 * other_sky.MAJOR if points[i] else max(0.75 * other_sky.MAJOR, 0.5 * truth["gap"][i])
        d = np.hypot(found["x"] - truth["x"][i], found["y"] - truth["y"][i])
        d[taken] = np.inf
        if len(d) and d.min() <= within:
            match[i] = d.argmin()
            taken[match[i]] = True
    return match


def score(name, pairs):
    counts, sums, beyond, rows = {}, [], 0, 0
    for truth, found in pairs:
        match = matched(truth, found)
        for kind in ("hotspot", "nucleus", "lobe"):
            use = (truth["kind"] == kind) & (truth["peak"] >= 5 * other_sky.RMS)
            of, got = counts.get(kind, (0, 0))
            counts[kind] = of + use.sum(), got + (match[use] >= 0).sum()
        for i in np.flatnonzero(truth["kind"] == "double"):
            near = np.hypot(found["x"] - truth["x"][i], found["y"] - truth["y"][i]) <= truth["gap"][i] + 12
            sums.append(found["total"][near].sum() / truth["total"][i])
        parts = truth["kind"] != "double"
        for x, y in zip(found["x"], found["y"]):
            near = np.hypot(truth["x"] - x, truth["y"] - y)
            inside = (near <= 1.1 * truth["gap"]) & ~parts
            beyond += not (near[parts].min() <= other_sky.MAJOR or inside.any())
        rows += len(found["x"])
    every = [sum(one) for one in zip(*counts.values())]
    sums = np.array(sums)
    cells = "  ".join(f"{kind} {got / of:.3f} of {of}" for kind, (of, got) in counts.items())
    print(f"  {name:7} parts {every[1] / every[0]:.3f}  {cells}  rows {rows}, beyond {beyond}; total {sums.mean():.3f} scatter {other_sky.spread(sums):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber")
    parser.add_argument("--finders", default="Reber")
    parser.add_argument("--makes", default="steep,backflow,gauss")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--white", action="store_true", help="noise without correlation")
    parser.add_argument("--keep", help="folder that keeps skies and catalogues, which are used again")
    parser.add_argument("find", nargs="*", help="after --: options of reber find")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for make in options.makes.split(","):
            folders = []
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                folders.append(os.path.join(options.keep or temporary, f"{make}{seed}" + ("white" if options.white else "")))
                if not os.path.exists(f"{folders[-1]}/truth.csv"):
                    make_sky(folders[-1], make, 4000 * seed + len(make), options.white)
            print(f"{make}:", flush=True)
            for name in options.finders.split(","):
                score(name, [(other_sky.table(f"{folder}/truth.csv"), search(name, folder, options)) for folder in folders])


if __name__ == "__main__":
    main()
