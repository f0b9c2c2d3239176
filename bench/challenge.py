#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables that compare Reber with every other source finder installed: accuracy on unseen skies, score, cost.

usage: challenge.py --reber BIN [--finders Reber,PyBDSF,...] [--kinds compact,lobes,emission,bright] [--white] [--seeds 2]
                    [--first-seed 71] [--size 768] [--sdc IMAGE TRUTH] [--keep FOLDER] [--into PAGE.md]
Needs NumPy and astropy. Finders that this Python has are used: bdsf, AegeanTools, radio-pyse, sep. All search at 5 sigma
with their defaults otherwise, on one core. --sdc: an image of the first SKA data challenge at 560 MHz and its truth, scored by
the challenge's own scorer (`pip install ska-sdc "pandas<2.2" "numpy<2"`; --scorer names a Python that has it).
With --into the tables take the place of what stands between <!-- challenge: begin --> and <!-- challenge: end -->.

points    completeness: true points of S/N 5 and more with a row within 0.75 beams, one to one; reliability: rows with a true part
          within a beam; total: mean and scatter of the ratio above S/N 30; offset: median above S/N 30, in pixels
pulls     rms, clipped at 9, of (total - truth) / stated error of points of S/N 10 and more
doubles   hot spots and nuclei found within 0.6 beams; rows: sum of an object's rows over its truth: mean, scatter, worst
scatter   1.4826 times the median absolute deviation
"""
import argparse
import csv
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

import numpy as np

import finders
import other_sky

MARKS = re.compile(r"(<!-- challenge: begin -->\n).*?(<!-- challenge: end -->)", re.DOTALL)
OBJECTS = ("disc", "ring", "filament", "haze", "double")


def read_table(path):
    table = finders.read_csv(path)
    return {name: finders.column(table, name) for name in finders.COLUMNS}


def search(name, image, folder, options):
    """The finder's table and the seconds of processor that it took; None where it failed."""
    path = f"{folder}/{name}.csv"
    if os.path.exists(path):
        os.remove(path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = [sys.executable, finders.__file__, name, image, path, os.path.abspath(options.reber)]
    # A session of its own, so that what a finder has started ends with it.
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}, start_new_session=True)
    try:
        said = process.communicate(timeout=options.limit)[1]
        failure = said.strip()[-400:] if process.returncode else None
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        failure = f"took more than {options.limit:g} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if failure is not None:
        print(f"{name} failed on {image}: {failure}", file=sys.stderr)
        return None, 0
    return read_table(path), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def matched(truth, found, use, within):
    return other_sky.nearest(truth, {"Xposn": found["x"], "Yposn": found["y"]}, use, within)


def figures_of_points(truth, found):
    """[true, found, rows, rows that are real], ratios and offsets above S/N 30, pulls above 10."""
    snr, point = truth["peak"] / other_sky.RMS, truth["group"] < 0
    match = matched(truth, found, point, 0.75 * other_sky.MAJOR)
    use = point & (snr >= 5)
    real = sum(np.hypot(truth["x"] - x, truth["y"] - y).min() <= other_sky.MAJOR for x, y in zip(found["x"], found["y"]))
    bright, pulled = point & (match >= 0) & (snr >= 30), point & (match >= 0) & (snr >= 10)
    j, k = match[bright], match[pulled]
    return {
        "counts": np.array([use.sum(), (match[use] >= 0).sum(), len(found["x"]), real]),
        "ratios": found["total"][j] / truth["total"][bright],
        "offsets": np.hypot(found["x"][j] - truth["x"][bright], found["y"][j] - truth["y"][bright]),
        "pulls": (found["total"][k] - truth["total"][pulled]) / found["e_total"][k],
    }


def figures_of_objects(truth, found):
    """[parts, found], sums of rows over truth of the objects that are seen, and how many there are."""
    parts = (truth["group"] >= 0) & np.isin(truth["kind"], ("hotspot", "nucleus", "core", "knot"))
    match, sums, seen = matched(truth, found, parts, 0.6 * other_sky.MAJOR), [], 0
    for i in np.flatnonzero(np.isin(truth["kind"], OBJECTS)):
        if truth["peak"][i] < 6 * other_sky.RMS:
            continue
        reach = truth["gap"][i] + 20 if truth["kind"][i] == "double" else 60
        seen += 1
        sums.append(found["total"][np.hypot(found["x"] - truth["x"][i], found["y"] - truth["y"][i]) <= reach].sum() / truth["total"][i])
    return {"parts": np.array([parts.sum(), (match[parts] >= 0).sum()]), "sums": np.array(sums)}


def joined(all_figures):
    return {key: (sum if key in ("counts", "parts") else np.concatenate)([one[key] for one in all_figures]) for key in all_figures[0]}


def rms(values):
    values = values[np.isfinite(values)]
    return f"{np.sqrt(np.mean(np.clip(values, -9, 9) ** 2)):.2f}" if len(values) else "-"


def part(count, of):
    return f"{count / of:.3f}".replace("0.", ".", 1) if of else "-"


def point_cells(all_figures):
    f = joined(all_figures)
    total, seen, rows, real = f["counts"]
    text = [part(seen, total), part(real, rows)]
    if not len(f["ratios"]):
        return [*text, "-", "-", "-"]
    return [*text, f"{np.mean(f['ratios']):.3f}, {other_sky.spread(f['ratios']):.3f}", f"{np.median(f['offsets']):.3f}", rms(f["pulls"])]


def object_cells(all_figures):
    f = joined(all_figures)
    worst = f["sums"][np.abs(f["sums"] - 1).argmax()]
    return [part(f["parts"][1], f["parts"][0]), f"{np.mean(f['sums']):.3f}, {other_sky.spread(f['sums']):.3f}, {worst:.2f}"]


