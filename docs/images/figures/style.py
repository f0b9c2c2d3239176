# SPDX-License-Identifier: BSD-3-Clause
"""How the figures look: one dark card, readable on light and dark pages."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

CARD, PANEL, INK, FAINT, LINE = "#0e1730", "#131f3f", "#efeadb", "#9aa8c7", "#33436b"
AMBER, CORAL, BLUE, GREEN, VIOLET = "#ffb454", "#ff7a59", "#6fb7ff", "#7bd88f", "#b99cff"
MAP = "magma"

plt.rcParams.update({
    "figure.facecolor": CARD, "savefig.facecolor": CARD, "axes.facecolor": PANEL, "axes.edgecolor": LINE,
    "axes.labelcolor": FAINT, "axes.titlecolor": INK, "axes.titlesize": 11, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.titlepad": 9, "axes.labelsize": 9, "axes.spines.top": False,
    "axes.spines.right": False, "xtick.color": FAINT, "ytick.color": FAINT, "xtick.labelsize": 8,
    "ytick.labelsize": 8, "text.color": INK, "font.family": "DejaVu Sans", "font.size": 9.5,
    "legend.frameon": False, "legend.fontsize": 8.5, "lines.linewidth": 1.6, "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.14, "figure.constrained_layout.h_pad": 0.14,
})


def save(figure, path, dpi=140):
    """A PNG of 256 colours: some 20 to 150 KB."""
    figure.savefig(path, dpi=dpi)
    plt.close(figure)
    few_colours(Image.open(path), path)


def few_colours(picture, path):
    picture.convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)


def keep(picture, path, width=1000):
    """A picture of the program, in the width of a page."""
    drawn = Image.open(picture).convert("RGB")
    few_colours(drawn.resize((width, round(drawn.height * width / drawn.width)), Image.Resampling.LANCZOS), path)


def bare(axes):
    """A picture: no ticks, no frame."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def show(axes, pixels, low=None, high=None, cmap=MAP, **options):
    """A map, y up, from its 1st to its 99.5th percentile where no limits are given."""
    low = np.nanpercentile(pixels, 1) if low is None else low
    high = np.nanpercentile(pixels, 99.5) if high is None else high
    bare(axes)
    return axes.imshow(pixels, origin="lower", cmap=cmap, vmin=low, vmax=high, interpolation="nearest", **options)


def ellipse_points(x, y, major, minor, angle_deg, number=90):
    """Outline of an ellipse of FWHMs; the angle is north (y) through east (-x)."""
    t = np.linspace(0, 2 * np.pi, number)
    a = np.radians(angle_deg)
    along, across = major / 2 * np.cos(t), minor / 2 * np.sin(t)
    return x - along * np.sin(a) + across * np.cos(a), y + along * np.cos(a) + across * np.sin(a)


def arrow(axes, start, end, colour=FAINT, **options):
    axes.annotate("", xy=end, xytext=start, annotation_clip=False,
                  arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.4, "shrinkA": 0, "shrinkB": 0, **options})


def bar_beside(axes, mappable, label):
    """A colour bar as tall as the picture."""
    bar = axes.figure.colorbar(mappable, cax=axes.inset_axes((1.03, 0, .045, 1)))
    bar.outline.set_visible(False)
    bar.ax.set_title(label, fontsize=8, color=FAINT, weight="normal", loc="left", pad=5)
