# SPDX-License-Identifier: BSD-3-Clause
"""Figures of finding: the background, the thresholds, deblending, the ladder of fits."""
import matplotlib.pyplot as plt
import numpy as np
from style import AMBER, BLUE, CARD, CORAL, FAINT, GREEN, INK, LINE, VIOLET, bar_beside, show

CELL = 64


def background(reber):
    """Cells over the image, the background and the noise, and one row of pixels with both."""
    reber.find(reber.sample, "--write-mean", "mean.fits", "--write-rms", "rms.fits")
    image, mean, rms = reber.map(reber.sample), reber.map("mean.fits") * 1e3, reber.map("rms.fits") * 1e3
    image = image * 1e3
    figure = plt.figure(figsize=(10, 6.1))
    grid = figure.add_gridspec(2, 3, height_ratios=(1.35, 1))
    axes = figure.add_subplot(grid[0, 0])
    show(axes, image, -15, 120)
    for k in range(0, image.shape[0] + 1, CELL):
        axes.axhline(k - .5, color=INK, lw=.35, alpha=.55)
        axes.axvline(k - .5, color=INK, lw=.35, alpha=.55)
    row = 760
    axes.axhline(row, color=AMBER, lw=1.6)
    axes.set_title("1  The image, cells of 64 px")
    for place, pixels, title in ((1, mean, "2  Background"), (2, rms, "3  Noise")):
        axes = figure.add_subplot(grid[0, place])
        bar_beside(axes, show(axes, pixels, cmap="viridis"), "mJy")
        axes.axhline(row, color=AMBER, lw=1.6)
        axes.set_title(title)
    axes = figure.add_subplot(grid[1, :])
    x = np.arange(image.shape[1])
    axes.plot(x, image[row], color=FAINT, lw=.7, label="pixels of the row")
    axes.plot(x, mean[row], color=GREEN, label="background")
    axes.plot(x, (mean + 3 * rms)[row], color=BLUE, lw=1.2, label="+ 3 noise: flood")
    axes.plot(x, (mean + 5 * rms)[row], color=CORAL, lw=1.2, label="+ 5 noise: seed")
    for k in range(0, image.shape[1] + 1, CELL):
        axes.axvline(k, color=LINE, lw=.5, zorder=0)
    axes.set(xlim=(0, image.shape[1]), ylim=(-30, 110), xlabel="x / pixels", ylabel="mJy/beam")
    axes.set_title("4  The marked row")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=4)
    return figure


def telling_window(snr, labels, rows):
    """(x0, x1, y0, y1, row): two faint islands, and a peak of the noise between the thresholds on the row of one of them."""
    best = None
    for one in rows:
        x, y = round(one["Xposn"]), round(one["Yposn"])
        if not 7 < one["SNR"] < 15 or not 60 < x < snr.shape[1] - 60 or not 30 < y < snr.shape[0] - 30:
            continue
        for shift in range(-24, 25, 6):
            x0, y0 = x + shift - 30, y - 20
            part, inside = snr[y0:y0 + 40, x0:x0 + 60], labels[y0:y0 + 40, x0:x0 + 60] > 0
            near = [r for r in rows if x0 + 5 < r["Xposn"] < x0 + 55 and y0 + 4 < r["Yposn"] < y0 + 36]
            if not 2 <= len(near) <= 3 or max(r["SNR"] for r in near) > 18 or not np.isfinite(part).all():
                continue
            apart = np.where(inside, 0, part)
            score = min(apart[18:23].max(), 4) + min(apart.max(), 4)
            if best is None or score > best[0]:
                best = (score, (x0, x0 + 60, y0, y0 + 40, y))
    return best[1]


def thresholds(reber):
    """A row through two sources, and the islands around."""
    reber.find(reber.sample, "--write-snr", "snr.fits", "--write-labels", "labels.fits")
    snr, labels = reber.map("snr.fits"), reber.map("labels.fits")
    x0, x1, y0, y1, row = telling_window(snr, labels, reber.table())
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.1), width_ratios=(1.5, 1))
    x = np.arange(x0, x1)
    line = snr[row, x0:x1]
    left.fill_between(x, 0, np.where(labels[row, x0:x1] > 0, line, np.nan), step="mid", color=AMBER, alpha=.35, lw=0,
                      label="pixels of islands")
    left.step(x, line, where="mid", color=INK, lw=1.1)
    left.axhline(5, color=CORAL, lw=1.3, label="seed threshold: an island needs one pixel above it")
    left.axhline(3, color=BLUE, lw=1.3, label="flood threshold: its pixels are above it, and touch")
    left.set(xlim=(x0, x1 - 1), ylim=(-3.5, 16), xlabel="x / pixels", ylabel="(pixel - background) / noise")
    left.set_title("One row of the image")
    left.legend(loc="upper right")
    left.set_ylim(-3.5, 19)
    show(right, snr[y0:y1, x0:x1], -3, 14, extent=(x0 - .5, x1 - .5, y0 - .5, y1 - .5), aspect="equal")
    levels = {"levels": [3], "colors": [BLUE], "linewidths": 1}
    inside = np.where(labels[y0:y1, x0:x1] > 0, 1.0, 0.0)
    gx, gy = np.arange(x0, x1), np.arange(y0, y1)
    right.contour(gx, gy, snr[y0:y1, x0:x1], **levels)
    right.contour(gx, gy, snr[y0:y1, x0:x1], levels=[5], colors=[CORAL], linewidths=1.2)
    right.contourf(gx, gy, inside, levels=[.5, 1.5], colors=[AMBER], alpha=.28)
    right.axhline(row, color=INK, lw=.7, ls=(0, (4, 3)))
    right.set_title("The pixels around it")
    right.text(.02, -.06, "a blue contour without coral inside is no island", transform=right.transAxes,
               color=FAINT, fontsize=8.5)
    return figure


