# SPDX-License-Identifier: BSD-3-Clause
"""Spectral indices as PyBDSF has them: the Gaussians' fluxes in each channel, their shapes held, and a power law."""
import numpy as np

from . import _core
from ._bdsf_input import covariance_of, ellipse_of
from ._run import _run
from .errors import InputError

_ROUNDS, _SETTLED = 60, 1e-9


def power_laws(frequencies, fluxes, errors, least_snr=3.0):
    """S = S0 (nu / nu0)^alpha by weighted least squares in the fluxes themselves, negative ones too: of each row, over
    its finite channels, nu0 their median. (S0, alpha, error of alpha, nu0); NaN of a row with fewer than two channels,
    or whose S0 is below least_snr errors.   fluxes, errors: [row, channel]

    S0 follows from alpha, whose steps are Gauss's and Newton's. The error is that of alpha with S0 free.
    """
    good = np.isfinite(fluxes) & (errors > 0) & np.isfinite(errors) & np.isfinite(frequencies)
    frequency = np.where(good, frequencies, np.nan)
    some = good.sum(axis=1) >= 2
    middle = np.full(len(fluxes), np.nan)
    middle[some] = np.nanmedian(frequency[some], axis=1)
    x = np.where(good, np.log(np.where(good, frequencies, 1.0) / np.where(some, middle, 1.0)[:, None]), 0.0)
    flux = np.where(good, fluxes, 0.0)
    weight = np.where(good, 1 / np.square(np.where(good, errors, 1.0)), 0.0)
    index, step = np.full(len(fluxes), -0.8), np.full(len(fluxes), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_ROUNDS):
            shape = np.exp(index[:, None] * x)
            square = weight * shape**2
            total = square.sum(axis=1)
            scale = (weight * flux * shape).sum(axis=1) / total
            slope = scale[:, None] * shape * (x - ((square * x).sum(axis=1) / total)[:, None])
            curvature = (weight * slope**2).sum(axis=1)
            step = np.clip((weight * (flux - scale[:, None] * shape) * slope).sum(axis=1) / curvature, -1, 1)
            index = np.clip(index + np.where(np.isfinite(step), step, 0.0), -20, 20)
            if not np.any(np.abs(step) > _SETTLED):
                break
        told = some & (np.abs(step) <= 1e-4) & (scale * np.sqrt(total) >= least_snr)
        error = 1 / np.sqrt(curvature)
    return tuple(np.where(told, one, np.nan) for one in (scale, index, error, middle))


def seen_with(rows, beam):
    """Places and FWHMs of the Gaussians as a beam (degrees) shows them, for a list to measure at."""
    own = covariance_of(*(np.nan_to_num(rows[name]) for name in ("DC_Maj", "DC_Min", "DC_PA")))
    major, minor, angle = ellipse_of(*(a + b for a, b in zip(own, covariance_of(*beam))))
    columns = {"RA": rows["RA"], "DEC": rows["DEC"], "Maj": major, "Min": minor, "PA": angle}
    return {name: (np.ascontiguousarray(values, dtype=np.float64), "deg") for name, values in columns.items()}


def channel_fluxes(path, channels, rows, settings, with_, frequencies=None):
    """(Hz, fluxes, errors) of the Gaussians in each of the channels, fluxes as [row, channel]. channels: of each the plane
    and the beam. Background and noise are
    measured in each, by the settings of the search."""
    kept = {word for row in _core.parameters() if row["stage"] == "background" and row["unit"] != "FITS" for word in row["keywords"]}
    settings = {name: value for name, value in settings.items() if name in kept or value in ("zero", "const")}
    hz, fluxes, errors = [], [], []
    for channel, beam in channels:
        if beam is None:
            raise InputError(f"spectralindex_do=True cannot be honoured: plane {channel} has no beam; beam= says it")
        told = (beam[0] * 3600, beam[1] * 3600, beam[2])
        seen = _run(path, ["background", "detect"], {**settings, "fit": "moments"}, plane=channel, beam=told, **with_)
        table = seen._run.measure(seen_with(rows, beam), "", "flux", "catalogue", 3, with_.get("threads", 0), None)
        hz.append(seen._run.frequency)
        fluxes.append(table["Total_flux"][0])
        errors.append(table["E_Total_flux"][0])
    hz = np.asarray(hz if frequencies is None else frequencies, dtype=np.float64)
    if hz.shape != (len(channels),) or not np.all(hz > 0):
        raise InputError("spectralindex_do=True cannot be honoured: the header has no frequency of each channel; frequency_sp= "
                         f"is a list of {len(channels)} in Hz")
    return hz, np.stack(fluxes, axis=1), np.stack(errors, axis=1)


class Spectra:
    """Fluxes per channel and power laws of Gaussians or of sources."""

    def __init__(self, hz, fluxes, errors, least_snr):
        self.hz, self.fluxes, self.errors = hz, fluxes, errors
        self.norm, self.index, self.error, self.middle = power_laws(hz, fluxes, errors, least_snr)

    def of_sources(self, source_ids, count, least_snr):
        """Of sources: sums of their Gaussians', errors in quadrature. source_ids: of each Gaussian, from 0."""
        def summed(values):
            sums = np.zeros((count, values.shape[1]))
            np.add.at(sums, source_ids, values)
            return sums

        return Spectra(self.hz, summed(self.fluxes), np.sqrt(summed(self.errors**2)), least_snr)

    def columns(self, channels):
        """PyBDSF's columns; channels: those of each channel too."""
        told = {"Spec_Indx": (self.index, "", "spect.index", "Spectral index: S goes as frequency to this power"),
                "E_Spec_Indx": (self.error, "", "stat.error;spect.index", "1-sigma error of Spec_Indx")}
        hz = np.broadcast_to(self.hz, self.fluxes.shape)
        for name, values, unit, ucd, text in (
                ("Total_flux", self.fluxes, "Jy", "phot.flux.density;em.radio", "Flux in the channel"),
                ("E_Total_flux", self.errors, "Jy", "stat.error;phot.flux.density;em.radio", "Its 1-sigma error"),
                ("Freq", hz, "Hz", "em.freq", "Frequency of the channel")) if channels else ():
            for number in range(len(self.hz)):
                told[f"{name}_ch{number + 1}"] = (np.ascontiguousarray(values[:, number]), unit, ucd, text)
        return told

    def tell(self, objects):
        """Sets PyBDSF's attributes of Gaussians or sources, one object per row."""
        for row, one in enumerate(objects):
            one.spec_norm, one.spec_indx, one.e_spec_indx = (float(values[row]) for values in (self.norm, self.index, self.error))
            one.specin_flux, one.specin_fluxE = self.fluxes[row].tolist(), self.errors[row].tolist()
            one.specin_freq, one.specin_freq0 = self.hz.tolist(), float(self.middle[row])
