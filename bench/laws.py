#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The laws of measurement: an image changes as the sky does not, and its catalogue may change by no more than is stated.

usage: laws.py --reber BIN [--image FITS]... [--sky NAME]... [--random N] [--size PX] [--law NAME]... [--seed 1]
               [--keep FOLDER] [--json OUT] [-- options of reber find]
Needs NumPy only, and no truth. Without an image: 6 random small skies. NAME of a sky: science:SEED, other:KIND:SEED,
strange:KIND:SEED, stretched:RATIO:MINOR:SEED. An image is taken with a header of its own: its pixels, its beam, square pixels.

Rows of the changed image are mapped back and paired with those of the image within half a beam, the brightest first.
A row of the table: rows compared; rows of S/N above 7 lost and gained; those below; the largest change of a total and of a
place, in units of the error stated for the image itself; ! where that is more than the law allows, of rows above S/N 7.
--keep: FOLDER gets both images, both catalogues and a cut-out around the worst row for each law that is broken.
Exit status 1 where one is. Laws marked ~ cannot hold exactly: they resample the pixels, or make
sources of holes (negative, searched with --negative).
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import law_fields
import other_sky
from law_changes import LAWS

FAINT, NEAR = 7.0, 0.5  # S/N of rows that must stay; beams between partners
COLUMNS = ("Xposn", "Yposn", "E_Xposn", "E_Yposn", "Total_flux", "E_Total_flux", "Peak_flux", "Isl_rms")


