# SPDX-License-Identifier: BSD-3-Clause
"""How results look: in a notebook, as plots, and one source at a time."""
import base64
import html
import math
import os
import tempfile

import numpy as np

from .errors import Error

_HEAD = 8


def _cell(value):
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return html.escape(str(value))


def table_html(rows, head=_HEAD):
    """The first rows of a structured array as a table."""
    names = rows.dtype.names or ()
    text = "<table><thead><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names) + "</tr></thead><tbody>"
    for row in rows[:head]:
        text += "<tr>" + "".join(f"<td>{_cell(row[name])}</td>" for name in names) + "</tr>"
    text += "</tbody></table>"
    return text + (f"<p>{len(rows) - head} more rows</p>" if len(rows) > head else "")


def table_text(rows, what, head=5):
    """One line of title, then the first rows in columns."""
    names = list(rows.dtype.names or ())[:8]
    cells = [names] + [[_cell(row[name]) for name in names] for row in rows[:head]]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    more = "" if len(names) == len(rows.dtype.names or ()) else f", of {len(rows.dtype.names)} columns the first {len(names)}"
    lines = [f"<{what}, {len(rows)} rows{more}>"]
    lines += ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in cells]
    return "\n".join(lines + (["..."] if len(rows) > head else []))


def _angle(degrees):
    return f'{degrees * 3600:.4g}"'


def result_text(result):
    """One line: what it is of, and what was found."""
    ny, nx = result.shape
    text = f"<reber.Result of {result.source}, {nx} x {ny} pixels"
    if result.searched:
        text += f": {len(result)} components"
    if result.beam:
        text += f", beam {_angle(result.beam[0])} x {_angle(result.beam[1])} PA {result.beam[2]:.4g}"
    if result.warnings:
        text += f", {len(result.warnings)} warnings"
    return text + ">"


class Picture:
    """A PNG: .data are its bytes; a notebook shows it. write(path) writes them."""

    def __init__(self, data):
        self.data = data

    def _repr_png_(self):
        return self.data

    def write(self, path):
        with open(path, "xb") as file:
            file.write(self.data)


def picture_of(result):
    """The program's own picture of the image and its sources."""
    with tempfile.TemporaryDirectory(prefix="reber-") as folder:
        path = os.path.join(folder, "picture.png")
        result.write(path, "picture", durable="no")
        with open(path, "rb") as file:
            return Picture(file.read())


def result_html(result):
    text = f"<p><b>{html.escape(result_text(result)[1:-1])}</b></p>"
    picture = None
    if result.can_draw:
        try:
            picture = picture_of(result)
        except Error as error:  # a build without the means to draw
            text += f"<p>no picture: {html.escape(str(error))}</p>"
    if picture is not None:
        data = base64.b64encode(picture.data).decode("ascii")
        text += f"<img style='max-width: 32em' src='data:image/png;base64,{data}'/>"
    if result.searched:
        text += table_html(result.sources)
    for warning in result.warnings:
        text += f"<p>warning: {html.escape(warning)}</p>"
    return text


def _matplotlib():
    try:
        from matplotlib import pyplot
    except ImportError:
        return None
    return pyplot


def _limits(pixels):
    """Between which values pixels are drawn: a few times the noise below, and what all but the brightest have."""
    known = pixels[np.isfinite(pixels)]
    if known.size == 0:
        return 0.0, 1.0
    middle = float(np.median(known))
    spread = 1.4826 * float(np.median(np.abs(known - middle)))
    high = float(np.quantile(known, 0.999))
    return middle - 3 * spread, max(high, middle + 10 * spread, middle + 1e-30)


def _draw(axes, pixels, title, limits, corner=(0, 0)):
    ny, nx = pixels.shape
    extent = (corner[0] - 0.5, corner[0] + nx - 0.5, corner[1] - 0.5, corner[1] + ny - 0.5)
    shown = axes.imshow(pixels, origin="lower", cmap="gray_r", vmin=limits[0], vmax=limits[1], extent=extent, interpolation="nearest")
    axes.set_title(title)
    return shown


