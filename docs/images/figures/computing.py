# SPDX-License-Identifier: BSD-3-Clause
"""Figures of computing: work that overlaps on a card, an FFT in tiles, an image larger than memory."""
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from style import AMBER, BLUE, CARD, CORAL, FAINT, GREEN, INK, LINE, PANEL, VIOLET, arrow, bare, show

TRACE = Path(__file__).resolve().parent / "h200_trace.json"
STEP_MS, EVERY_MS = .5, 8


def joined(spans):
    """Sorted spans in ms, those nearer than a step made one."""
    made = []
    for begin, end in sorted(spans):
        if made and begin <= made[-1][1] + STEP_MS:
            made[-1][1] = max(made[-1][1], end)
        else:
            made.append([begin, end])
    return [[round(begin, 1), round(end, 1)] for begin, end in made]


def keep_trace(source, to):
    """A trace that `reber find --trace` wrote on a card, as spans per row: some 20 KB in place of 5 MB."""
    events = json.loads(Path(source).read_text())["traceEvents"]
    rows, open_ones, reads = {}, {}, []
    for one in events:
        if one["ph"] == "B":
            open_ones.setdefault(one["tid"], []).append(one)
            continue
        if one["ph"] == "X":
            begun, end = one, one["ts"] + one["dur"]
        elif one["ph"] == "E":
            begun, end = open_ones[one["tid"]].pop(), one["ts"]
        else:
            continue
        span = (begun["ts"] / 1e3, end / 1e3)
        if begun["cat"] == "copy":
            rows.setdefault("copies", []).append(span)
        elif begun["tid"] == 0:
            rows.setdefault(f"card: {begun['name'].removeprefix('reber ')}", []).append(span)
        elif begun["cat"] in ("stage", "write"):
            rows.setdefault(f"{begun['cat']}: {begun['name']}", []).append(span)
        elif begun["cat"] == "read":
            reads.append(span)
        elif begun["cat"] == "host":
            rows.setdefault(f"host: {begun['name']}", []).append(span)
    last = max(end for spans in rows.values() for _, end in spans)
    edges, busy = np.arange(0, last + EVERY_MS, EVERY_MS), np.zeros(int(last / EVERY_MS) + 2)
    for begin, end in reads:
        first, beyond = int(begin / EVERY_MS), int(end / EVERY_MS)
        for k in range(first, beyond + 1):
            busy[k] += (min(end, edges[k] + EVERY_MS) - max(begin, edges[k])) / EVERY_MS
    reading = [round(float(one), 1) for one in busy]
    kept = {"what": "reber find, moments, 65536 x 65536 pixels (17.2 GB), NVIDIA H200", "rows": {k: joined(v) for k, v in rows.items()},
            "reading_every_ms": EVERY_MS, "threads_that_read": reading}
    to.write_text(json.dumps(kept, separators=(",", ":")).replace('],"', '],\n"') + "\n")


