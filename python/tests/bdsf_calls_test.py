# SPDX-License-Identifier: BSD-3-Clause
"""Calls of PyBDSF as scripts of LOFAR and MeerKAT make them: bdsf_calls_test.py REBER SOURCE_FOLDER. Exit code 77 where
something is not installed."""
import os
import pathlib
import sys
import tempfile
import unittest
import warnings

try:
    import numpy as np

    import reber
    from reber import bdsf
    from reber._bdsf_input import _channels, blanked, mean_beam
    from reber._bdsf_spectra import power_laws
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

SAMPLE = str(pathlib.Path(sys.argv[2]) / "sample_data" / "galactic_plane_150mhz.fits")
USUAL = {"thresh_pix": 12.0, "thresh_isl": 5.0, "rms_map": True, "rms_box": (120, 30), "quiet": True, "mean_map": "zero"}
# As ddf-pipeline, its bootstrap, facet selfcal, caracal and oxkat set them.
CALLS = (
    {"output_opts": True, "flagging_opts": True, "advanced_opts": True, "flag_maxsize_fwhm": 0.5, "blank_limit": None, "group_tol": 10.0},
    {"frequency": 140e6, "beam": (0.0183, 0.015, 12.0), "flag_maxsize_bm": 100, "group_by_isl": True},
    {"spline_rank": 1, "minpix_isl": 2, "mean_map": "const"},
    {"blank_limit": 1e-9, "adaptive_rms_box": True, "adaptive_thresh": 150, "rms_box_bright": (60, 15)},
)


