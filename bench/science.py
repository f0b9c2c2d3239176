#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well reber finds and measures sources: simulates skies, searches them, prints the score and a verdict.

usage: science.py --reber BIN [--seeds 10] [--size 4096] [--keep FOLDER] [--json OUT] [-- options of reber find]
       science.py --reber BIN --skies FOLDER... (each with sky.fits and truth.csv)
Ten seeds take a minute or two. Exit status 0 where every target is met, 1 where one is not. Needs NumPy only. Few skies
leave sampling errors: with --allow N a figure that is off by less than N of its own standard errors passes.

sky           4096^2 pixels of 2 arcsec, beam 10 arcsec (5 pixels), noise smoothed by the beam, 20 uJy/beam in the middle rising
              to 50 in the corners, a background wave of 10 uJy/beam, 5000 point sources N(>S) ~ 1/S from 50 uJy/beam to
              0.1 Jy/beam, 100 extended Gaussians; a smaller --size keeps the densities.
match         nearest catalogue source within a beam of a true one, one to one, brightest truth first
completeness  true sources of peak/rms >= 5 that are matched;  reliability: catalogue sources with a true one within a beam
fluxes, positions and pulls: isolated point sources (no neighbour of a tenth of the flux within 3 beams). Scatters are
1.4826 x the median absolute deviation; a pull is error / stated error, 1 where the errors are right.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

BEAM = 5.0  # pixels
BINS = ((5, 7), (5, 10), (10, 20), (20, np.inf))
# quantity, S/N bin, least, most. Position scatters are those of Condon's (1997) formula at each bin's median S/N.
TARGETS = [
    ("completeness", None, 0.926, 1),
    ("reliability", None, 0.999, 1),
    ("extended_total", None, 0.978, 1.022),
    ("total", (10, 20), 0.99, 1.01),
    ("total", (20, np.inf), 0.998, 1.002),
    ("peak", (10, 20), 0.995, 1.005),
    ("peak", (20, np.inf), 0.995, 1.005),
    ("sigma_x", (10, 20), 0, 0.164),
    ("sigma_y", (10, 20), 0, 0.164),
    ("sigma_x", (20, np.inf), 0, 0.053),
    ("sigma_y", (20, np.inf), 0, 0.053),
] + [
    (f"pull_{what}", bounds, least, 2 - least)
    for bounds, least in (((5, 10), 0.85), ((10, 20), 0.9), ((20, np.inf), 0.9))
    for what in ("x", "y", "peak", "total")
]