def overlap(reber):
    """A trace of a card: reading, copies and kernels at the same time."""
    del reber
    trace = json.loads(TRACE.read_text())
    rows = trace["rows"]
    figure, (top, low) = plt.subplots(2, 1, figsize=(10, 5.6), sharex=True, height_ratios=(1, 2.4))
    at = np.arange(len(trace["threads_that_read"])) * trace["reading_every_ms"]
    top.fill_between(at, trace["threads_that_read"], color=BLUE, alpha=.75, lw=0, step="post")
    top.set(ylabel="threads", ylim=(0, max(trace["threads_that_read"]) * 1.15))
    top.set_title("Threads that read the file")
    lanes = [("stages", "stage: ", dict(zip(("open", "read", "convolve", "background", "detect", "measure", "judge", "write"),
                                            (FAINT, BLUE, FAINT, GREEN, AMBER, CORAL, FAINT, VIOLET)))),
             ("card", "card: ", {}), ("copies", "copies", {}), ("host", "host: ", {"open a backend": LINE})]
    shades = {"load": BLUE, "mesh": GREEN, "label": AMBER, "derive": GREEN, "render": FAINT, "measure": CORAL, "island pixels": CORAL}
    for k, (_, start, colours) in enumerate(lanes):
        for name, spans in rows.items():
            if not name.startswith(start):
                continue
            what = name.removeprefix(start)
            colour = colours.get(what) or (shades.get(what, VIOLET) if start == "card: " else BLUE if start == "copies" else VIOLET)
            low.broken_barh([(begin, max(end - begin, .8)) for begin, end in spans], (-k - .36, .72), color=colour, lw=0)
            begin, end = spans[0][0], spans[-1][1]
            if start == "stage: " and end - begin > 60:
                low.text((begin + end) / 2, -k, what, ha="center", va="center", color=CARD, weight="bold")
    low.text(rows["host: open a backend"][0][1] / 2, -3, "the driver starts", ha="center", va="center", color=INK)
    low.set_yticks([0, -1, -2, -3], [name for name, _, _ in lanes])
    low.tick_params(axis="y", length=0, labelcolor=INK, labelsize=9.5)
    low.set(xlabel="ms since the program began", ylim=(-3.6, .6), xlim=(0, at[-1]))
    low.set_title("What runs at the same time")
    handles = [Rectangle((0, 0), 1, 1, color=colour) for colour in (BLUE, GREEN, AMBER, CORAL, FAINT)]
    low.legend(handles, ["load", "mesh", "label", "measure", "render"], loc="lower right", ncol=5, title="kernels", title_fontsize=8.5)
    figure.suptitle(trace["what"], x=.012, ha="left", fontsize=9.5, color=FAINT)
    return figure


