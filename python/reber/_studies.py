# SPDX-License-Identifier: BSD-3-Clause
"""Fluxes at given places, two catalogues against each other, simulated skies."""
import json

import numpy as np

from . import _core
from ._images import beam_of
from ._lists import list_of
from ._progress import part, teller
from ._run import _run, _split
from ._tables import arrow_of, pandas_of, qtable_of, rows_of
from ._units import in_unit
from ._views import table_html, table_text


class Table:
    """A catalogue: .rows is a NumPy structured array, to_table() an astropy QTable, to_pandas() a DataFrame, to_arrow() a
    pyarrow Table."""

    def __init__(self, columns):
        self._columns = columns
        self.rows = rows_of(columns)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, name):
        return self.rows[name]

    def __repr__(self):
        return table_text(self.rows, "reber.Table")

    def _repr_html_(self):
        return table_html(self.rows)

    def to_arrow(self):
        return arrow_of(self._columns, self.rows, {})

    def to_table(self):
        return qtable_of(self._columns, self.rows)

    def to_pandas(self):
        return pandas_of(self.rows)


def measure(image, at, *, columns="", free="flux", shape="beam", limit=3, **options):
    """Fluxes at the positions of a list, with upper limits: a Table with one row per row of `at`, in its order.

    at: a path, a structured array, an astropy Table, a DataFrame or a Result. columns: which of its columns serve where
    their names are not known, like 'lon=RA_1,lat=DEC_1'. free: 'flux' (position and shape held) or 'position'; shape:
    'beam' or 'catalogue'; limit: sigma below which a source has an upper limit. Else as background()'s arguments.
    """
    own, settings = _split(options)
    at = list_of(at)
    for row in _core.parameters():
        for name in settings:
            if name in row["keywords"] and row["stage"] != "background":
                raise TypeError(f"'{name}' has no meaning here: forced photometry takes parameters of the background alone")
    # The noise is measured outside of what is found.
    tell = teller(own.pop("progress", None))
    result = _run(image, ["background", "detect"], {**settings, "fit": "moments"}, progress=part(tell, 0, 2), **own)
    return Table(result._run.measure(at, columns, free, shape, limit, own.get("threads", 0), part(tell, 1, 2)))


class Matched:
    """.pairs, .only_a, .only_b are Tables; .summary holds what `reber match --json` writes."""

    def __init__(self, pairs, only_a, only_b, summary):
        self.pairs, self.only_a, self.only_b = Table(pairs), Table(only_a), Table(only_b)
        self.summary = json.loads(summary)


def match(a, b, radius=0, *, columns_a="", columns_b=""):
    """Holds two catalogues against each other on the sky: unique pairs, the closest first.

    a, b: as `at` of measure(). radius: arcsec; 0: half the larger median size, less where the lists are crowded.
    """
    radius = in_unit(radius, "arcsec", "radius")
    return Matched(*_core.match(list_of(a), list_of(b), float(radius), columns_a, columns_b))


_SCENES = {
    "dirac_grid": {"rms": 0.0, "sources": 0, "extended": 0},
    "galactic_plane": {"pixel": 15.0, "beam": (66, 54, 12), "ra": 266.4168, "dec": -29.0078, "rms": 4000.0,
                       "sources": 500, "extended": 14, "rings": 16, "brightest": 20.0, "blank_corners": True},
}


_UNITS = {"rms": "uJy/beam", "background": "uJy/beam", "brightest": "Jy", "pixel": "arcsec", "frequency": "MHz", "ra": "deg",
          "dec": "deg", "grid_step": "px"}


class Simulated:
    """.image is float32 [y, x] in Jy/beam, .truth a Table, .header an astropy Header, .cards the same as text."""

    def __init__(self, image, cards, truth):
        self.image, self.cards, self.truth = image, cards, Table(truth)

    @property
    def header(self):
        from astropy.io.fits import Header

        return Header.fromstring(self.cards)


def simulate(size=1024, *, scene="field", backend="auto", threads=0, progress=None, **options):
    """A sky with a known truth, the same on every machine. size: pixels on a side, or (nx, ny).

    Options and units are the command line's: seed, pixel (arcsec), beam (major, minor, pa: arcsec and degrees),
    frequency (MHz), ra, dec (degrees), rms, background (uJy/beam), rms_rise, sources, brightest (Jy), extended, rings,
    blank_corners, grid_step (pixels). The scenes galactic_plane and dirac_grid have defaults of their own.
    """
    nx, ny = (size, size) if np.ndim(size) == 0 else size
    options = {name: value if name == "beam" else in_unit(value, _UNITS.get(name), name) for name, value in options.items()}
    settings = {**_SCENES.get(scene, {}), **options, "scene": scene, "shape": (ny, nx)}
    if "beam" in settings:
        settings["beam"] = beam_of(settings["beam"])
    return Simulated(*_core.simulate(settings, backend, threads, teller(progress)))
