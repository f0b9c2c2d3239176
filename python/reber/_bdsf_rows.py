# SPDX-License-Identifier: BSD-3-Clause
"""Sources, Gaussians and islands as objects with PyBDSF's attributes. Pixels count from 0, arrays are [x, y]."""
import numpy as np


def plain_rows(table):
    """A structured array's rows as dicts of Python's own numbers: several times as quick to read as NumPy's."""
    names = table.dtype.names
    return [dict(zip(names, values)) for values in table.tolist()]


def by(key, rows):
    """Lists of those that share the attribute `key`."""
    groups = {}
    for one in rows:
        groups.setdefault(getattr(one, key), []).append(one)
    return groups


class Gaussian:
    """One Gaussian: degrees, Jy and Jy/beam."""

    def __init__(self, row):
        self.gaus_num, self.island_id, self.source_id = int(row["Gaus_id"]), int(row["Isl_id"]), int(row["Source_id"])
        self.code, self.jlevel = str(row["S_Code"]), int(row["Wave_id"])
        _positions(self, row, "centre_sky")
        self.centre_pix = [float(row["Xposn"]), float(row["Yposn"])]
        self.centre_pixE = [float(row["E_Xposn"]), float(row["E_Yposn"])]
        self.peak_flux, self.peak_fluxE = float(row["Peak_flux"]), float(row["E_Peak_flux"])
        _shape(self, row)


class Source:
    """One or several Gaussians as one: degrees, Jy and Jy/beam. gaussians: of each source, by its number."""

    def __init__(self, row, gaussians):
        self.source_id, self.island_id, self.code = int(row["Source_id"]), int(row["Isl_id"]), str(row["S_Code"])
        self.gaussians = gaussians.get(self.source_id, [])
        self.ngaus = len(self.gaussians)
        _positions(self, row, "posn_sky_centroid")
        self.posn_sky_max = [float(row["RA_max"]), float(row["DEC_max"])]
        self.peak_flux_max, self.peak_flux_maxE = float(row["Peak_flux"]), float(row["E_Peak_flux"])
        _shape(self, row)


def _positions(self, row, name):
    setattr(self, name, [float(row["RA"]), float(row["DEC"])])
    setattr(self, name + "E", [float(row["E_RA"]), float(row["E_DEC"])])


def _shape(self, row):
    self.total_flux, self.total_fluxE = float(row["Total_flux"]), float(row["E_Total_flux"])
    self.size_sky = [float(row[name]) for name in ("Maj", "Min", "PA")]
    self.size_skyE = [float(row["E_" + name]) for name in ("Maj", "Min", "PA")]
    self.deconv_size_sky = [float(row["DC_" + name]) for name in ("Maj", "Min", "PA")]
    self.deconv_size_skyE = [float(row["E_DC_" + name]) for name in ("Maj", "Min", "PA")]
    self.rms_isl, self.mean_isl = float(row["Isl_rms"]), float(row["Isl_mean"])


class Island:
    """One island: size_active (pixels), bbox (slices along x and y), rms, mean, max_value (Jy/beam), total_flux (Jy).
    sources, gaussians: of each island, by its number."""

    def __init__(self, island_id, sources, gaussians):
        self.island_id = island_id
        self.sources, self.gaul = sources.get(island_id, []), gaussians.get(island_id, [])
        self.ngaus = len(self.gaul)


def islands_of(result, sources, gaussians, pixels_per_beam):
    """All islands, from the label map. pixels_per_beam: NaN where there is no beam."""
    labels = result.labels
    y, x = np.nonzero(labels)
    label = labels[y, x]
    order = np.argsort(label, kind="stable")
    y, x, label = y[order], x[order], label[order]
    image, mean, rms = result.image[y, x], result.mean[y, x], result.rms[y, x]
    sources, gaussians = by("island_id", sources), by("island_id", gaussians)
    starts = np.flatnonzero(np.r_[True, label[1:] != label[:-1]]) if len(label) else np.empty(0, int)
    islands = []
    for first, last in zip(starts, [*starts[1:], len(label)]):
        part = slice(first, last)
        island = Island(int(label[first]) - 1, sources, gaussians)
        island.size_active = int(last - first)
        island.bbox = [slice(int(x[part].min()), int(x[part].max()) + 1),
                       slice(int(y[part].min()), int(y[part].max()) + 1)]
        island.rms, island.mean = float(rms[part].mean()), float(mean[part].mean())
        island.max_value = float(image[part].max())
        island.total_flux = float((image[part] - mean[part]).sum(dtype=np.float64) / pixels_per_beam)
        islands.append(island)
    return islands
