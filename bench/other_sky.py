#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Skies of another construction than `reber simulate`, searched and scored: edges, emission, lobes, bright sources.

usage: other_sky.py --reber BIN [--kinds cut,emission,lobes,bright,spokes,compact] [--seeds 3] [--size 1024] [--keep FOLDER]
                    [--white] [-- options of reber find]
Needs NumPy only. Noise comes of a ring-shaped uv coverage, whose autocorrelation has sidelobes of -19 to +12 %; the beam
is 8 x 5 pixels at PA 37. With --white the noise has no correlation.

cut       points beside and beyond the border, and beside and inside blank discs and strips
emission  smooth discs, rings and filaments with cores and knots, peak S/N 2 to 30 per beam
lobes     doubles: two hot spots in wide lobes, a bridge, in half of them a core
bright    points of 10^4 sigma with the rings of an imperfect subtraction
spokes    points of 3000 to 20 000 sigma, of which .3 to 1 % keeps the sidelobes of a short observation
compact   points of S/N 5 to 300
Every sky lists its parts with their true total; extended objects have one row for the object and one for each part.
"""
import argparse
import csv
import os
import subprocess
import tempfile

import numpy as np

MAJOR, MINOR, PA = 8.0, 5.0, 37.0  # pixels, degrees
RMS = 20e-6  # Jy/beam
AREA = np.pi / (4 * np.log(2)) * MAJOR * MINOR
PIXEL_DEG = 2.0 / 3600


def covariance(major, minor, pa):
    """Squared FWHMs on the grid: longitude falls with x, angles run from y through -x."""
    t = np.radians(pa)
    along = np.array([-np.sin(t), np.cos(t)])
    across = np.array([along[1], -along[0]])
    return major**2 * np.outer(along, along) + minor**2 * np.outer(across, across)


BEAM = covariance(MAJOR, MINOR, PA)


def take_beam(major, minor, angle):
    """The beam of every sky made from here on.   returns its squared FWHMs"""
    global MAJOR, MINOR, PA, AREA, BEAM
    MAJOR, MINOR, PA = major, minor, angle
    AREA, BEAM = np.pi / (4 * np.log(2)) * major * minor, covariance(major, minor, angle)
    return BEAM


def ring_noise(size, rng, white=False):
    if white:
        return RMS * rng.standard_normal((size, size))
    u = np.fft.fftfreq(size)
    q = np.sqrt(np.einsum("ij,i...,j...->...", BEAM, np.stack(np.meshgrid(u, u)), np.stack(np.meshgrid(u, u))))
    power = np.exp(-0.5 * ((q - 0.48) / 0.08) ** 2) + 0.8 * np.exp(-0.5 * (q / 0.2) ** 2)
    noise = np.fft.ifft2(np.fft.fft2(rng.standard_normal((size, size))) * np.sqrt(power)).real
    return RMS * noise / noise.std()


def add_gaussian(sky, x, y, peak, shape):
    """In place, to 6 FWHMs."""
    inverse = np.linalg.inv(shape)
    reach = int(3 * np.sqrt(np.linalg.eigvalsh(shape)[-1])) + 2
    y0, y1 = max(0, int(y) - reach), min(sky.shape[0], int(y) + reach + 1)
    x0, x1 = max(0, int(x) - reach), min(sky.shape[1], int(x) + reach + 1)
    if y1 <= y0 or x1 <= x0:
        return
    dy, dx = np.mgrid[y0:y1, x0:x1].astype(float)
    dy -= y
    dx -= x
    sky[y0:y1, x0:x1] += peak * np.exp(-4 * np.log(2) * (inverse[0, 0] * dx**2 + 2 * inverse[0, 1] * dx * dy + inverse[1, 1] * dy**2))


def smoothed(model):
    """A model in Jy per pixel becomes Jy/beam."""
    u = np.fft.fftfreq(model.shape[0])
    v = np.fft.fftfreq(model.shape[1])
    grid = np.stack(np.meshgrid(v, u))
    q2 = np.einsum("ij,i...,j...->...", BEAM, grid, grid)
    return AREA * np.fft.ifft2(np.fft.fft2(model) * np.exp(-np.pi**2 * q2 / (4 * np.log(2)))).real


class Sky:
    def __init__(self, size, seed, white):
        self.rng = np.random.default_rng(seed)
        self.size = size
        self.image = ring_noise(size, self.rng, white)
        self.blank = np.zeros((size, size), bool)
        self.rows = []

    def add(self, kind, x, y, peak, shape=None, group=-1, **more):
        shape = BEAM if shape is None else shape
        add_gaussian(self.image, x, y, peak, shape)
        total = peak * np.sqrt(np.linalg.det(shape) / np.linalg.det(BEAM))
        self.rows.append({"kind": kind, "x": x, "y": y, "peak": peak, "total": total, "group": group, "gap": more.get("gap", np.nan)})
        return total

    def places(self, number, apart, margin=40):
        """At random, at least `apart` pixels from each other."""
        found = []
        while len(found) < number:
            x, y = self.rng.uniform(margin, self.size - margin, 2)
            if all(np.hypot(x - a, y - b) >= apart for a, b in found):
                found.append((x, y))
        return found

    def write(self, folder, beam=True):
        """sky.fits and truth.csv, which search and score take."""
        os.makedirs(folder, exist_ok=True)
        write_fits(f"{folder}/sky.fits", self.image, beam)
        with open(f"{folder}/truth.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(self.rows[-1]))
            writer.writeheader()
            writer.writerows(self.rows)


def make_cut(sky):
    rng, n = sky.rng, sky.size
    spacing = 45
    for side in range(4):
        for along in np.arange(30, n - 30, spacing):
            gap = rng.uniform(-4, 6)  # of the centre from the outermost pixels' centres, inside
            place = along + rng.uniform(-3, 3)
            x, y = [(place, gap), (place, n - 1 - gap), (gap, place), (n - 1 - gap, place)][side]
            sky.add("border", x, y, RMS * 10 ** rng.uniform(1, 2.3), gap=gap)
    for x, y in sky.places(n * n // 30000, 80, 90):
        radius, angle, gap = rng.uniform(3, 20), rng.uniform(0, 2 * np.pi), rng.uniform(-3, 6)
        yy, xx = np.mgrid[0:n, 0:n]
        sky.blank |= np.hypot(xx - x, yy - y) < radius
        sx, sy = x + (radius + gap) * np.cos(angle), y + (radius + gap) * np.sin(angle)
        sky.add("blank", sx, sy, RMS * 10 ** rng.uniform(1, 2.3), gap=gap)


def make_compact(sky):
    for x, y in sky.places(sky.size**2 // 5000, 25, -3):
        sky.add("point", x, y, RMS * 5 * 10 ** sky.rng.uniform(0, 1.8))


def make_emission(sky):
    rng, n = sky.rng, sky.size
    yy, xx = np.mgrid[0:n, 0:n].astype(float)
    for group, (x, y) in enumerate(sky.places(max(4, n * n // 65000), 150, 75)):
        kind = ["disc", "ring", "filament", "haze"][group % 4]
        size, level = rng.uniform(10, 25), RMS * 10 ** rng.uniform(np.log10(1.5), np.log10(15))
        r = np.hypot(xx - x, yy - y)
        if kind == "disc":
            model = (r < size).astype(float)
        elif kind == "ring":
            model = ((r < size) & (r > 0.65 * size)).astype(float)
        elif kind == "filament":
            t = rng.uniform(0, np.pi)
            a, b = (xx - x) * np.cos(t) + (yy - y) * np.sin(t), -(xx - x) * np.sin(t) + (yy - y) * np.cos(t)
            model = np.exp(-0.5 * ((b - 0.02 * a**2 * 0.5) / 3) ** 2) * (np.abs(a) < 1.6 * size)
        else:
            model = np.exp(-4 * np.log(2) * (r / (1.5 * size)) ** 2)
        model *= level / AREA
        sky.image += smoothed(model)
        total = model.sum()
        if group % 3 == 0:
            total += sky.add("core", x, y, level * rng.uniform(3, 12), group=group)
        if group % 3 == 1:
            for _ in range(3):
                t, q = rng.uniform(0, 2 * np.pi), rng.uniform(0.3, 0.9) * size
                total += sky.add("knot", x + q * np.cos(t), y + q * np.sin(t), level * rng.uniform(1, 5), group=group)
        sky.rows.append({"kind": kind, "x": x, "y": y, "peak": level, "total": total, "group": group, "gap": size})
    for x, y in sky.places(n * n // 10000, 25):
        if all(np.hypot(x - row["x"], y - row["y"]) > 75 for row in sky.rows if row["group"] >= 0):
            sky.add("point", x, y, RMS * 5 * 10 ** rng.uniform(0, 1.5))


def make_lobes(sky):
    rng = sky.rng
    for group, (x, y) in enumerate(sky.places(sky.size**2 // 28000, 100, 60)):
        half, t, peak = rng.uniform(10, 25), rng.uniform(0, np.pi), RMS * 10 ** rng.uniform(1.3, 2.2)
        pa = np.degrees(np.arctan2(-np.cos(t), np.sin(t)))
        total = 0
        for side in (-1, 1):
            a, b = side * half * np.cos(t), side * half * np.sin(t)
            share = 1 if side > 0 else rng.uniform(0.4, 1)
            total += sky.add("hotspot", x + a, y + b, share * peak, group=group)
            lobe = covariance(np.hypot(MAJOR, rng.uniform(0.6, 1.1) * half), np.hypot(MINOR, rng.uniform(0.3, 0.6) * half), pa)
            total += sky.add("lobe", x + 0.65 * a, y + 0.65 * b, share * peak * rng.uniform(0.15, 0.4), lobe, group)
        if group % 2:
            total += sky.add("nucleus", x, y, peak * rng.uniform(0.3, 0.8), group=group)
        sky.rows.append({"kind": "double", "x": x, "y": y, "peak": peak, "total": total, "group": group, "gap": half})


def make_bright(sky):
    rng, n = sky.rng, sky.size
    yy, xx = np.mgrid[0:n, 0:n].astype(float)
    inverse = np.linalg.inv(BEAM)
    for x, y in sky.places(max(1, n * n // 170000), 200, 120):
        peak = 1e4 * RMS * 10 ** rng.uniform(-0.1, 0.1)
        sky.add("bright", x, y, peak)
        dx, dy = xx - x, yy - y
        q = np.sqrt(inverse[0, 0] * dx**2 + 2 * inverse[0, 1] * dx * dy + inverse[1, 1] * dy**2)
        r, angle = np.hypot(dx, dy), np.arctan2(dy, dx)
        ripples = 1 + 0.6 * np.cos(3 * angle + rng.uniform(0, 6)) + 0.4 * np.cos(7 * angle + rng.uniform(0, 6))
        sky.image += peak * 1.2e-3 * np.cos(2 * np.pi * q / 1.3) * ripples * np.exp(-r / 25.0) * (q > 1.2)
    for x, y in sky.places(n * n // 5000, 25):
        if all(np.hypot(x - row["x"], y - row["y"]) > 25 for row in sky.rows if row["kind"] == "bright"):
            sky.add("point", x, y, RMS * 5 * 10 ** rng.uniform(0, 1.5))


def snapshot_beam(size, rng):
    """Dirty beam of a short observation with 27 antennas on three arms, 1 at its peak: six spokes and their sidelobes."""
    arms = np.radians(rng.uniform(0, 120) + np.array([0, 120, 240]))
    far = 0.45 / MAJOR * size * (np.arange(1, 10) / 9) ** 1.2
    antennas = np.concatenate([far[:, None] * [np.cos(t), np.sin(t)] for t in arms])
    coverage = np.zeros((size, size))
    for turn in np.radians(np.arange(0, 30, 0.25)):
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        uv = ((antennas[:, None] - antennas[None]).reshape(-1, 2) @ rotation.T * [1, 0.8]).round().astype(int)
        coverage[uv[:, 1] % size, uv[:, 0] % size] = np.hypot(*uv.T) > 0.004 * size  # uniform weights
    beam = np.fft.fftshift(np.fft.ifft2(coverage).real)
    return beam / beam.max()


def make_spokes(sky):
    rng, n = sky.rng, sky.size
    beam = snapshot_beam(2 * n, rng) 
    inverse = np.linalg.inv(BEAM)
    yy, xx = np.mgrid[-n : n, -n : n].astype(float)
    beam *= np.exp(-np.hypot(xx, yy) / 60)  # far sidelobes were cleaned better
    beam[np.sqrt(inverse[0, 0] * xx**2 + 2 * inverse[0, 1] * xx * yy + inverse[1, 1] * yy**2) < 1.2] = 0
    for x, y in sky.places(6, n // 5, 120):
        x, y = round(x), round(y)
        peak = 1e4 * RMS * 10 ** rng.uniform(-0.5, 0.3)
        sky.add("bright", x, y, peak)
        sky.image += peak * 10 ** rng.uniform(-2.5, -2) * beam[n - y : 2 * n - y, n - x : 2 * n - x]
    for x, y in sky.places(n * n // 5000, 25):
        if all(np.hypot(x - row["x"], y - row["y"]) > 25 for row in sky.rows if row["kind"] == "bright"):
            sky.add("point", x, y, RMS * 5 * 10 ** rng.uniform(0, 1.5))


MAKERS = {"spokes": make_spokes, "cut": make_cut, "compact": make_compact, "emission": make_emission, "lobes": make_lobes, "bright": make_bright}


def write_fits(path, image, beam=True):
    n = image.shape[0]
    cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2"]
    values = {"NAXIS1": n, "NAXIS2": n, "CRPIX1": n / 2, "CRPIX2": n / 2, "CRVAL1": 150.0, "CRVAL2": 2.0, "CDELT1": -PIXEL_DEG,
              "CDELT2": PIXEL_DEG}
    if beam:
        values.update({"BMAJ": MAJOR * PIXEL_DEG, "BMIN": MINOR * PIXEL_DEG, "BPA": PA})
    cards += [f"{key:8}= {value:>20}" for key, value in values.items()]
    cards += [f"{key:8}= '{value:8}'" for key, value in {"CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN", "BUNIT": "JY/BEAM"}.items()]
    text = "".join(f"{card:80}" for card in cards + ["END"])
    with open(path, "wb") as file:
        file.write(text.ljust(-(-len(text) // 2880) * 2880).encode())
        data = image.astype(">f4").tobytes()
        file.write(data + b"\0" * (-len(data) % 2880))


def make_sky(folder, kind, size, seed, white, beam):
    sky = Sky(size, seed, white)
    MAKERS[kind](sky)
    sky.image[sky.blank] = np.nan
    sky.write(folder, beam)


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    number = lambda cell: float(cell) if cell not in ("", "null") else np.nan
    out = {}
    for name in rows[0] if rows else []:
        try:
            out[name] = np.array([number(row[name]) for row in rows])
        except ValueError:
            out[name] = np.array([row[name] for row in rows])
    return out


def spread(values):
    values = values[np.isfinite(values)]
    return 1.4826 * np.median(np.abs(values - np.median(values))) if len(values) else np.nan


def nearest(truth, found, use, within):
    """Index of the catalogue row nearest to each true one, one to one, brightest first; -1 without."""
    taken, match = np.zeros(len(found["Xposn"]), bool), np.full(len(truth["x"]), -1)
    for i in sorted(np.flatnonzero(use), key=lambda i: -truth["peak"][i]):
        d = np.hypot(found["Xposn"] - truth["x"][i], found["Yposn"] - truth["y"][i])
        d[taken] = np.inf
        if len(d) and d.min() <= within:
            match[i] = d.argmin()
            taken[match[i]] = True
    return match


def line(label, truth, found, use, match):
    k = use & (match >= 0)
    j = match[k]
    ratio = found["Total_flux"][j] / truth["total"][k]
    pulls = [(found[a][j] - truth[b][k]) / found[e][j] for a, b, e in (("Total_flux", "total", "E_Total_flux"), ("Peak_flux", "peak", "E_Peak_flux"), ("Xposn", "x", "E_Xposn"), ("Yposn", "y", "E_Yposn"))]
    flagged = np.mean((found["Flag"][j].astype(int) & 1) != 0) if len(j) else np.nan
    with np.errstate(all="ignore"):
        offset = np.hypot(found["Xposn"][j] - truth["x"][k], found["Yposn"][j] - truth["y"][k])
        print(f"  {label:26} {k.sum():5d} of {use.sum():5d}  total mean {np.mean(ratio):6.3f} median {np.median(ratio):6.3f} scatter {spread(ratio):.3f}"
              f"  rms pulls total {np.sqrt(np.mean(np.clip(pulls[0], -9, 9)**2)):.2f}; robust total, peak, x, y " + " ".join(f"{spread(p):5.2f}" for p in pulls)
              + f"  offset {np.median(offset) if len(j) else np.nan:.2f}  flag 1 {flagged:.2f}")


def label_of(found, truth, i, reach):
    return np.flatnonzero(np.hypot(found["Xposn"] - truth["x"][i], found["Yposn"] - truth["y"][i]) <= reach)


def score(kind, truth, found):
    """Prints what the kind is about. truth, found: of several skies, moved apart."""
    point = truth["group"] < 0
    match = nearest(truth, found, point, 0.75 * MAJOR)
    snr = truth["peak"] / RMS
    near = np.array([np.hypot(truth["x"] - x, truth["y"] - y).min() if len(truth["x"]) else np.inf for x, y in zip(found["Xposn"], found["Yposn"])])
    if kind == "cut":
        for name in ("border", "blank"):
            for low, high in ((-4, -2.5), (-2.5, -0.5), (-0.5, 1), (1, 2.5), (2.5, 6)):
                line(f"{name} {low:g} to {high:g} px", truth, found, point & (truth["kind"] == name) & (truth["gap"] >= low) & (truth["gap"] < high), match)
    else:
        for low, high in ((5, 10), (10, 30), (30, 1e3), (1e3, np.inf)):
            if (point & (snr >= low) & (snr < high)).any():
                line(f"points of S/N {low:g} to {high:g}", truth, found, point & (snr >= low) & (snr < high), match)
    print(f"  rows {len(near)}, beyond {MAJOR:g} px of any true part {np.sum(near > MAJOR)}")
    if kind in ("bright", "spokes"):
        bright = truth["kind"] == "bright"
        ring = np.array([np.hypot(truth["x"] - x, truth["y"] - y)[bright].min() for x, y in zip(found["Xposn"], found["Yposn"])])
        print(f"  false rows within 100 px of a bright source: {np.sum((near > MAJOR) & (ring < 100))} of {bright.sum()} sources")
    if kind in ("emission", "lobes"):
        objects = ("disc", "ring", "filament", "haze", "double")
        whole, ratios, found_parts = [i for i in range(len(snr)) if truth["kind"][i] in objects], [], []
        for i in whole:
            reach = 60 if kind == "emission" else truth["gap"][i] + 20
            rows = label_of(found, truth, i, reach)
            pixels = sum({found["Isl_id"][k]: found["Isl_Total_flux"][k] for k in rows}.values())
            ratios.append((truth["peak"][i] / RMS, found["Total_flux"][rows].sum() / truth["total"][i], pixels / truth["total"][i], truth["kind"][i]))
        values = np.array([row[:3] for row in ratios])
        for low, high in ((0, 3), (3, 6), (6, 1e9)):
            k = (values[:, 0] >= low) & (values[:, 0] < high) & (values[:, 1] > 0)
            if k.any():
                print(f"  objects, level S/N {low:g}-{high:g}: {k.sum():3d} of {np.sum((values[:, 0] >= low) & (values[:, 0] < high))} seen; rows/true mean {values[k, 1].mean():.3f} median {np.median(values[k, 1]):.3f} scatter {spread(values[k, 1]):.3f} "
                      f"most {values[k, 1].max():.2f} least {values[k, 1].min():.2f}; islands' pixels/true median {np.median(values[k, 2]):.3f}")
        parts = (truth["group"] >= 0) & np.isin(truth["kind"], ("hotspot", "nucleus", "core", "knot"))
        part_match = nearest(truth, found, parts, 0.6 * MAJOR)
        print(f"  parts found: {np.mean(part_match[parts] >= 0):.3f} of {parts.sum()}")
    long = lambda rows: np.hypot(found["X_max"][rows].max() - found["X_min"][rows].min() + 1, found["Y_max"][rows].max() - found["Y_min"][rows].min() + 1)
    major, every = found["Maj"] / PIXEL_DEG, np.arange(len(near))
    beyond = [np.sum(major > np.maximum([long(rows) for rows in some], 1.2 * MAJOR)) for some in ([found["Isl_id"] == one for one in found["Isl_id"]], every[:, None])]
    print(f"  ellipses longer than their island {beyond[0]}, than their part of it {beyond[1]}, of {len(near)}")
    books(found)


def books(found):
    """Whether every island's rows and rest are its pixels' sum."""
    if "Isl_Rest_flux" not in found:
        return
    worst = 0
    for island in np.unique(found["Isl_id"]):
        k = found["Isl_id"] == island
        pixels, rest = found["Isl_Total_flux"][k], found["Isl_Rest_flux"][k]
        worst = max(worst, np.ptp(pixels) / abs(pixels[0]), np.ptp(rest) / abs(pixels[0]), abs(found["Total_flux"][k].sum() + rest[0] - pixels[0]) / abs(pixels[0]))
    print(f"  islands: rows + rest = pixels to {worst:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", help="the program; without it skies are made and kept")
    parser.add_argument("--kinds", default="compact,cut,emission,lobes,bright")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--white", action="store_true", help="noise without correlation")
    parser.add_argument("--no-beam", action="store_true", help="no beam in the header")
    parser.add_argument("--keep", help="folder that keeps skies and catalogues, which are used again")
    parser.add_argument("find", nargs="*", help="after --: options of reber find")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for kind in options.kinds.split(","):
            truths, founds = [], []
            for k, seed in enumerate(range(options.first_seed, options.first_seed + options.seeds)):
                name = f"{kind}{seed}" + ("white" if options.white else "") + ("bare" if options.no_beam else "")
                folder = os.path.join(options.keep or temporary, name)
                if not os.path.exists(f"{folder}/truth.csv"):
                    make_sky(folder, kind, options.size, 1000 * seed + len(kind), options.white, not options.no_beam)
                if not options.reber:
                    continue
                catalogue = os.path.join(folder, "found.csv")
                done = subprocess.run([options.reber, "find", f"{folder}/sky.fits", "-o", catalogue, "--overwrite", *options.find], capture_output=True, text=True, check=False)
                if done.returncode:
                    raise SystemExit(done.stderr)
                for all_tables, one, names in ((truths, table(f"{folder}/truth.csv"), ("x",)), (founds, table(catalogue), ("Xposn", "X_min", "X_max"))):
                    for column in names:
                        one[column] = one[column] + k * 10 * options.size
                    for column in ("group", "Isl_id"):
                        if column in one:
                            one[column] = np.where(one[column] >= 0, one[column] + k * 10**6, one[column])
                    all_tables.append(one)
            if options.reber:
                print(f"{kind}:")
                merged = [{key: np.concatenate([one[key] for one in tables]) for key in tables[0]} for tables in (truths, founds)]
                score(kind, *merged)


if __name__ == "__main__":
    main()