class Search:
    """The program on one image, and the catalogues that it made."""

    def __init__(self, reber, field, folder, options):
        self.reber, self.field, self.folder, self.options, self.made = reber, field, folder, list(options), {}

    def paths(self, field, options=()):
        name = hashlib.sha1(field.image.tobytes() + repr((field.beam, field.projection, options)).encode()).hexdigest()[:12]
        return os.path.join(self.folder, name + ".fits"), os.path.join(self.folder, name + ".csv")

    def run(self, field, options=()):
        image, catalogue = self.paths(field, options)
        if catalogue not in self.made:
            field.write(image)
            done = self.find(image, catalogue, options)
            if done.returncode:
                raise SystemExit(f"laws.py: {' '.join(done.args)} failed:\n{done.stderr.strip()}")
            rows = other_sky.table(catalogue)
            self.made[catalogue] = rows or {name: np.zeros(0) for name in COLUMNS}
        return self.made[catalogue]

    def find(self, image, catalogue, options):
        command = [self.reber, "find", image, "-o", catalogue, "--overwrite", "-q", *self.options, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def least_memory(self):
        """What the smallest bands of the image need, by the program's own words."""
        image, catalogue = self.paths(self.field)
        self.field.write(image)
        words = re.search(r"takes (\d+) MiB", self.find(image, catalogue + ".none", ("--host-memory", "1M")).stderr)
        return f"{int(words[1]) + 1}M" if words else "1G"


# Comparison


def pairs_of(field, rows, x, y):
    """Indices of rows and of what is at (x, y), one to one within half a beam, the brightest first."""
    inverse = np.linalg.inv(field.beam)
    taken, pairs = np.zeros(len(x), bool), []
    for i in np.argsort(-np.abs(rows["Peak_flux"]), kind="stable"):
        dx, dy = x - rows["Xposn"][i], y - rows["Yposn"][i]
        apart = np.sqrt(inverse[0, 0] * dx * dx + 2 * inverse[0, 1] * dx * dy + inverse[1, 1] * dy * dy)
        apart[taken] = np.inf
        if len(apart) and apart.min() <= NEAR:
            pairs.append((i, int(apart.argmin())))
            taken[pairs[-1][1]] = True
    return np.array(pairs, int).reshape(-1, 2).T


def compare(search, law, changed):
    """One row of the table, as numbers."""
    base = changed.base or search.field
    before, after = search.run(base, changed.base_options), search.run(changed.field, changed.options)
    x, y = changed.back(after["Xposn"], after["Yposn"])
    inside = [changed.keep(before["Xposn"], before["Yposn"]), changed.keep(x, y)]
    i, j = pairs_of(base, before, x, y)
    alone = [inside[0].copy(), inside[1].copy()]
    alone[0][i], alone[1][j] = False, False
    use = inside[0][i]
    i, j = i[use], j[use]
    snr = [np.abs(rows["Peak_flux"]) / rows["Isl_rms"] for rows in (before, after)]
    with np.errstate(all="ignore"):
        total = np.abs(after["Total_flux"][j] / changed.factor - before["Total_flux"][i]) / before["E_Total_flux"][i]
        place = np.hypot((x[j] - before["Xposn"][i]) / before["E_Xposn"][i], (y[j] - before["Yposn"][i]) / before["E_Yposn"][i])
    total, place = (np.where(np.isfinite(one), one, 0) for one in (total, place))
    bright = snr[0][i] >= FAINT
    figures = {
        "rows": len(i), "lost": int(np.sum(snr[0][alone[0]] >= FAINT)), "gained": int(np.sum(snr[1][alone[1]] >= FAINT)),
        "faint_lost": int(np.sum(snr[0][alone[0]] < FAINT)), "faint_gained": int(np.sum(snr[1][alone[1]] < FAINT)),
        "total": float(total[bright].max(initial=0)), "place": float(place[bright].max(initial=0)),
        "above_1": int(np.sum(total > 1)),
    }
    allowed = (law.total, law.total if law.place is None else law.place)
    figures["held"] = figures["lost"] + figures["gained"] <= law.rows and figures["total"] <= allowed[0] and figures["place"] <= allowed[1]
    lone = [np.flatnonzero(one)[np.argsort(-s[one])] for one, s in zip(alone, snr)]
    if figures["lost"]:
        at = before["Xposn"][lone[0][0]], before["Yposn"][lone[0][0]]
    elif figures["gained"]:
        at = x[lone[1][0]], y[lone[1][0]]
    elif len(i):
        worst = i[np.argmax(np.where(bright, np.maximum(total, place), -1))]
        at = before["Xposn"][worst], before["Yposn"][worst]
    else:
        at = np.nan, np.nan
    figures["at"] = [float(at[0]), float(at[1])]
    return figures


def keep_worst(search, changed, figures, folder):
    """Both images with their catalogues, and what is 6 beams around the worst place."""
    os.makedirs(folder, exist_ok=True)
    base = changed.base or search.field
    for name, field, options in (("before", base, changed.base_options), ("after", changed.field, changed.options)):
        field.write(f"{folder}/{name}.fits")
        os.replace(search.paths(field, options)[1], f"{folder}/{name}.csv")
        search.made.pop(search.paths(field, options)[1])
    if np.isfinite(figures["at"]).all():
        half = int(6 * base.major())
        x, y = (max(0, int(one) - half) for one in figures["at"])
        base.with_image(base.image[y : y + 2 * half, x : x + 2 * half]).write(f"{folder}/worst_{x}_{y}.fits")


# Report

HEAD = f"{'law':14}{'image':20}{'rows':>6}  {'S/N>7':>9}  {'fainter':>9}  {'total':>8}{'place':>8}"


def line(law, name, figures):
    counts = [f"{-figures[a]:+d} {figures[b]:+d}" for a, b in (("lost", "gained"), ("faint_lost", "faint_gained"))]
    mark = " " if figures["held"] else "!"
    return (f"{law.name + ('~' if law.resampled else ''):14}{name[:19]:20}{figures['rows']:6d}  {counts[0]:>9}  {counts[1]:>9}"
            f"  {figures['total']:8.2g}{figures['place']:8.2g}{mark}")


def merged(all_figures):
    """Of several images: sums of rows, the worst of the rest."""
    out = {key: sum(one[key] for one in all_figures) for key in ("rows", "lost", "gained", "faint_lost", "faint_gained", "above_1")}
    out.update({key: max(one[key] for one in all_figures) for key in ("total", "place")}, held=all(one["held"] for one in all_figures))
    return out


def search_image(options, name, field, folder, laws):
    """Lines of one image.   returns figures by law"""
    search, result = Search(options.reber, field, folder, options.find), {}
    for law in laws:
        changed = law.change(search, np.random.default_rng([options.seed, len(law.name)]))
        result[law.name] = figures = compare(search, law, changed)
        if options.keep and not figures["held"]:
            keep_worst(search, changed, figures, os.path.join(options.keep, f"{name} {law.name}".replace(" ", "_").replace(":", "_")))
    return result


def fields_of(options, folder):
    """Names and images, made when they are asked for; those of one name are one line of the table."""
    for path in options.image:
        yield os.path.splitext(os.path.basename(path))[0], law_fields.read_field(path)
    for name in options.sky:
        yield name, law_fields.named_field(name, options.reber, folder)
    for seed in range(options.seed, options.seed + options.random):
        yield f"random ({options.random})", law_fields.random_field(seed, options.size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--image", action="append", default=[], help="a FITS image of floats with a beam")
    parser.add_argument("--sky", action="append", default=[], help="one that bench makes")
    parser.add_argument("--random", type=int, metavar="N", help="small skies")
    parser.add_argument("--size", type=int, help="pixels on a side of these")
    parser.add_argument("--law", action="append", default=[], help="the laws whose name begins so")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for what broke a law")
    parser.add_argument("--json", help="write the figures")
    parser.add_argument("find", nargs="*", help="after --: options of reber find")
    options = parser.parse_args()
    if options.random is None:
        options.random = 0 if options.image or options.sky else 6
    laws = [law for law in LAWS if not options.law or any(law.name.startswith(one) for one in options.law)]
    if not laws:
        parser.error("no law begins so; there are: " + ", ".join(law.name for law in LAWS))
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, field in fields_of(options, folder):
            for law, one in search_image(options, name, field, folder, laws).items():
                figures.setdefault(name, {}).setdefault(law, []).append(one)
    print(HEAD)
    held = True
    for law in laws:
        for name, found in figures.items():
            one = merged(found[law.name])
            held = held and one["held"]
            print(line(law, name, one))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