def read_table(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def numbers(table, *names):
    """The first of these columns that the table has; blank cells are NaN."""
    for name in names:
        if name in table:
            return np.array([float(cell) if cell not in ("", "null") else np.nan for cell in table[name]])
    return np.zeros(0)


def read_truth(path):
    table = read_table(path)
    kind = np.array(table["kind"]) == "extended" if "kind" in table else numbers(table, "ext") > 0
    return {
        "x": numbers(table, "x"), "y": numbers(table, "y"), "extended": kind, "snr": numbers(table, "snr"),
        "peak": numbers(table, "Peak_flux", "peak_flux"), "total": numbers(table, "Total_flux", "int_flux"),
    }


def read_catalogue(path):
    table = read_table(path)
    names = {"x": "Xposn", "y": "Yposn", "peak": "Peak_flux", "total": "Total_flux", "flag": "Flag"}
    names.update({"e_x": "E_Xposn", "e_y": "E_Yposn", "e_peak": "E_Peak_flux", "e_total": "E_Total_flux"})
    names["resolved"] = "Resolved"
    return {key: numbers(table, name) for key, name in names.items()}


def distances(a, b):
    return np.hypot(a["x"][:, None] - b["x"][None, :], a["y"][:, None] - b["y"][None, :])


def match(truth, found):
    """Index of each true source's match, -1 without one; and whether each found source has any true one near."""
    near = distances(truth, found)
    taken = np.zeros(len(found["x"]), bool)
    matched = np.full(len(truth["x"]), -1)
    for i in np.argsort(-truth["peak"], kind="stable"):
        row = np.where(taken, np.inf, near[i])
        if len(row) and row.min() <= BEAM:
            matched[i] = row.argmin()
            taken[matched[i]] = True
    return matched, near.min(axis=0) <= BEAM if len(near) else np.zeros(0, bool)


def isolated(truth):
    near = distances(truth, truth) <= 3 * BEAM
    rivals = near & (truth["peak"][None, :] >= 0.1 * truth["peak"][:, None])
    return rivals.sum(axis=1) == 1


def measure(truth, found):
    """What one sky gives: arrays that several skies can be pooled from."""
    matched, real = match(truth, found)
    has = matched >= 0
    out = {"complete": has[truth["snr"] >= 5], "real": real}
    use = has & (isolated(truth) | truth["extended"])
    j = matched[use]
    out["snr"], out["extended"] = truth["snr"][use], truth["extended"][use]
    for key in ("x", "y"):
        out[key] = found[key][j] - truth[key][use]
        out["pull_" + key] = out[key] / found["e_" + key][j]
    for key in ("peak", "total"):
        out[key] = found[key][j] / truth[key][use]
        out["pull_" + key] = (found[key][j] - truth[key][use]) / found["e_" + key][j]
    out["resolved"] = found["resolved"][j] if len(found["resolved"]) else np.full(len(j), np.nan)
    return out


def scatter(values):
    values = values[np.isfinite(values)]
    return float(1.4826 * np.median(np.abs(values - np.median(values)))) if len(values) else float("nan")


def median(values):
    return float(np.nanmedian(values)) if len(values) else float("nan")


def standard_error(pool, key, value):
    """Of a figure as its sample gives it: binomial, or of a median or a median absolute deviation of Gaussian values."""
    quantity, bounds = key
    if quantity in ("completeness", "reliability"):
        return float(np.sqrt(max(value * (1 - value), 1e-9) / len(pool["complete" if quantity == "completeness" else "real"])))
    if bounds is None:
        wide = pool["extended"] & (pool["snr"] >= 10)
        return 1.2533 * scatter(pool["total"][wide]) / np.sqrt(wide.sum())
    k = in_bin(pool, bounds)
    if quantity in ("peak", "total"):
        return 1.2533 * scatter(pool[quantity][k]) / np.sqrt(k.sum())
    return 1.167 * value / np.sqrt(k.sum())


def in_bin(pool, bounds):
    return ~pool["extended"] & (pool["snr"] >= bounds[0]) & (pool["snr"] < bounds[1])


def score(pool):
    """The figures of one sky or of several pooled: {(quantity, bin): value}."""
    figures = {("sources", None): len(pool["real"]), ("completeness", None): float(np.mean(pool["complete"])),
               ("reliability", None): float(np.mean(pool["real"]))}
    wide = pool["extended"] & (pool["snr"] >= 10)
    figures[("extended_total", None)] = median(pool["total"][wide])
    figures[("extended_scatter", None)] = scatter(pool["total"][wide])
    figures[("extended_pull", None)] = scatter(pool["pull_total"][wide])
    figures[("extended_resolved", None)] = float(np.mean(pool["resolved"][wide])) if wide.any() else float("nan")
    for bounds in BINS:
        k = in_bin(pool, bounds)
        figures[("number", bounds)] = int(k.sum())
        for key in ("peak", "total"):
            figures[(key, bounds)] = median(pool[key][k])
        for key in ("x", "y"):
            figures[("bias_" + key, bounds)] = median(pool[key][k])
            figures[("sigma_" + key, bounds)] = scatter(pool[key][k])
        figures[("theory", bounds)] = BEAM / (2.3548 * median(pool["snr"][k]))
        for key in ("x", "y", "peak", "total"):
            figures[("pull_" + key, bounds)] = scatter(pool["pull_" + key][k])
        figures[("resolved", bounds)] = float(np.mean(pool["resolved"][k])) if k.any() else float("nan")
    return figures


def name_of(quantity, bounds):
    if bounds is None:
        return quantity
    return f"{quantity} {bounds[0]:g}-{bounds[1]:g}" if np.isfinite(bounds[1]) else f"{quantity} >{bounds[0]:g}"


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"science.py: {' '.join(arguments)} failed:\n{done.stderr.strip()}")


