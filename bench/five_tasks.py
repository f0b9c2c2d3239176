#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same five tasks by SEP, photutils, PyBDSF and Reber, whichever the running Python has: five_tasks.py [IMAGE]

Prints for each task the lines of code that it takes (those of the functions below, without their first) and the seconds of
the processor, of all threads and child processes, the least of three runs. IMAGE: a FITS image in Jy/beam with beam and
frequency; without one a sky of 1024 x 1024 pixels with 1000 sources is simulated by Reber, into five_tasks.fits.
"""
import contextlib
import importlib
import inspect
import os
import sys
import tempfile
import warnings

import numpy as np
from astropy.io import fits

RUNS = 3
TASKS = ("background and noise", "components above 5 sigma", "map of islands", "Gaussian fits, deconvolved", "fluxes at 100 places")


class Sep:
    name = "sep"

    def background(self, path, xy, sky):
        data = fits.getdata(path).squeeze().astype(np.float32)
        bkg = self.m.Background(data, bw=64, bh=64)
        return bkg.back(), bkg.rms()

    def components(self, path, xy, sky):
        data = fits.getdata(path).squeeze().astype(np.float32)
        bkg = self.m.Background(data, bw=64, bh=64)
        return self.m.extract(data - bkg.back(), 5, err=bkg.rms())

    def islands(self, path, xy, sky):
        data = fits.getdata(path).squeeze().astype(np.float32)
        bkg = self.m.Background(data, bw=64, bh=64)
        return self.m.extract(data - bkg.back(), 3, err=bkg.rms(), segmentation_map=True)[1]

    fits = None

    def forced(self, path, xy, sky):
        data, header = fits.getdata(path, header=True)
        data = data.squeeze().astype(np.float32)
        bkg = self.m.Background(data, bw=64, bh=64)
        radius = header["BMAJ"] / header["CDELT2"]
        flux, error, _ = self.m.sum_circle(data - bkg.back(), xy[:, 0], xy[:, 1], radius, err=bkg.rms())
        beam = np.pi / (4 * np.log(2)) * header["BMAJ"] * header["BMIN"] / header["CDELT2"] ** 2
        return flux / beam, error / beam


class Photutils:
    name = "photutils"

    def background(self, path, xy, sky):
        from photutils.background import Background2D

        data = fits.getdata(path).squeeze()
        bkg = Background2D(data, 64, filter_size=3, coverage_mask=np.isnan(data))
        return bkg.background, bkg.background_rms

    def components(self, path, xy, sky):
        from photutils.background import Background2D
        from photutils.segmentation import SourceCatalog, SourceFinder

        data = fits.getdata(path).squeeze()
        bkg = Background2D(data, 64, filter_size=3, coverage_mask=np.isnan(data))
        segments = SourceFinder(npixels=6, progress_bar=False)(data - bkg.background, 5 * bkg.background_rms)
        return SourceCatalog(data - bkg.background, segments, error=bkg.background_rms).to_table()

    def islands(self, path, xy, sky):
        from photutils.background import Background2D
        from photutils.segmentation import detect_sources

        data = fits.getdata(path).squeeze()
        bkg = Background2D(data, 64, filter_size=3, coverage_mask=np.isnan(data))
        return detect_sources(data - bkg.background, 3 * bkg.background_rms, npixels=6).data

    fits = None

    def forced(self, path, xy, sky):
        from photutils.aperture import CircularAperture, aperture_photometry
        from photutils.background import Background2D

        data, header = fits.getdata(path, header=True)
        data = data.squeeze()
        bkg = Background2D(data, 64, filter_size=3, coverage_mask=np.isnan(data))
        apertures = CircularAperture(xy, header["BMAJ"] / header["CDELT2"])
        table = aperture_photometry(data - bkg.background, apertures, error=bkg.background_rms)
        beam = np.pi / (4 * np.log(2)) * header["BMAJ"] * header["BMIN"] / header["CDELT2"] ** 2
        return table["aperture_sum"] / beam, table["aperture_sum_err"] / beam


class PyBDSF:
    name = "bdsf"

    def background(self, path, xy, sky):
        img = self.m.process_image(path, rms_box=(64, 32), stop_at="isl", quiet=True, ncores=1)
        return img.mean_arr.T, img.rms_arr.T

    def components(self, path, xy, sky):
        img = self.m.process_image(path, rms_box=(64, 32), quiet=True, ncores=1)
        return img.gaussians

    def islands(self, path, xy, sky):
        img = self.m.process_image(path, rms_box=(64, 32), stop_at="isl", quiet=True, ncores=1)
        return img.pyrank.T + 1

    def fits(self, path, xy, sky):
        img = self.m.process_image(path, rms_box=(64, 32), quiet=True, ncores=1)
        return [one.deconv_size_sky for one in img.gaussians]

    def forced(self, path, xy, sky):
        img = self.m.process_image(path, rms_box=(64, 32), quiet=True, ncores=1, src_ra_dec=sky)
        return [one.total_flux for one in img.gaussians]


class Reber:
    name = "reber"

    def background(self, path, xy, sky):
        bkg = self.m.background(path)
        return bkg.mean, bkg.rms

    def components(self, path, xy, sky):
        return self.m.find(path).sources

    def islands(self, path, xy, sky):
        return self.m.find(path, fit="moments").labels

    def fits(self, path, xy, sky):
        return self.m.find(path).sources[["DC_Maj", "DC_Min", "DC_PA"]]

    def forced(self, path, xy, sky):
        rows = self.m.measure(path, np.array(sky, dtype=[("RA", float), ("DEC", float)]))
        return rows["Total_flux"], rows["E_Total_flux"]


def seconds():
    return sum(os.times()[:4])


def lines_of(method):
    return len([line for line in inspect.getsource(method).splitlines()[1:] if line.strip()])


@contextlib.contextmanager
def silence():
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield


def simulated(path):
    import reber

    made = reber.simulate(1024, sources=1000, seed=3)
    header = made.header
    for key, value in (("CTYPE3", "FREQ"), ("CRVAL3", header["RESTFRQ"]), ("CRPIX3", 1.0), ("CDELT3", 1e6), ("CUNIT3", "Hz")):
        header[key] = value  # without such an axis PyBDSF takes no image
    fits.writeto(path, made.image[None], header, overwrite=True)


def places(path):
    """100 pixels on a grid, and where they are on the sky."""
    from astropy.wcs import WCS

    grid = np.linspace(50, 970, 10)
    xy = np.array([(x, y) for x in grid for y in grid])
    return xy, [tuple(map(float, one)) for one in WCS(fits.getheader(path)).celestial.all_pix2world(xy, 0)]


def main():
    warnings.simplefilter("ignore")
    path = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "five_tasks.fits")
    if not os.path.exists(path):
        simulated(path)
    xy, sky = places(path)
    for tool in (Sep, Photutils, PyBDSF, Reber):
        try:
            module = importlib.import_module(tool.name)
        except ImportError:
            print(f"{tool.name}: not installed")
            continue
        one = tool()
        one.m = module
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            cells = []
            for task in ("background", "components", "islands", "fits", "forced"):
                method = getattr(one, task)
                if method is None:
                    cells.append("-")
                    continue
                least = float("inf")
                try:
                    for _ in range(RUNS):
                        start = seconds()
                        with silence():
                            made = method(path, xy, sky)
                        least = min(least, seconds() - start)
                    rows = f", {len(made)} rows" if task in ("components", "fits") else ""
                    cells.append(f"{lines_of(method)} {"line" if lines_of(method) == 1 else "lines"}, {least:.2f} s{rows}")
                except Exception as error:  # what a tool cannot do is a result too
                    cells.append(f"fails: {type(error).__name__}: {error}")
            print(f"| {tool.name} {getattr(module, '__version__', '')} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    print("| | " + " | ".join(TASKS) + " |")
    main()
