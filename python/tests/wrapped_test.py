# SPDX-License-Identifier: BSD-3-Clause
"""Images in the classes of other libraries, and numbers with units: wrapped_test.py REBER SOURCE_FOLDER. What is not installed
is said and skipped; exit code 77 without NumPy or the module. REBER_CLIENTS names a Python that has the libraries."""
import importlib.util
import os
import sys
import tempfile
import unittest
import warnings

if os.environ.get("REBER_CLIENTS"):
    environment = {key: value for key, value in os.environ.items() if key != "REBER_CLIENTS"}
    os.execve(os.environ["REBER_CLIENTS"], [os.environ["REBER_CLIENTS"], *sys.argv], environment)
try:
    import numpy as np

    import reber
    from reber._maps import write_map
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

LIBRARIES = ("astropy", "spectral_cube", "radio_beam", "xarray", "dask")
HERE = [name for name in LIBRARIES if importlib.util.find_spec(name)]
CALL = {"backend": "cpu", "threads": 1}


def needs(*names):
    missing = [name for name in names if name not in HERE]
    return unittest.skipIf(missing, f"{', '.join(missing)} is not installed")


class Image(unittest.TestCase):
    """One sky in mJy/beam: as an array with cards, it is what all else is held against."""

    @classmethod
    def setUpClass(cls):
        cls.made = reber.simulate(192, sources=25, extended=0, seed=4, rms=30, beam=(12, 9, 30), ra=10.0, dec=-30.0, backend="cpu")
        cls.jy = cls.made.image
        cls.mjy = (cls.jy * np.float32(1000)).astype(np.float32)
        sizes = "".join(f"NAXIS{axis}  = {192:20d}".ljust(80) for axis in (1, 2))
        cls.cards = sizes + cls.made.cards.replace("'JY/BEAM '", "'mJy/beam'")
        assert "mJy/beam" in cls.cards
        cls.hidden = np.zeros(cls.mjy.shape, bool)
        cls.hidden[:, 100:] = True
        cls.right = reber.find(cls.mjy, header=cls.cards, **CALL)
        cls.right_masked = reber.find(cls.mjy, header=cls.cards, mask=cls.hidden, **CALL)
        assert 0 < len(cls.right_masked.sources) < len(cls.right.sources)

    def header(self):
        from astropy.io import fits

        return fits.Header.fromstring(self.cards)

    def bare(self, *names):
        """The header without these keywords."""
        header = self.header()
        for name in names:
            del header[name]
        return header

    def same(self, image, right=None, exact=True, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = reber.find(image, **CALL, **options)
        right = self.right if right is None else right
        self.assertEqual(len(got.sources), len(right.sources))
        for name in ("RA", "DEC", "Total_flux", "Peak_flux", "E_Peak_flux", "Maj"):
            np.testing.assert_allclose(got.sources[name], right.sources[name], rtol=1e-9 if exact else 2e-6, err_msg=name)
        np.testing.assert_allclose(got.beam, right.beam, rtol=1e-9)
        return got


class Astropy(Image):
    @needs("astropy")
    def test_ccddata_keeps_mask_unit_place_and_beam(self):
        from astropy import units as u
        from astropy.nddata import CCDData
        from astropy.wcs import WCS

        wcs, bare = WCS(self.header()), self.bare("BUNIT", "CRVAL1", "CRVAL2")
        self.same(CCDData(self.mjy, unit=u.mJy / u.beam, meta=bare, wcs=wcs))
        self.same(CCDData(self.mjy, unit="mJy/beam", meta=self.header()))
        self.same(CCDData(self.mjy, unit="mJy/beam", meta=bare, wcs=wcs, mask=self.hidden), self.right_masked)
        self.same(CCDData(self.jy, unit="Jy/beam", meta=bare, wcs=wcs), exact=False)

    @needs("astropy")
    def test_nddata_of_every_kind(self):
        from astropy import units as u
        from astropy.nddata import NDData, NDDataArray, NDDataRef
        from astropy.wcs import WCS

        header = self.header()
        for kind in (NDData, NDDataArray, NDDataRef):
            with self.subTest(kind.__name__):
                self.same(kind(self.mjy, unit="mJy/beam", meta=header, wcs=WCS(header)))
                self.same(kind(self.mjy, meta=dict(header)))
                self.same(kind(self.mjy, meta={"header": header}))
                self.same(kind(self.mjy * u.mJy / u.beam, meta=self.bare("BUNIT")))
                self.same(kind(self.mjy, meta=header, mask=self.hidden), self.right_masked)
        beam = [float(header[name]) * u.deg for name in ("BMAJ", "BMIN", "BPA")]
        self.same(NDData(self.mjy, unit="mJy/beam", wcs=WCS(header), meta={"beam": beam}))
        self.same(NDData(self.mjy, unit="mJy/beam", wcs=WCS(header), meta={"BMAJ": beam[0], "BMIN": beam[1].to("arcsec"), "BPA": beam[2]}))

    @needs("astropy")
    def test_a_cut_of_nddata_has_its_place(self):
        from astropy.nddata import CCDData, Cutout2D, NDDataRef
        from astropy.wcs import WCS

        header = self.header()
        right = reber.find(self.mjy[40:, 20:], wcs=WCS(header)[40:, 20:], header=self.bare("NAXIS1", "NAXIS2"), **CALL)
        for kind in (NDDataRef, CCDData):
            self.same(kind(self.mjy, unit="mJy/beam", meta=header, wcs=WCS(header))[40:, 20:], right)
        first = right.sources["RA"][0]
        self.assertLess(min(abs(self.right.sources["RA"] - first)), 1e-4)
        with self.assertWarnsRegex(UserWarning, "both begin at the same pixel"):
            reber.find(self.mjy[40:, 20:], header=header, **CALL)
        cut = Cutout2D(self.mjy, (100, 100), 120, wcs=WCS(header))
        self.same(cut, reber.find(cut.data, wcs=cut.wcs, header=self.bare("NAXIS1", "NAXIS2"), **CALL), unit="mJy/beam", beam=[
            one * scale for one, scale in zip(self.right.beam, (3600, 3600, 1))])
        self.same(cut.data, reber.find(cut.data, wcs=cut.wcs, header=self.bare("NAXIS1", "NAXIS2"), **CALL), wcs=cut.wcs, header=self.cards)

    @needs("astropy")
    def test_a_wcs_takes_the_place_of_all_that_the_header_says_of_the_sky(self):
        from astropy.wcs import WCS

        other = self.header()
        for key, value in (("CRVAL1", 200.0), ("CD1_1", -0.1), ("CD2_2", 0.1), ("CROTA2", 45.0), ("RADESYS", "FK4"), ("EQUINOX", 1950.0)):
            other[key] = value
        self.same(self.mjy, header=other, wcs=WCS(self.header()))

    @needs("astropy")
    def test_hdus_and_quantities(self):
        from astropy import units as u
        from astropy.io import fits
        from astropy.utils.masked import Masked

        header = self.header()
        hdu = fits.ImageHDU(self.mjy, header)
        self.same(hdu)
        self.same(fits.HDUList([fits.PrimaryHDU(), hdu]))
        self.same(fits.HDUList([fits.PrimaryHDU(), hdu]), hdu=1)
        with self.assertRaisesRegex(reber.InputError, "without an image"):
            reber.find(fits.PrimaryHDU(), **CALL)
        self.same(self.mjy * u.mJy / u.beam, header=self.bare("BUNIT"))
        self.same(self.mjy * u.mJy / u.beam, header=self.header(), unit=u.mJy / u.beam)
        self.same(Masked(self.mjy * u.mJy / u.beam, mask=self.hidden), self.right_masked, header=self.bare("BUNIT"))
        self.same(np.ma.MaskedArray(self.mjy, self.hidden), self.right_masked, header=header)
        with self.assertRaisesRegex(reber.InputError, "cannot be said in FITS"):
            reber.find(self.mjy * u.Unit(0.5 * u.Jy / u.beam), **CALL)

    @needs("astropy")
    def test_stored_whole_numbers_are_scaled(self):
        from astropy.io import fits

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scaled.fits")
            scaled = fits.PrimaryHDU(self.mjy.astype(float), self.header())
            scaled.scale("int16", bscale=0.01, bzero=1.0)
            scaled.writeto(path)
            right = reber.find(path, **CALL)
            for choice in ({}, {"do_not_scale_image_data": True}):
                with fits.open(path, **choice) as hdus:
                    got = reber.find(hdus[0], **CALL)
                    np.testing.assert_allclose(got.sources["Peak_flux"], right.sources["Peak_flux"], rtol=1e-5)

    def test_numbers_that_floats_do_not_hold_are_refused(self):
        for scale in (1e60, 1e-60):
            with self.assertRaisesRegex(ValueError, "another unit"):
                reber.find(self.mjy.astype(float) * scale, **CALL)


class Cubes(Image):
    def hdu(self):
        from astropy.io import fits

        header = self.header()
        for key, value in (("CTYPE3", "FREQ"), ("CRVAL3", 1.4e9), ("CDELT3", 1e6), ("CRPIX3", 1.0), ("CUNIT3", "Hz")):
            header[key] = value
        return fits.PrimaryHDU(np.stack([self.mjy * 0, self.mjy, self.mjy * 2]), header)

    @needs("spectral_cube", "radio_beam", "astropy")
    def test_projections_and_slices(self):
        from astropy import units as u
        from radio_beam import Beam
        from spectral_cube import Projection, SpectralCube

        header = self.header()
        self.same(Projection.from_hdu(self.hdu().__class__(self.mjy, header)), exact=False)
        beam = Beam(*(header[name] * u.deg for name in ("BMAJ", "BMIN", "BPA")))
        from astropy.wcs import WCS

        self.same(Projection(self.mjy, unit=u.mJy / u.beam, wcs=WCS(header), beam=beam), exact=False)
        cube = SpectralCube.read(self.hdu())
        self.same(cube[1], exact=False)
        self.same(cube[1:2], exact=False)
        self.same(cube, exact=False, plane=1)
        keep = np.broadcast_to(~self.hidden, cube.shape)
        self.same(cube.with_mask(keep)[1], self.right_masked, exact=False)
        with self.assertRaisesRegex(reber.InputError, "plane= says which"):
            reber.find(cube, **CALL)
        hdu = self.hdu()
        hdu.header["BUNIT"], hdu.header["CDELT3"] = "K", 1e8
        del hdu.header["RESTFRQ"]
        hdu.data[2] = hdu.data[1]
        kelvin = SpectralCube.read(hdu)
        flux = [reber.find(kelvin, plane=plane, **CALL)["Total_flux"].sum() for plane in (1, 2)]
        self.assertAlmostEqual(flux[1] / flux[0], (1.6 / 1.5) ** 2, places=5)

    @needs("astropy")
    def test_planes_of_arrays(self):
        cube = np.stack([self.mjy * 0, self.mjy])
        self.same(cube, header=self.cards, plane=1)
        self.same(cube[None], header=self.cards, plane=1)
        with self.assertRaisesRegex(ValueError, "plane= says which of 2"):
            reber.find(cube, header=self.cards, **CALL)
        with self.assertRaisesRegex(reber.InputError, "planes 0 to 1"):
            reber.find(cube, header=self.cards, plane=2, **CALL)

    def test_a_plane_has_its_own_frequency(self):
        kelvin = "".join(self.cards[i : i + 80] for i in range(0, len(self.cards), 80) if self.cards[i : i + 7] != "RESTFRQ")
        kelvin = kelvin.replace("'mJy/beam'", "'K       '")
        axis = {"CTYPE3": "'FREQ    '", "CRVAL3": 1.4e9, "CDELT3": 1e8, "CUNIT3": "'Hz      '"}

        def cards(crpix, planes):
            more = {**axis, "CRPIX3": crpix, "NAXIS3": planes, "NAXIS": 3}
            return kelvin + "".join(f"{key:<8}= {value!s:>20}".ljust(80) for key, value in more.items())

        flux = [reber.find(self.jy, header=cards(crpix, 1), **CALL)["Total_flux"].sum() for crpix in (1.0, 5.0)]
        self.assertAlmostEqual(flux[1] / flux[0], (1.0 / 1.4) ** 2, places=6)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plane.fits")
            write_map(path, self.jy, cards(5.0, 1))
            self.assertEqual(reber.find(path, **CALL)["Total_flux"].sum(), flux[1])
        cube = np.stack([self.jy] * 3)
        third = reber.find(cube, header=cards(1.0, 3), plane=2, **CALL)["Total_flux"].sum()
        self.assertAlmostEqual(third / flux[0], (1.6 / 1.4) ** 2, places=6)
        with self.assertWarnsRegex(UserWarning, "a cube of 3 planes"):
            reber.find(self.jy, header=cards(1.0, 3), **CALL)

    @needs("radio_beam", "astropy")
    def test_beams_of_radio_beam_and_of_quantities(self):
        from astropy import units as u
        from radio_beam import Beam, Beams

        major, minor, angle = self.right.beam
        for beam in (Beam(major * u.deg, minor * u.deg, angle * u.deg), (major * 3600, minor * 3600, angle),
                     (major * u.deg, minor * 3600 * u.arcsec, np.radians(angle) * u.rad),
                     [major * 60 * u.arcmin, minor * 3600, angle]):
            self.same(self.mjy, header=self.cards, beam=beam, exact=False)
        for beam in ((30 * u.s, 20 * u.s, 0 * u.deg), Beams([30, 20] * u.arcsec), (30, 20)):
            with self.assertRaises(reber.InputError):
                reber.find(self.mjy, header=self.cards, beam=beam, **CALL)
        by_object = reber.convolve(self.jy, Beam(40 * u.arcsec, 30 * u.arcsec, 10 * u.deg), header=self.made.cards, **CALL)
        by_word = reber.convolve(self.jy, "beam:40,30,10", header=self.made.cards, **CALL)
        np.testing.assert_array_equal(by_object.image, by_word.image)


class DataArrays(Image):
    @needs("xarray", "astropy")
    def test_axes_by_their_names_and_keywords_in_attributes(self):
        import xarray

        attrs = dict(self.header())
        upright = xarray.DataArray(self.mjy, dims=("y", "x"), attrs=attrs)
        self.same(upright)
        self.same(upright.transpose("x", "y"))
        self.same(xarray.DataArray(self.mjy.T[None, None], dims=("time", "frequency", "l", "m"), attrs={"header": self.header()}))
        self.same(xarray.DataArray(self.mjy, dims=("rows", "columns"), attrs=attrs))
        self.same(xarray.DataArray(self.mjy.T, dims=("x", "y"), attrs={"units": "mJy/beam"}), header=self.bare("BUNIT"))
        with self.assertRaisesRegex(reber.InputError, "which of them are y and x"):
            reber.find(xarray.DataArray(self.mjy, dims=("y", "other")), **CALL)
        with self.assertRaisesRegex(TypeError, "choose one of its arrays, sky"):
            reber.find(xarray.Dataset({"sky": upright}), **CALL)

    @needs("xarray", "astropy")
    def test_a_cut_by_coordinates_in_pixels(self):
        import xarray

        attrs = dict(self.header())
        whole = xarray.DataArray(self.mjy, dims=("y", "x"), attrs=attrs, coords={"x": np.arange(192), "y": np.arange(192)})
        self.same(whole)
        cut = whole.isel(x=slice(20, None), y=slice(40, None))
        right = reber.find(self.mjy[40:, 20:], header=self.moved(20, 40), **CALL)
        self.same(cut, right)
        with self.assertRaisesRegex(reber.InputError, "every 2th pixel|every 2"):
            reber.find(whole[::2], **CALL)

    def moved(self, x, y):
        header = self.bare("NAXIS1", "NAXIS2")
        header["CRPIX1"] -= x
        header["CRPIX2"] -= y
        return header

    @needs("xarray", "astropy")
    def test_coordinates_on_the_sky(self):
        import xarray

        ra, dec = 10 - 0.001 * (np.arange(192) - 96), -30 + 0.001 * np.arange(192)
        for unit, scale in (("deg", 1.0), ("rad", np.pi / 180)):
            sky = xarray.DataArray(self.mjy.T, dims=("ra", "dec"), coords={"ra": ("ra", ra * scale, {"units": unit}), "dec": ("dec", dec * scale, {"units": unit})})
            found = reber.find(sky, unit="mJy/beam", beam=self.seconds(), **CALL)
            brightest = found.sources[found.sources["Peak_flux"].argmax()]
            x, y = brightest["Xposn"], brightest["Yposn"]
            self.assertAlmostEqual(float(brightest["RA"]), 10 - 0.001 * (x - 96), places=6)
            self.assertAlmostEqual(float(brightest["DEC"]), -30 + 0.001 * y, places=6)
        with self.assertWarnsRegex(UserWarning, "not evenly spaced"):
            reber.find(sky.assign_coords(dec=dec**2), **CALL)

    def seconds(self):
        return tuple(one * scale for one, scale in zip(self.right.beam, (3600, 3600, 1)))

    @needs("xarray", "dask", "astropy")
    def test_dask_within_and_without(self):
        import dask.array
        import xarray

        lazy = dask.array.from_array(self.mjy, chunks=64)
        self.same(lazy, header=self.cards)
        self.same(dask.array.ma.masked_array(lazy, mask=self.hidden), self.right_masked, header=self.cards)
        self.same(xarray.DataArray(lazy.T, dims=("x", "y"), attrs=dict(self.header())))


class Units(Image):
    @needs("astropy")
    def test_noise_and_mean_are_in_the_unit_that_they_say(self):
        from astropy import units as u
        from astropy.io import fits

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mjy.fits")
            fits.writeto(path, self.mjy, self.header())
            for image, options in ((path, {}), (self.mjy, {"header": self.cards})):
                right = reber.find(image, rms=0.03, mean=0.002, **options, **CALL)
                self.assertGreater(len(right.sources), 5)
                for rms, mean in ((30 * u.uJy / u.beam, 2e-6 * u.Jy / u.beam), (np.full(self.mjy.shape, 3e-5) * u.Jy / u.beam, 2 * u.uJy / u.beam),
                                  (fits.ImageHDU(np.full(self.mjy.shape, 30, np.float32), fits.Header({"BUNIT": "uJy/beam"})), 0.002)):
                    self.same(image, right, exact=False, rms=rms, mean=mean, **options)
                for name, value in (("rms", 20 * u.s), ("mean", -100 * u.uJy), ("rms", np.ones(self.mjy.shape) * u.K)):
                    with self.assertRaisesRegex(reber.InputError, f"{name}: .*the image is in mJy/beam"):
                        reber.find(image, **{name: value}, **options, **CALL)
        with self.assertRaisesRegex(reber.InputError, "the image has no unit"):
            reber.find(self.mjy, rms=20 * u.uJy / u.beam, **CALL)

    @needs("astropy")
    def test_every_parameter_with_a_unit_takes_it_and_no_other(self):
        from astropy import units as u

        known = {"px": u.pix, "arcsec": u.arcsec, "deg": u.deg, "Jy/beam": u.Jy / u.beam}
        for row in reber.parameters():
            if row["kind"] not in ("int", "float"):
                continue
            keyword = row["keywords"][0]
            with self.assertRaises((reber.InputError, TypeError), msg=keyword):
                reber.find(self.mjy, header=self.cards, kernel="gaussian:3", **{keyword: 3 * u.s}, **CALL)
            with self.assertRaises((reber.InputError, TypeError), msg=keyword):
                reber.find(self.mjy, header=self.cards, kernel="gaussian:3", **{keyword: 3 * u.uJy}, **CALL)
            if row["unit"] not in known:
                with self.assertRaises(reber.InputError, msg=keyword):
                    reber.find(self.mjy, header=self.cards, kernel="gaussian:3", **{keyword: 3 * u.arcsec}, **CALL)
        right = reber.find(self.mjy, header=self.cards, position_error=0.5, clean_bias=2e-5, box=64, **CALL)
        got = reber.find(self.mjy, header=self.cards, position_error=(0.5 / 3600) * u.deg, clean_bias=20 * u.uJy / u.beam, box=64 * u.pix, **CALL)
        for name in ("E_RA", "Peak_flux"):
            np.testing.assert_allclose(got.sources[name], right.sources[name], rtol=1e-12)

    @needs("astropy")
    def test_studies_take_units(self):
        from astropy import units as u

        right = reber.simulate(64, rms=20, brightest=0.5, pixel=2, beam=(8, 6, 10), frequency=1400, ra=20, sources=5, backend="cpu")
        got = reber.simulate(64, rms=2e-5 * u.Jy / u.beam, brightest=500 * u.mJy, pixel=(2 / 60) * u.arcmin, beam=(8 * u.arcsec, 0.1 * u.arcmin, 10 * u.deg),
                             frequency=1.4 * u.GHz, ra=20 * u.deg, sources=5, backend="cpu")
        np.testing.assert_allclose(got.image, right.image, rtol=1e-4, atol=1e-9)
        with self.assertRaises(reber.InputError):
            reber.simulate(64, rms=20 * u.Jy, backend="cpu")
        pairs = reber.match(self.right.sources, self.right.sources, 0.1 * u.arcmin).pairs
        self.assertEqual(len(pairs), len(self.right.sources))
        with self.assertRaises(reber.InputError):
            reber.match(self.right.sources, self.right.sources, 3 * u.s)


    @needs("astropy")
    def test_uncertainties_are_noise(self):
        from astropy import units as u
        from astropy.nddata import CCDData, InverseVariance, StdDevUncertainty, VarianceUncertainty

        noise = np.full(self.mjy.shape, 0.04)
        right = reber.find(self.mjy, header=self.cards, rms=0.04, **CALL)
        for one in (StdDevUncertainty(noise), VarianceUncertainty(noise**2), InverseVariance(noise**-2), StdDevUncertainty(noise * 1e3, unit=u.uJy / u.beam)):
            image = CCDData(self.mjy, unit="mJy/beam", meta=self.header(), uncertainty=one)
            self.same(image, right, exact=False, rms=image.uncertainty)
            if one.unit is None:
                self.same(image, right, exact=False, rms=one)


class Lists(Image):
    @needs("astropy")
    def test_places_in_any_unit_and_masked_rows(self):
        from astropy import units as u
        from astropy.coordinates import SkyCoord
        from astropy.table import MaskedColumn, QTable, Table

        rows = self.right.sources
        places = SkyCoord(rows["RA"] * u.deg, rows["DEC"] * u.deg)
        measure = lambda at: reber.measure(self.mjy, at, header=self.cards, **CALL).rows
        right = measure({"RA": rows["RA"], "DEC": rows["DEC"]})
        hours = Table({"RA": places.ra.hourangle, "DEC": places.dec.deg})
        hours["RA"].unit = u.hourangle
        for at in (QTable({"RA": places.ra.to("rad"), "DEC": places.dec.to("arcsec")}), hours, QTable({"coord": places}), places, places.galactic, self.right):
            np.testing.assert_allclose(measure(at)["Total_flux"], right["Total_flux"], rtol=1e-6)
        mask = np.arange(len(rows)) == 1
        for at in (Table({"RA": MaskedColumn(rows["RA"], mask=mask), "DEC": rows["DEC"]}), {"RA": np.ma.MaskedArray(rows["RA"], mask), "DEC": rows["DEC"]}):
            self.assertEqual(np.flatnonzero(np.isnan(measure(at)["Total_flux"])).tolist(), [1])


class Headers(Image):
    def test_what_is_no_header_is_an_input_error(self):
        for header in (self.cards[:-30], self.cards[:100] + "\u00e9" + self.cards[101:], "SIMPLE", "\0" * 80):
            with self.assertRaises(reber.InputError):
                reber.find(self.mjy, header=header, **CALL)
        with self.assertRaises(TypeError):
            reber.find(self.mjy, header=5, **CALL)
        self.same(self.mjy, header=self.cards + "END".ljust(80) + " " * 160)
        self.same(self.mjy, header=self.cards.encode())


if __name__ == "__main__":
    print("libraries here:", ", ".join(HERE) or "none", "- not here:", ", ".join(one for one in LIBRARIES if one not in HERE) or "none")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