def simulate(reber, folder, size, seed, backend, threads):
    share = (size / 4096) ** 2
    run([reber, "simulate", f"{folder}/sky.fits", "--truth", f"{folder}/truth.csv", "--size", str(size), "--seed", str(seed),
         "--pixel", "2", "--beam", "10,10,0", "--rms", "20", "--background", "10", "--brightest", "0.1", "--sources",
         str(round(5000 * share)), "--extended", str(round(100 * share)), "--overwrite", "--backend", backend, *threads])


def report(pools, folders, allow):
    """Prints a column a sky and one of all; returns the figures of all and the targets missed."""
    merged = {key: np.concatenate([pool[key] for pool in pools]) for key in pools[0]}
    columns = [score(pool) for pool in pools] + [score(merged)]
    bounds_of = {(quantity, bounds): (least, most) for quantity, bounds, least, most in TARGETS}
    heads = [os.path.basename(os.path.normpath(folder))[-7:] for folder in folders] + ["all"]
    print(f"{'':22}" + "".join(f"{head:>8}" for head in heads) + "  target")
    missed = []
    for key, value in columns[-1].items():
        cells = "".join(f"{column[key]:8d}" if isinstance(column[key], int) else f"{column[key]:8.4f}" for column in columns)
        verdict = ""
        if key in bounds_of:
            least, most = bounds_of[key]
            error = standard_error(merged, key, value)
            met = least - allow * error <= value <= most + allow * error
            verdict = f" +- {error:.4f}  {least:g} to {most:g}: {'met' if met else 'MISSED'}"
            if not met:
                missed.append(name_of(*key))
        print(f"{name_of(*key):22}{cells}{verdict}")
    return columns[-1], missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True, help="the program")
    parser.add_argument("--seeds", type=int, default=10, help="number of skies, seeds 1, 2, ...")
    parser.add_argument("--size", type=int, default=4096, help="pixels on a side")
    parser.add_argument("--backend", default="cpu", help="cpu, cuda, reference or auto")
    parser.add_argument("--threads", help="threads of the program")
    parser.add_argument("--keep", help="folder that keeps skies and catalogues; a temporary one otherwise")
    parser.add_argument("--skies", nargs="+", help="folders with sky.fits and truth.csv, in place of simulated ones")
    parser.add_argument("--allow", type=float, default=0, metavar="N", help="standard errors that a figure may be off")
    parser.add_argument("--json", help="write the figures of all skies together")
    parser.add_argument("find", nargs="*", help="after --: options of reber find")
    options = parser.parse_args()
    threads = ["--threads", options.threads] if options.threads else []
    with tempfile.TemporaryDirectory() as temporary:
        home = options.keep or temporary
        folders = options.skies or [os.path.join(home, f"seed{seed}") for seed in range(1, options.seeds + 1)]
        pools = []
        for seed, folder in enumerate(folders, 1):
            products = os.path.join(home, f"search{seed}") if options.skies else folder
            os.makedirs(products, exist_ok=True)
            if not options.skies:
                simulate(options.reber, folder, options.size, seed, options.backend, threads)
            catalogue = os.path.join(products, "found.csv")
            run([options.reber, "find", f"{folder}/sky.fits", "-o", catalogue, "--overwrite", "--backend", options.backend, *threads, *options.find])
            pools.append(measure(read_truth(f"{folder}/truth.csv"), read_catalogue(catalogue)))
            if not (options.keep or options.skies):
                os.remove(f"{folder}/sky.fits")
        figures, missed = report(pools, folders, options.allow)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({name_of(*key): value for key, value in figures.items()}, file, indent=1)
    print(f"\n{len(TARGETS) - len(missed)} of {len(TARGETS)} targets met" + (f"; missed: {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