def fft_tiles(reber):
    """Tiles that overlap, and what becomes of one."""
    image = reber.map(reber.sample)
    image = np.nan_to_num(image - np.nanmedian(image))
    side, halo = 256, 40
    y, x = np.mgrid[-halo:halo + 1, -halo:halo + 1]
    kernel = np.exp(-(x**2 / (2 * 14**2) + y**2 / (2 * 7**2)))
    kernel /= kernel.sum()
    y0, x0 = 640, 330
    tile = image[y0:y0 + side, x0:x0 + side]
    room = np.zeros((side, side))
    room[:2 * halo + 1, :2 * halo + 1] = kernel
    spectrum, weights = np.fft.fft2(tile), np.fft.fft2(np.roll(room, (-halo, -halo), (0, 1)))
    made = np.fft.ifft2(spectrum * weights).real
    figure = plt.figure(figsize=(10, 4.5))
    grid = figure.add_gridspec(2, 4, width_ratios=(1.75, 1, 1, 1))
    axes = figure.add_subplot(grid[:, 0])
    show(axes, image[500:1000, 190:690], -.02, .15, extent=(190, 690, 500, 1000))
    inner = side - 2 * halo
    for i in range(-1, 3):
        for j in range(-1, 3):
            axes.add_patch(Rectangle((x0 + halo + j * inner, y0 + halo + i * inner), inner, inner, fill=False, ec=INK, lw=.8, alpha=.6))
    axes.add_patch(Rectangle((x0, y0), side, side, fill=False, ec=AMBER, lw=2))
    axes.add_patch(Rectangle((x0 + halo, y0 + halo), inner, inner, fill=False, ec=GREEN, lw=2))
    axes.set(xlim=(190, 690), ylim=(500, 1000))
    axes.set_title("The image in tiles")
    axes.text(0, -.03, "amber: pixels of one tile, which overlap the next\ngreen: results that are kept", transform=axes.transAxes, color=FAINT,
              fontsize=8.5, va="top")
    power = lambda one: np.log10(np.abs(np.fft.fftshift(one)) + 1e-9)  # noqa: E731
    parts = (("1  Tile", tile, {"low": -.02, "high": .15}), ("2  Its spectrum", power(spectrum), {}),
             ("3  Spectrum of the kernel", power(weights), {"low": -6}), ("4  Product", power(spectrum * weights), {"low": -6}),
             ("5  Back: the tile, smoothed", made, {"low": -.02, "high": .1}), ("6  The inner part is kept", made, {"low": -.02, "high": .1}))
    for k, (title, pixels, limits) in enumerate(parts):
        axes = figure.add_subplot(grid[k // 3, 1 + k % 3])
        show(axes, pixels, cmap="magma" if k in (0, 4, 5) else "viridis", **limits)
        axes.set_title(title, fontsize=9)
        if k == 5:
            for patch in ((0, 0, side, halo), (0, side - halo, side, halo), (0, 0, halo, side), (side - halo, 0, halo, side)):
                axes.add_patch(Rectangle((patch[0] - .5, patch[1] - .5), patch[2], patch[3], color=CARD, alpha=.82))
            axes.add_patch(Rectangle((halo, halo), inner, inner, fill=False, ec=GREEN, lw=2))
    return figure


def streaming(reber):
    """Bands of an image in their file, two on the card, and the three queues that keep it busy."""
    image = reber.map(reber.sample)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.7), width_ratios=(1, 1.25))
    bare(left)
    left.set(xlim=(0, 10), ylim=(-.4, 10.3))
    left.imshow(image, origin="lower", extent=(.3, 4.3, 0, 10), aspect="auto", cmap="magma", vmin=-.02, vmax=.12, alpha=.85)
    colours = (BLUE, GREEN, AMBER, CORAL, VIOLET)
    for k, colour in enumerate(colours):
        left.add_patch(Rectangle((.3, 8 - 2 * k), 4, 2, fill=False, ec=colour, lw=2.2))
        left.text(.55, 9.62 - 2 * k, f"band {k + 1}", color=INK, fontsize=8.5, va="top", weight="bold")
    for y, colour, text in ((5.3, AMBER, "band 3: kernels run"), (1.2, CORAL, "band 4: rows arrive")):
        left.add_patch(Rectangle((6.2, y), 3.5, 2.2, fc=PANEL, ec=colour, lw=2.2))
        for edge in (y + 2.2, y - .4):
            left.add_patch(Rectangle((6.2, edge), 3.5, .4, fc=colour, alpha=.28, ec="none"))
        left.text(7.95, y + 1.1, text, ha="center", va="center", color=INK)
        left.text(7.95, y + 2.4, "halo", ha="center", va="center", color=INK, fontsize=7.5)
        left.text(7.95, y - .2, "halo", ha="center", va="center", color=INK, fontsize=7.5)
    arrow(left, (4.45, 5), (6.1, 6.2), AMBER)
    arrow(left, (4.45, 3), (6.1, 2.4), CORAL)
    left.text(4.5, 9.6, "the file", color=FAINT)
    left.text(7.95, 8.6, "the card's memory", ha="center", color=FAINT)
    left.set_title("Bands of whole rows")
    bare(right)
    queues = (("threads read", 0, .82), ("copies up", .55, .5), ("kernels", 1.15, .62), ("copies down", 1.85, .4))
    for row, (name, delay, length) in enumerate(queues):
        for k, colour in enumerate(colours):
            right.add_patch(Rectangle((delay + .9 * k, -row - .32), length, .64, color=colour, lw=0))
            right.text(delay + .9 * k + length / 2, -row, str(k + 1), ha="center", va="center", color=CARD, weight="bold")
        right.text(-.15, -row, name, ha="right", va="center")
    right.axvline(2.95, ymin=.1, ymax=.9, color=INK, lw=1, ls=(0, (4, 3)))
    right.text(2.95, .62, "at one time, four bands are under way", ha="center", color=FAINT, fontsize=8.5)
    right.set(xlim=(-1.5, 6.1), ylim=(-3.9, 1.1))
    arrow(right, (0, -3.7), (6, -3.7))
    right.text(6, -3.62, "time", ha="right", va="bottom", color=FAINT)
    right.set_title("Four queues, one behind the other")
    return figure