class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    @classmethod
    def setUpClass(cls):
        cls.img = bdsf.process_image(SAMPLE, **USUAL)

    def test_scripts_calls_are_taken(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for call in CALLS:
                with self.subTest(call=call):
                    self.assertGreater(bdsf.process_image(SAMPLE, **{**USUAL, **call}).nsrc, 20)

    def test_a_frequency_is_in_all_that_is_written(self):
        img = bdsf.process_image(SAMPLE, frequency=140e6, **USUAL)
        self.assertEqual((img.frequency, img.nsrc), (140e6, self.img.nsrc))
        place = os.path.join(self.folder, "sky")
        for format, words in (("bbs", "ReferenceFrequency='1.40000e+08'"), ("sagecal", " 1.40000e+08 \n"),
                              ("ascii", "Gaussian list for galactic_plane_150mhz.fits")):
            img.write_catalog(outfile=place, format=format, clobber=True)
            self.assertIn(words, pathlib.Path(place).read_text())
        with self.assertRaises(reber.InputError):
            bdsf.process_image(SAMPLE, frequency=-1)

    def test_pixels_near_zero_are_blanked_where_five_of_nine_are(self):
        image = np.ones((12, 14), np.float32)
        image[3:6, 3:6] = 0
        image[9, 2:12] = -1e-12
        wanted = np.zeros(image.shape, bool)
        wanted[3:6, 4] = wanted[4, 3:6] = True  # a corner has three low neighbours, an edge five
        np.testing.assert_array_equal(np.isnan(blanked(image, 1e-9)), wanted)
        self.assertFalse(np.isnan(blanked(image[:, :2] * 0 + 1, 1e-9)).any())

    def test_channels_are_the_planes_of_stokes_i(self):
        def cards(**told):
            return "".join(f"{key:<8}= {value:>20}".ljust(80) for key, value in told.items())

        stokes = {"CTYPE3": "'STOKES  '", "CRVAL3": -1.0, "CDELT3": 1.0, "CRPIX3": 1.0}
        self.assertEqual(_channels(cards(NAXIS=4, NAXIS3=4, NAXIS4=2, CTYPE4="'FREQ    '", **{**stokes, "CRVAL3": 1.0}), 8), [0, 4])
        self.assertEqual(_channels(cards(NAXIS=4, NAXIS3=3, NAXIS4=2, CTYPE3="'FREQ    '", CTYPE4="'STOKES  '", CRVAL4=2.0, CRPIX4=2.0,
                                         CDELT4=1.0), 6), [0, 1, 2])
        self.assertEqual(_channels(cards(NAXIS=3, NAXIS3=5, CTYPE3="'FREQ    '"), 5), [0, 1, 2, 3, 4])
        with self.assertRaisesRegex(reber.InputError, "Stokes I"):
            _channels(cards(NAXIS=3, NAXIS3=2, **{**stokes, "CRVAL3": 2.0}), 2)

    def test_a_linear_spline_warns(self):
        with self.assertWarnsRegex(UserWarning, "spline_rank"):
            bdsf.process_image(SAMPLE, spline_rank=1, **USUAL)
        with self.assertRaisesRegex(reber.InputError, "spline_rank"):
            bdsf.process_image(SAMPLE, spline_rank=7, **USUAL)

    def test_wider_gaussians_are_nowhere(self):
        small = bdsf.process_image(SAMPLE, flag_maxsize_bm=2, **USUAL)
        beam = small.beam[0] * small.beam[1]
        self.assertTrue(0 < small.ngaus < self.img.ngaus)
        self.assertTrue(all(one.size_sky[0] * one.size_sky[1] <= 2 * beam for one in small.gaussians))
        wide = [one for one in self.img.gaussians if one.size_sky[0] * one.size_sky[1] > 2 * beam]
        x, y = (int(round(one)) for one in max(wide, key=lambda one: one.peak_flux).centre_pix)
        self.assertLess(small.model_gaus_arr[x, y], 0.5 * self.img.model_gaus_arr[x, y])
        self.assertEqual(bdsf.process_image(SAMPLE, flag_maxsize_bm=1e6, **USUAL).ngaus, self.img.ngaus)

    def test_all_files_lie_where_pybdsf_puts_them(self):
        img = bdsf.process_image(SAMPLE, output_all=True, outdir=self.folder, opdir_overwrite="append", **USUAL)
        self.assertEqual(os.path.dirname(img.basedir), os.path.join(self.folder, "galactic_plane_150mhz_pybdsf"))
        made = {os.path.relpath(os.path.join(at, name), img.basedir) for at, _, names in os.walk(img.basedir) for name in names}
        stem = "galactic_plane_150mhz.pybdsf"
        wanted = {f"catalogues/{stem}.{end}" for end in ("gaul", "srl", "gaul.FITS", "srl.FITS", "sky_in", "lsm", "star", "kvis.ann",
                                                         "gaul.ds9.reg", "srl.ds9.reg")}
        wanted |= {f"background/{stem}.rmsd_I.fits", f"background/{stem}.mean_I.fits", f"residual/{stem}.resid_gaus.fits",
                   f"model/{stem}.model.fits", "misc/parameters_used"}
        self.assertEqual(made, wanted)

    def test_text_formats(self):
        def lines(format, kind="gaul"):
            place = os.path.join(self.folder, f"{kind}.{format}")
            self.assertTrue(self.img.write_catalog(outfile=place, format=format, catalog_type=kind))
            return [line for line in pathlib.Path(place).read_text().splitlines() if line.strip() and not line.startswith("#")]

        self.assertEqual(len([line for line in lines("ds9", "srl") if "ellipse" in line]), self.img.nsrc)
        star, model = lines("star"), lines("sagecal")
        self.assertEqual((len(star), len(model)), (self.img.ngaus, self.img.ngaus))
        first = self.img.gaussians[0]
        h, m, s, d, dm, ds, major, minor, _, four, peak = star[0].replace("-", "- ").split()[:3] + star[0].replace("-", "- ").split()[4:]
        self.assertAlmostEqual(15 * (int(h) + int(m) / 60 + float(s) / 3600), first.centre_sky[0], delta=1e-5)
        self.assertAlmostEqual(-(int(d) + int(dm) / 60 + float(ds) / 3600), first.centre_sky[1], delta=1e-6)
        self.assertEqual((four, float(peak)), ("4", round(first.peak_flux, 7)))
        for format, begins in (("bbs", "field_w0_i"), ("sagecal", "Gfield_w0_i")):
            place = os.path.join(self.folder, "named." + format)
            self.img.write_catalog(outfile=place, format=format, srcroot="field")
            self.assertTrue(any(line.startswith(begins) for line in pathlib.Path(place).read_text().splitlines()))
        bright = max(self.img.gaussians, key=lambda one: one.total_flux)
        words = model[0].split()
        self.assertEqual(len(words), 17)
        self.assertAlmostEqual(float(words[7]) / bright.total_flux, 1, delta=1e-3)
        self.assertAlmostEqual(float(words[13]), np.radians(bright.deconv_size_sky[0]) / 2, delta=1e-6)

    def test_arrays_and_numbers(self):
        img, found = self.img, self.img._result
        for name, right in (("ch0_arr", found.image), ("rms_arr", found.rms), ("mean_arr", found.mean),
                            ("model_gaus_arr", found.model()), ("resid_gaus_arr", found.residual())):
            np.testing.assert_array_equal(getattr(img, name), right.T)
        self.assertAlmostEqual(img.raw_rms / np.nanstd(found.image), 1, delta=1e-4)
        self.assertTrue(0.5 < img.clipped_rms / np.nanmedian(found.rms) < 3)
        self.assertEqual((img.imagename, img.nchan), ("galactic_plane_150mhz.pybdsf", 1))
        try:
            self.assertEqual(img.header["NAXIS1"], 1024)
        except ImportError:
            self.skipTest("astropy is not installed")
        np.testing.assert_allclose(img.sky2pix(img.pix2sky((500, 400))), (500, 400), atol=1e-6)


def spectral_cube(path, own_beams, seed=4, side=640, channels=6, rms=1e-4):
    """Points of total S/N 15 to 80 on a grid, with noise that has each channel's beam. Gives places, fluxes at the mean
    frequency, indices, frequencies."""
    rng = np.random.default_rng(seed)
    hz = np.linspace(1.2e9, 1.68e9, channels)
    y, x = (one.ravel() for one in np.meshgrid(*[np.arange(18, side - 18, 30)] * 2, indexing="ij"))
    x, y = x + rng.uniform(-0.5, 0.5, x.size), y + rng.uniform(-0.5, 0.5, y.size)
    flux = np.exp(rng.uniform(np.log(15), np.log(80), x.size)) * rms / np.sqrt(channels)
    index = rng.normal(-0.7, 0.5, x.size)
    ky, kx = np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :]
    rows, columns = np.mgrid[-15:16, -15:16]
    planes, cards = [], ""
    for channel in range(channels):
        sigma = 5.5 / 2.3548 * (hz.mean() / hz[channel] if own_beams else 1)
        noise = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(side, side))) * np.exp(-2 * (np.pi * sigma) ** 2 * (kx**2 + ky**2)))
        noise *= rms / noise.std()
        for one in range(x.size):
            at = int(round(y[one])), int(round(x[one]))
            shape = np.exp(-((rows - y[one] + at[0]) ** 2 + (columns - x[one] + at[1]) ** 2) / (2 * sigma**2))
            noise[at[0] - 15 : at[0] + 16, at[1] - 15 : at[1] + 16] += flux[one] * (hz[channel] / hz.mean()) ** index[one] * shape
        planes.append(noise)
        degrees = sigma * 2.3548 * 2 / 3600
        for key in ("BMAJ", "BMIN") if own_beams else ():
            cards += f"{key + str(channel + 1):<8}= {degrees:20.14f}".ljust(80)
        cards += f"{'BPA' + str(channel + 1):<8}= {0.0:20.1f}".ljust(80) if own_beams else ""
    for key, value in (("CTYPE1", "'RA---SIN'"), ("CTYPE2", "'DEC--SIN'"), ("CTYPE3", "'FREQ'"), ("CUNIT3", "'Hz'"), ("CTYPE4", "'STOKES'"),
                       ("CRVAL1", 30.0), ("CRVAL2", -30.0), ("CRPIX1", side / 2), ("CRPIX2", side / 2), ("CDELT1", -2 / 3600),
                       ("CDELT2", 2 / 3600), ("CRVAL3", hz[0]), ("CRPIX3", 1.0), ("CDELT3", hz[1] - hz[0]), ("CRVAL4", 1.0),
                       ("CRPIX4", 1.0), ("CDELT4", 1.0), ("BUNIT", "'Jy/beam'"), ("BMAJ", 11 / 3600), ("BMIN", 11 / 3600), ("BPA", 0.0)):
        cards += f"{key:<8}= {value if isinstance(value, str) else repr(float(value)):>20}".ljust(80)
    head = "".join(f"{key:<8}= {value:>20}".ljust(80) for key, value in (
        ("SIMPLE", "T"), ("BITPIX", -32), ("NAXIS", 4), ("NAXIS1", side), ("NAXIS2", side), ("NAXIS3", channels), ("NAXIS4", 1)))
    head += cards + "END".ljust(80)
    with open(path, "wb") as file:
        file.write(head.ljust(-(-len(head) // 2880) * 2880).encode("ascii"))
        file.write(np.stack(planes).astype(">f4").tobytes())
        file.write(bytes(-4 * channels * side * side % 2880))
    return np.stack([x, y], axis=1), flux, index, hz


class Spectra(unittest.TestCase):
    def measured(self, own_beams):
        """Errors of the indices over their bound, where places and shapes are known, and over their own; and the Image."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cube.fits")
            places, flux, index, hz = spectral_cube(path, own_beams)
            img = bdsf.process_image(path, spectralindex_do=True, thresh_pix=6, rms_map=True, mean_map="zero")
            for kind in ("gaul", "srl"):
                img.write_catalog(outfile=os.path.join(folder, kind + ".csv"), format="csv", catalog_type=kind, incl_chan=True)
                names = pathlib.Path(folder, kind + ".csv").read_text().splitlines()
                names = next(line for line in names if not line.startswith("#")).split(",")
                self.assertEqual(names[-20:], ["Spec_Indx", "E_Spec_Indx", *(f"{one}_ch{channel}" for one in ("Total_flux", "E_Total_flux", "Freq")
                                                                             for channel in range(1, 7))])
        bounds, pulls = [], []
        for one in img.gaussians:
            gaps = np.hypot(*(places - one.centre_pix).T)
            true = int(gaps.argmin())
            if gaps[true] > 2 or not np.isfinite(one.spec_indx):
                continue
            model = flux[true] * (hz / hz.mean()) ** index[true]
            lever = np.log(hz / hz.mean())
            lever = lever - (model**2 * lever).sum() / (model**2).sum()
            bounds.append((one.spec_indx - index[true]) / (1e-4 / np.sqrt((model**2 * lever**2).sum())))
            pulls.append((one.spec_indx - index[true]) / one.e_spec_indx)
        self.assertGreater(len(pulls), 0.97 * len(index))
        return np.array(bounds), np.array(pulls), img

    def test_a_cube_at_one_beam(self):
        bounds, pulls, img = self.measured(False)
        self.assertEqual((img.shape, round(img.frequency)), ((1, 6, 640, 640), 1440000000))
        self.assertLess(np.sqrt(np.mean(bounds**2)), 1.2)  # of 441 sources: known to 4 %
        self.assertTrue(0.88 < pulls.std() < 1.12 and abs(pulls.mean()) < 0.2, (pulls.std(), pulls.mean()))
        self.assertAlmostEqual(img.sources[0].spec_indx, img.gaussians[0].spec_indx, delta=1e-9)

    def test_a_cube_whose_planes_have_their_own_beams(self):
        bounds, pulls, _ = self.measured(True)
        self.assertLess(np.sqrt(np.mean(bounds**2)), 1.2)
        self.assertTrue(0.88 < pulls.std() < 1.12 and abs(pulls.mean()) < 0.2, (pulls.std(), pulls.mean()))

    def test_what_has_one_channel_has_no_index(self):
        with self.assertRaisesRegex(reber.InputError, "1 channel"):
            bdsf.process_image(SAMPLE, spectralindex_do=True, thresh_pix=50)

    def test_power_laws(self):
        hz = np.array([1.0e9, 1.2e9, 1.5e9, 2.0e9])
        flux = 3 * (hz / 1.35e9) ** np.array([[-2.0], [0.5]])
        flux[1, 2] = np.nan
        norm, index, error, middle = power_laws(hz, flux, np.full(flux.shape, 0.01))
        np.testing.assert_allclose(index, [-2, 0.5], atol=1e-9)
        np.testing.assert_allclose(middle, [1.35e9, 1.2e9])
        self.assertAlmostEqual(norm[0], 3, places=9)
        self.assertTrue(np.all((error > 0.003) & (error < 0.02)))
        self.assertTrue(np.isnan(power_laws(hz, flux * 0 + 0.01, np.full(flux.shape, 0.01))[1]).all())
        np.testing.assert_allclose(mean_beam([(3, 2, 10), (3, 2, 10)]), (3, 2, 10))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