def _outline(axes, row, pixel_deg, **style):
    """The ellipse of a source's FWHM. Angles are from north through east; north is up on the image."""
    from matplotlib.patches import Ellipse

    axes.add_patch(Ellipse((row["Xposn"], row["Yposn"]), max(row["Min"] / pixel_deg, 1), max(row["Maj"] / pixel_deg, 1), angle=row["PA"],
                           fill=False, **style))


def _pixel_deg(result):
    """The side of a pixel in degrees; 1 where there is no sky, and sizes are in pixels."""
    cards = {card[:8].strip(): card[10:].split("/")[0] for card in result.cards}
    for key in ("CDELT2", "CD2_2"):
        try:
            return abs(float(cards[key])) or 1.0
        except (KeyError, ValueError):
            continue
    return 1.0


def plot(result, what, axes, sources):
    """Axes of matplotlib; the own picture where it is not installed and the image is asked for."""
    pyplot = _matplotlib()
    if pyplot is None:
        if what != "image":
            raise ImportError("plot() draws maps with matplotlib, which is not installed; write(path, what) writes them")
        return picture_of(result)
    pixels = getattr(result, what)
    pixels = pixels() if callable(pixels) else pixels
    axes = pyplot.subplots()[1] if axes is None else axes
    shown = _draw(axes, pixels, what, _limits(pixels))
    axes.figure.colorbar(shown, ax=axes, label=result.unit if what not in ("snr", "labels") else what)
    if sources and result.searched:
        for row in result.sources:
            _outline(axes, row, _pixel_deg(result), edgecolor="tab:red", linewidth=0.8)
    return axes


class Shown:
    """One source: .row, .corner (x, y of the first pixel), .data, .model and .residual around it; .why, how it was made, in
    words (empty of a stored result); .figure where matplotlib is installed."""

    def __init__(self, row, corner, data, model, residual, why, figure):
        self.row, self.corner, self.data, self.model, self.residual, self.figure = row, corner, data, model, residual, figure
        self.why = why

    def __repr__(self):
        names = ("Source_id", "RA", "DEC", "Peak_flux", "E_Peak_flux", "Total_flux", "E_Total_flux", "Maj", "Min", "PA", "Flag")
        told = ", ".join(f"{name} {_cell(self.row[name])}" for name in names if name in (self.row.dtype.names or ()))
        return f"<source: {told}>" + (f"\n{self.why.rstrip()}" if self.why else "")

    def _repr_html_(self):
        text = f"<pre>{html.escape(repr(self))}</pre>"
        if self.figure is not None:
            import io

            data = io.BytesIO()
            self.figure.savefig(data, format="png", dpi=80, bbox_inches="tight")
            text += f"<img src='data:image/png;base64,{base64.b64encode(data.getvalue()).decode('ascii')}'/>"
        return text


def show(result, index, margin):
    """The Shown of one row of .sources."""
    rows = result.sources
    if not -len(rows) <= index < len(rows):
        raise IndexError(f"source {index}: there are {len(rows)}")
    row = rows[index]
    x, y = float(row["Xposn"]), float(row["Yposn"])
    ny, nx = result.shape
    size = row["Maj"] / _pixel_deg(result)
    half = int(math.ceil(margin * size)) if np.isfinite(size) else 8
    half = min(max(half, 8), 256)
    x0, x1 = max(int(x) - half, 0), min(int(x) + half + 1, nx)
    y0, y1 = max(int(y) - half, 0), min(int(y) + half + 1, ny)
    part = np.s_[y0:y1, x0:x1]
    data, model, residual = result.image[part], result.model()[part], result.residual()[part]
    figure, pyplot = None, _matplotlib()
    if pyplot is not None:
        figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.6), sharey=True)
        limits = _limits(data)
        for one, pixels, title in zip(axes, (data, model, residual), ("data", "model", "residual")):
            _draw(one, pixels, title, limits, (x0, y0))
            _outline(one, row, _pixel_deg(result), edgecolor="tab:red")
        pyplot.close(figure)
    return Shown(row, (x0, y0), data, model, residual, result._run.why(index % len(rows)), figure)