def table(title, heads, rows):
    lines = [f"{title}:", "", "| finder | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    return "\n".join([*lines, *(f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows), ""])


def sky_table(kind, options, folder):
    skies = []
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        place = f"{folder}/{kind}{seed}" + ("white" if options.white else "")
        if not os.path.exists(f"{place}/truth.csv"):
            other_sky.make_sky(place, kind, options.size, 1000 * seed + len(kind), options.white, True)
        skies.append(place)
    whole = kind in ("lobes", "emission")
    rows = []
    for name in options.finders:
        found = [(place, *search(name, f"{place}/sky.fits", place, options)) for place in skies]
        if any(one is None for _, one, _ in found):
            continue
        pairs = [(other_sky.table(f"{place}/truth.csv"), one) for place, one, _ in found]
        cells = point_cells([figures_of_points(*pair) for pair in pairs]) if kind != "lobes" else []
        cells += object_cells([figures_of_objects(*pair) for pair in pairs]) if whole else []
        rows.append((name, [*cells, f"{sum(cost for _, _, cost in found) / len(found):.1f}"]))
        print(rows[-1], file=sys.stderr, flush=True)
    heads = [] if kind == "lobes" else ["completeness", "reliability", "total: mean, scatter", "offset, px", "pull of total"]
    heads += ["parts found", "rows over truth: mean, scatter, worst"] if whole else []
    return table(f"{kind}{', white noise' if options.white else ''}, {options.seeds} skies", [*heads, "CPU s"], rows)


SCORER = """
import sys, warnings, logging
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import numpy as np, pandas as pd
from ska_sdc.sdc1.sdc1_scorer import Sdc1Scorer
from ska_sdc.sdc1.dc_defns import CAT_COLUMNS
from ska_sdc.data.data_resources import pb_info_df
from astropy.coordinates import SkyCoord
rows, truth = pd.read_csv(sys.argv[1]), pd.read_csv(sys.argv[2], sep=r"\\s+", comment="#", header=None, names=CAT_COLUMNS)
apart = SkyCoord(0, -30, unit="deg").separation(SkyCoord(rows.ra.values, rows.dec.values, unit="deg")).arcsecond
beam = pb_info_df["average"].reindex(np.maximum(np.around(apart / (116.4571 * 1400 / 560)) - 1, 0)).values / 1000
sent = pd.DataFrame({"id": rows.index, "ra_core": rows.ra, "dec_core": rows.dec, "ra_cent": rows.ra, "dec_cent": rows.dec,
    "flux": rows.total / beam, "core_frac": 0.0, "b_maj": rows.major.fillna(0).clip(lower=0.1), "b_min": rows.minor.fillna(0).clip(lower=0.1),
    "pa": rows.pa.fillna(0), "size": 2, "class": 3})
made = Sdc1Scorer(sent[CAT_COLUMNS], truth, 560).run(mode=1, train=True, detail=True)
parts, match = made.scores_df, made.match_df
bright = match[match.flux_t > 1e-5]
print(made.value, made.n_det, made.n_match, *(parts[name].mean() for name in ("position", "flux", "b_maj", "b_min", "pa")), (bright.flux / bright.flux_t).median())
"""


def sdc_table(options, folder):
    image, truth = options.sdc
    rows = []
    for name in options.finders:
        found, cost = search(name, image, folder, options)
        if found is None:
            continue
        done = subprocess.run([options.scorer, "-c", SCORER, f"{folder}/{name}.csv", truth], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"the scorer failed: {done.stderr.strip()[-800:]}")
        score, rows_sent, match, *accuracy = (float(cell) for cell in done.stdout.split())
        rows.append((name, [f"{score:.0f}", f"{rows_sent:.0f}", part(match, rows_sent), *(f"{one:.3f}" for one in accuracy), f"{cost:.1f}"]))
        print(rows[-1], file=sys.stderr, flush=True)
    heads = ["score", "rows", "purity", "position", "flux", "major", "minor", "angle", "total of sources above 10 uJy", "CPU s"]
    return table("SKA data challenge 1, 560 MHz, every row a star-forming galaxy of Gaussian shape; parts of the score that are reached", heads, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reber", required=True)
    parser.add_argument("--finders", type=lambda text: text.split(","), default=["Reber", *finders.installed()])
    parser.add_argument("--kinds", default="compact,lobes,emission,bright")
    parser.add_argument("--white", action="store_true", help="noise without correlation")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=71)
    parser.add_argument("--size", type=int, default=768)
    parser.add_argument("--sdc", nargs=2, metavar=("IMAGE", "TRUTH"))
    parser.add_argument("--scorer", default=sys.executable, help="a Python that has ska-sdc")
    parser.add_argument("--limit", type=float, default=1800, help="seconds that a finder may take with an image")
    parser.add_argument("--keep", help="folder that keeps skies and tables")
    parser.add_argument("--into", help="page whose tables are replaced")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(options.keep or temporary)
        os.makedirs(folder, exist_ok=True)
        tables = [sky_table(kind, options, folder) for kind in options.kinds.split(",") if kind]
        tables += [sdc_table(options, folder)] if options.sdc else []
    text = "\n".join(tables)
    print(text)
    if options.into:
        with open(options.into, encoding="utf-8") as file:
            page = file.read()
        if not MARKS.search(page):
            raise SystemExit(f"{options.into} has no <!-- challenge: begin --> and <!-- challenge: end -->")
        with open(options.into, "w", encoding="utf-8") as file:
            file.write(MARKS.sub(lambda m: m[1] + text + "\n" + m[2], page))


if __name__ == "__main__":
    main()