def merge_tree(snr, inside, least):
    """Watershed from bright to faint: where each peak is, its S/N, that where it joins a higher one, and whether it stands."""
    order = sorted(zip(*np.nonzero(inside)), key=lambda at: -snr[at])
    owner, peaks, values = {}, [], snr[inside]

    def root(k):
        while peaks[k]["joined"] is not None:
            k = peaks[k]["joined"]
        return k

    for at in order:
        near = {root(owner[at[0] + i, at[1] + j]) for i in (-1, 0, 1) for j in (-1, 0, 1)
                if (at[0] + i, at[1] + j) in owner}
        if not near:
            peaks.append({"at": at, "top": snr[at], "joined": None, "low": None, "stands": True})
            owner[at] = len(peaks) - 1
            continue
        best = min(near, key=lambda k: -peaks[k]["top"])
        owner[at] = best
        for other in near - {best}:
            top, low = peaks[other]["top"], snr[at]
            held = sum(snr[one] - low for one, k in owner.items() if root(k) == other)
            peaks[other].update(joined=best, low=low, stands=top >= 5 and top - low >= least and held > .005 * (values[values > low] - low).sum())
    return peaks


def deblending(reber):
    """A crowded island: its peaks, the tree of where they meet, the sources that stand."""
    reber.run("simulate", "crowd.fits", "--size", "256", "--sources", "900", "--extended", "0", "--seed", "5", "--rms-rise", "0",
              "--beam", "12,12,0", "--overwrite", "-q")
    reber.find("crowd.fits", "--fit", "moments", "--write-snr", "crowd_snr.fits", "--write-labels", "crowd_labels.fits")
    snr, labels, rows = reber.map("crowd_snr.fits"), reber.map("crowd_labels.fits"), reber.table()
    numbers, counts = np.unique(labels[labels > 0], return_counts=True)
    inside_of = {n: [r for r in rows if labels[round(r["Yposn"]), round(r["Xposn"])] == n] for n in numbers}

    def joined_ones(number):
        return sum(1 for one in merge_tree(snr, labels == number, 2) if not one["stands"] and one["top"] - one["low"] > .25)

    several = [n for n in numbers if 4 <= len(inside_of[n]) <= 6 and counts[list(numbers).index(n)] < 1500]
    pick = max(several, key=lambda n: (min(joined_ones(n), 3), len(inside_of[n])))
    inside = labels == pick
    peaks = merge_tree(snr, inside, 2)
    yy, xx = np.nonzero(inside)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), width_ratios=(1, 1.25))
    window = (slice(max(yy.min() - 4, 0), yy.max() + 5), slice(max(xx.min() - 4, 0), xx.max() + 5))
    extent = (window[1].start - .5, window[1].stop - .5, window[0].start - .5, window[0].stop - .5)
    show(left, snr[window], -2, np.percentile(snr[inside], 97), extent=extent)
    left.contour(np.arange(window[1].start, window[1].stop), np.arange(window[0].start, window[0].stop), inside[window] * 1.0, levels=[.5],
                 colors=[BLUE], linewidths=1.3)
    shown = [k for k, one in enumerate(peaks) if one["stands"] and one["top"] >= 5]
    small = [k for k, one in enumerate(peaks) if k not in shown and one["low"] is not None and one["top"] - one["low"] > .25]
    colours = dict(zip(shown, [AMBER, CORAL, GREEN, VIOLET, BLUE, INK] * 3))
    for name, k in zip("ABCDEFGHIJKLMNOP", shown):
        y, x = peaks[k]["at"]
        left.plot(x, y, "o", ms=5, color=colours[k], mec=CARD)
        left.text(x + .8, y + .8, name, color=colours[k], weight="bold")
    for k in small:
        left.plot(peaks[k]["at"][1], peaks[k]["at"][0], "x", ms=5, color=FAINT)
    left.set_title("An island with several peaks")
    draw_tree(right, peaks, shown, small, colours)
    left.text(.02, -.05, f"the program's catalogue has {len(inside_of[pick])} sources here", transform=left.transAxes, color=FAINT, fontsize=8.5)
    return figure


