# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the tutorials on mosaics and cubes, of what their commands leave."""
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import style

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def made(reber, name):
    subprocess.run([sys.executable, str(EXAMPLES / name)], cwd=reber.folder, check=True)


def panel(figure, axes, pixels, title, label, low, high, cmap=style.MAP):
    drawn = style.show(axes, pixels, low, high, cmap)
    axes.set_title(title)
    bar = figure.colorbar(drawn, ax=axes, orientation="horizontal", fraction=0.05, pad=0.03)
    bar.outline.set_visible(False)
    bar.set_label(label)


def mosaic(reber):
    made(reber, "nine_pointings.py")
    reber.run("mosaic", *(f"p{k}.fits" for k in range(1, 10)), "--common", "--beam-model", "gaussian:0.6@1400", "-o", "mosaic.fits",
              "--write-rms-map", "rms.fits", "--backend", "cpu")
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.8))
    panel(figure, axes[0], 1e6 * reber.map("p5.fits"), "The field in the middle", "uJy/beam", -40, 250)
    panel(figure, axes[1], 1e6 * reber.map("mosaic.fits"), "The mosaic of nine", "uJy/beam", -40, 250)
    panel(figure, axes[2], 1e6 * reber.map("rms.fits"), "Its noise", "uJy/beam", 10, 60)
    return figure


def moments(reber):
    made(reber, "channel_maps.py")
    cube = lambda *words: reber.run("cube", *words, "--backend", "cpu")
    cube("galaxy.fits", "-o", "line.fits", "contsub:poly1,channels=0:9,50:59")
    cube("line.fits", "-o", "disc.fits", "smooth:12,12,0", "mask:strict=4,2,2,2", "moments:0,1,2")
    cube("line.fits", "-o", "cut.fits", "pv:187.6863,12.3341,187.7137,12.3659,8")
    figure, axes = plt.subplots(1, 4, figsize=(13, 4.2))
    part = slice(30, 100), slice(30, 100)
    panel(figure, axes[0], reber.map("disc_mom0.fits")[part], "Moment 0", "Jy/beam km/s", 0, 0.75)
    panel(figure, axes[1], reber.map("disc_mom1.fits")[part], "Moment 1", "km/s", 975, 1115, "coolwarm")
    panel(figure, axes[2], reber.map("disc_mom1_error.fits")[part], "Its error", "km/s", 0, 4)
    panel(figure, axes[3], 1e3 * reber.map("cut_pv.fits"), "Along the major axis", "mJy/beam", -2, 6)
    return figure