def draw_tree(axes, peaks, shown, small, colours):
    """Each peak a line from its top to where it joins a higher one."""
    places = {k: i for i, k in enumerate(sorted(shown + small, key=lambda k: (peaks[k]["at"][1], peaks[k]["at"][0])))}
    for k, x in places.items():
        one, stands = peaks[k], k in shown
        low = one["low"] if one["low"] is not None else 3
        colour = colours.get(k, FAINT)
        axes.plot([x, x], [low, one["top"]], color=colour, lw=2.4 if stands else 1.2)
        if one["joined"] is not None and one["joined"] in places:
            axes.plot([x, places[one["joined"]]], [low, low], color=colour, lw=1, ls=(0, (2, 2)))
        axes.plot(x, one["top"], "o" if stands else "x", color=colour, ms=6 if stands else 5)
        if stands:
            axes.text(x, one["top"] * 1.06, "ABCDEFGHIJKLMNOP"[shown.index(k)], color=colour, weight="bold", ha="center", va="bottom")
    axes.axhline(5, color=CORAL, lw=1)
    axes.axhline(3, color=BLUE, lw=1)
    axes.set_yscale("log")
    axes.set_ylim(2.7, max(peaks[k]["top"] for k in places) * 2.2)
    axes.set_xlim(-.8, len(places) - .2)
    axes.set_xticks([])
    ticks = [one for one in (3, 5, 10, 20, 50, 100) if one < axes.get_ylim()[1]]
    axes.set_yticks(ticks, [str(one) for one in ticks])
    axes.minorticks_off()
    axes.set_ylabel("S/N")
    axes.set_title("Where they meet")
    axes.text(.985, .97, "line: from a peak down to where it meets a higher one\ncross: rises less than 2 noise or holds too little, so it joins",
              transform=axes.transAxes, color=FAINT, fontsize=8.5, ha="right", va="top")


RUNGS = [
    ("all Gaussians of the island\ntogether, correlated weights", lambda f: f & (32 | 64 | 128 | 1024 | 2048 | 4096) == 0, GREEN),
    ("ordinary weights\nFlag 128", lambda f: f & 128 and not f & (32 | 64 | 1024), BLUE),
    ("the beam's shape\nFlag 32", lambda f: f & 32 and not f & (64 | 1024), VIOLET),
    ("part by part\nFlag 1024", lambda f: f & 1024 and not f & 64, AMBER),
    ("the core alone\nFlag 2048", lambda f: f & 2048 and not f & (64 | 1024), CORAL),
    ("moments\nFlag 64", lambda f: f & 64, FAINT),
]


def ladder(reber):
    """One source with its model and rest, and how many sources of the sample stand on each rung."""
    reber.find(reber.sample, "--write-model", "model.fits", "--write-residual", "residual.fits", "--write-mean", "mean.fits")
    rows = reber.table()
    image, model, rest = reber.map(reber.sample), reber.map("model.fits"), reber.map("residual.fits")
    mean = reber.map("mean.fits")
    row = max((r for r in rows if int(r["Flag"]) == 0 and r["Maj"] > 1.25 * reber.beam_deg and 40 < r["SNR"] < 400), key=lambda r: r["SNR"])
    x, y, half = round(row["Xposn"]), round(row["Yposn"]), 14
    window = (slice(y - half, y + half + 1), slice(x - half, x + half + 1))
    figure = plt.figure(figsize=(10, 5.7))
    grid = figure.add_gridspec(2, 3, height_ratios=(1.1, 1.15))
    scale = (image - mean)[window].max() * 1e3
    for place, (pixels, title) in enumerate((((image - mean), "data"), (model, "fitted Gaussian"), (rest - mean, "what is left"))):
        axes = figure.add_subplot(grid[0, place])
        low, high = (-.04 * scale, .5 * scale) if place < 2 else (-.04 * scale, .08 * scale)
        bar_beside(axes, show(axes, pixels[window] * 1e3, low, high), "mJy")
        axes.set_title(title)
    axes = figure.add_subplot(grid[1, :])
    numbers = [sum(1 for r in rows if rule(int(r["Flag"]))) for _, rule, _ in RUNGS]
    for k, ((text, _, colour), number) in enumerate(zip(RUNGS, numbers)):
        axes.barh(-k, number, color=colour, height=.62)
        axes.text(number + 1.2, -k, str(number), va="center", color=colour, weight="bold")
    axes.set_yticks([-k for k in range(len(RUNGS))], [f"{k + 1}  " + text for k, (text, _, _) in enumerate(RUNGS)])
    axes.tick_params(axis="y", length=0, labelsize=8.5, labelcolor=INK)
    axes.set(xlabel="sources of the sample image that stand on this rung", xlim=(0, max(numbers) * 1.1))
    axes.set_title("The ladder: a rung is tried where the one above does not describe the island")
    return figure
