# SPDX-License-Identifier: BSD-3-Clause
"""PyBDSF's calls: bdsf_test.py REBER SOURCE_FOLDER. Exit code 77 where something is not installed."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import numpy as np

    import reber
    from reber import bdsf
    from reber._maps import closed, header_of
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SAMPLE = str(SOURCE / "sample_data" / "galactic_plane_150mhz.fits")
SETTINGS = {"thresh_pix": 6.0, "thresh_isl": 4.0, "rms_map": True, "rms_box": (120, 30), "quiet": True}
OPTIONS = ["--threshold", "6", "--flood", "4", "--background", "grid", "--box", "120", "--step", "30", "--min-area", "6",
           "--quiet"]


def body(path):
    return [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith("#")]


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)


class ProcessImage(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.img = bdsf.process_image(SAMPLE, **SETTINGS)

    def test_parts_of_the_image_and_a_beam_that_varies(self):
        """Reber's own keywords. A map of the header's beam measures as the header's beam does."""
        centre = bdsf.process_image(SAMPLE, search_region="image; circle(512,512,200)", **SETTINGS)
        self.assertTrue(0 < centre.nsrc < self.img.nsrc)
        everywhere = bdsf.process_image(SAMPLE, search_moc="0/0-11", **SETTINGS)
        self.assertEqual([one.total_flux for one in everywhere.gaussians], [one.total_flux for one in self.img.gaussians])
        self.assertEqual(bdsf.process_image(SAMPLE, search_moc="29/0", **SETTINGS).nsrc, 0)
        with self.assertRaises(reber.InputError):
            bdsf.process_image(SAMPLE, search_moc="3/999999", **SETTINGS)
        cards = [card for card in header_of(SAMPLE)[0] if card[:8].strip() in
                 ("CTYPE1", "CTYPE2", "CRVAL1", "CRVAL2", "RADESYS", "EQUINOX")]
        cards += [f"{name:8}= {value:20}" for name, value in (("CRPIX1", 2.0), ("CRPIX2", 2.0), ("CDELT1", -4.0), ("CDELT2", 4.0))]
        told = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    3",
                *(f"NAXIS{axis}  = {3:20d}" for axis in (1, 2, 3)), *cards, "END"]
        beam = np.repeat(np.array(self.img.beam, ">f4"), 9)
        with open(self.path("psf.fits"), "wb") as file:
            file.write("".join(card.ljust(80) for card in told).ljust(2880).encode() + beam.tobytes().ljust(2880, b"\0"))
        mapped = bdsf.process_image(SAMPLE, psf_map=self.path("psf.fits"), **SETTINGS)
        self.assertEqual(mapped.ngaus, self.img.ngaus)
        self.assertAlmostEqual(mapped.total_flux_gaus / self.img.total_flux_gaus, 1, delta=0.01)

    def test_counts_and_attributes_agree(self):
        img = self.img
        self.assertEqual((img.nsrc, img.ngaus, img.nisl), (len(img.sources), len(img.gaussians), len(img.islands)))
        self.assertEqual(img.ngaus, sum(source.ngaus for source in img.sources))
        self.assertAlmostEqual(img.total_flux_gaus, sum(one.total_flux for one in img.sources), delta=1e-6)
        self.assertEqual(img.shape, (1, 1, 1024, 1024))
        self.assertEqual(img.frequency, 150e6)
        self.assertAlmostEqual(img.beam[0] * 3600, 66, places=6)
        self.assertLessEqual(min(one.size_active for one in img.islands), 12)
        self.assertGreaterEqual(min(one.size_active for one in img.islands), 6)  # a third of the beam is 5.97
        table = img._result.table("casda-islands")
        for island, row in zip(img.islands, table):
            self.assertAlmostEqual(island.total_flux * 1e3, row["flux_int"], delta=1e-4 * abs(row["flux_int"]) + 0.01)
            self.assertEqual(island.bbox[0], slice(row["x_min"], row["x_max"] + 1))

    def test_files_are_the_command_lines(self):
        for name in ("a.gaul", "a.srl", "a.skymodel"):
            subprocess.run([PROGRAM, "find", SAMPLE, "-o", self.path(name), *OPTIONS], check=True)
        img = self.img
        self.assertTrue(img.write_catalog(outfile=self.path("gaul.txt"), format="ascii"))
        self.assertTrue(img.write_catalog(outfile=self.path("srl.txt"), format="ascii", catalog_type="srl"))
        self.assertTrue(img.write_catalog(outfile=self.path("sky"), format="bbs", bbs_patches="source", clobber="True"))
        self.assertEqual(body(self.path("gaul.txt")), body(self.path("a.gaul")))
        self.assertEqual(body(self.path("srl.txt")), body(self.path("a.srl")))
        self.assertEqual(body(self.path("sky")), body(self.path("a.skymodel")))

    def test_a_file_is_not_replaced_without_clobber(self):
        place = self.path("list.fits")
        self.assertTrue(self.img.write_catalog(outfile=place, format="fits", catalog_type="srl"))
        self.assertFalse(self.img.write_catalog(outfile=place, format="fits", catalog_type="srl"))
        self.assertTrue(self.img.write_catalog(outfile=place, format="fits", catalog_type="gaul", clobber=True))
        self.assertEqual(os.listdir(self.folder), ["list.fits"])

    def test_maps(self):
        try:
            from astropy.io import fits
        except ImportError:
            self.skipTest("astropy is not installed")
        result = self.img._result
        side = round(1.5 * self.img.beam[0] / abs(result.header["CDELT2"]))
        for kind, right in (("rms", result.rms), ("gaus_resid", result.residual()), ("gaus_model", result.model()),
                            ("island_mask", closed(result.mask(dilate=2), side))):
            place = self.path(kind + ".fits")
            self.assertTrue(self.img.export_image(outfile=place, img_type=kind, mask_dilation=2))
            data, header = fits.getdata(place, header=True)
            self.assertEqual(data.shape, (1, 1, *right.shape))  # LSMTool and CASA index all four
            self.assertEqual((header["CTYPE3"], header["CTYPE4"], header["CRVAL4"]), ("STOKES", "FREQ", self.img.frequency))
            np.testing.assert_array_equal(data[0, 0], right.astype(np.float32))
        place = self.path("as_found.fits")
        self.img.export_image(outfile=place, img_type="island_mask")
        with warnings.catch_warnings(), fits.open(place, checksum=True) as file:
            warnings.simplefilter("error")  # sums that are wrong
            np.testing.assert_array_equal(file[0].data[0, 0], result.mask().astype(np.float32))
            self.assertEqual(len(file[0].header["CTYPE*"]), 4)
        x, y = self.img.gaussians[0].centre_pix
        np.testing.assert_allclose(self.img.pix2sky((x, y)), self.img.gaussians[0].centre_sky, atol=1e-7)

    def test_an_image_that_names_no_unit_is_taken_in_jansky_a_beam(self):
        place = self.path("bare.fits")
        with open(SAMPLE, "rb") as file:
            data = bytearray(file.read())
        at = data.index(b"BUNIT   ")
        data[at : at + 8] = b"COMMENT "
        with open(place, "wb") as file:
            file.write(data)
        bare = bdsf.process_image(place, **SETTINGS)
        self.assertEqual([one.total_flux for one in bare.sources], [one.total_flux for one in self.img.sources])

    def test_a_closing_fills_what_the_square_cannot_enter(self):
        mask = np.zeros((9, 12), dtype=bool)
        mask[4, [3, 5, 9]] = True
        wanted = mask.copy()
        wanted[4, 4] = True
        np.testing.assert_array_equal(closed(mask, 3), wanted)
        np.testing.assert_array_equal(closed(mask, 1), mask)
        wanted[4, 3:10] = True
        np.testing.assert_array_equal(closed(mask, 4), wanted)

    def test_means(self):
        zero = bdsf.process_image(SAMPLE, mean_map="zero", **SETTINGS)
        self.assertFalse(zero._result.mean.any())
        constant = bdsf.process_image(SAMPLE, mean_map="const", **SETTINGS)
        self.assertEqual(len(np.unique(constant._result.mean)), 1)

    def test_keywords_become_the_searchs_own(self):
        known = {word for row in reber.parameters() for word in row["keywords"]}
        img = bdsf.process_image(SAMPLE, stop_at="read", adaptive_rms_box=True, adaptive_thresh=75.0, thresh="fdr",
                                 rms_box_bright=(40, 10), detection_image="flat.fits", kappa_clip=3.0,
                                 rmsmean_map_filename_det=["m.fits", "r.fits"], group_by_isl=True, minpix_isl=9)
        settings = img._settings()
        self.assertEqual((settings["adaptive_threshold"], settings["bright_box"], settings["bright_step"]), (75.0, 40, 10))
        self.assertEqual((settings["detection_image"], settings["detection_rms"]), ("flat.fits", "r.fits"))
        self.assertEqual((settings["fdr"], settings["min_area"], settings["kappa"]), (0.05, 9, 3.0))
        self.assertLessEqual(set(settings), known)

    def test_a_detection_image_of_its_own_pixels_changes_nothing(self):
        img = bdsf.process_image(SAMPLE, detection_image=SAMPLE, **SETTINGS)
        self.assertEqual(img.nsrc, self.img.nsrc)

    def test_what_is_not_honoured_raises(self):
        with self.assertRaisesRegex(RuntimeError, "Input parameter 'nothing' not recognized."):
            bdsf.process_image(SAMPLE, nothing=1)
        for keyword in ({"spectralindex_do": True}, {"psf_vary_do": True}, {"mean_map": "median"},
                        {"thresh": "soft"}, {"flag_maxsize_fwhm": 0.3}, {"shapelet_do": True}):
            with self.assertRaisesRegex(reber.InputError, "cannot be honoured"):
                bdsf.process_image(SAMPLE, **keyword)
        for keyword in ({"format": "casabox"}, {"format": "sagecal", "catalog_type": "srl"}, {"catalog_type": "shap"}, {"incl_chan": True}, {"srcroot": "me", "format": "ds9"},
                        {"bbs_patches": "mask"}):
            with self.assertRaisesRegex(reber.InputError, "cannot be honoured"):
                self.img.write_catalog(outfile=self.path("none"), **keyword)
        self.assertEqual(bdsf.process_image(SAMPLE, stop_at="isl", **SETTINGS).nsrc, 0)
        self.assertEqual(bdsf.process_image(SAMPLE, stop_at="read").nisl, 0)

    def test_no_source_and_all_blank(self):
        img = bdsf.process_image(SAMPLE, thresh_pix=1e6)
        self.assertEqual((img.nsrc, img.nisl, img.total_flux_gaus), (0, 0, 0.0))
        self.assertFalse(img.write_catalog(outfile=self.path("none.fits"), format="fits"))
        self.assertTrue(img.write_catalog(outfile=self.path("none.fits"), format="fits", force_output="true"))
        try:
            from astropy.io import fits
        except ImportError:
            self.skipTest("astropy is not installed")
        fits.writeto(self.path("blank.fits"), np.full((64, 64), np.nan, np.float32))
        with self.assertRaisesRegex(RuntimeError, "All pixels in the image are blanked."):
            bdsf.process_image(self.path("blank.fits"))


class Studies(InAFolder):
    def test_a_simulated_sky_is_the_command_lines(self):
        options = ["--size", "200", "--sources", "40", "--seed", "3", "--quiet"]
        subprocess.run([PROGRAM, "simulate", self.path("a.fits"), "--truth", self.path("a.csv"), *options], check=True)
        sky = reber.simulate(200, sources=40, seed=3)
        np.testing.assert_array_equal(sky.image, reber.find(self.path("a.fits"), threshold=1e6).image)
        self.assertEqual(len(sky.truth), len(body(self.path("a.csv"))) - 1)
        with self.assertRaisesRegex(TypeError, "nothing"):
            reber.simulate(64, nothing=1)

    def test_forced_fluxes_are_the_command_lines(self):
        found = reber.find(SAMPLE, threshold=20)
        found.write(self.path("at.csv"))
        subprocess.run([PROGRAM, "measure", SAMPLE, "--at", self.path("at.csv"), "-o", self.path("a.csv"), "--quiet"],
                       check=True)
        by_path = reber.measure(SAMPLE, self.path("at.csv"))
        header, *rows = body(self.path("a.csv"))
        column = header.split(",").index("Peak_flux")
        self.assertEqual(len(rows), len(by_path))
        for text, number in zip(rows, by_path["Peak_flux"]):
            if np.isfinite(number):
                self.assertAlmostEqual(float(text.split(",")[column]), number, delta=1e-6 * abs(number))
        np.testing.assert_allclose(reber.measure(SAMPLE, found.sources)["Peak_flux"], by_path["Peak_flux"], rtol=1e-6)
        with self.assertRaisesRegex(TypeError, "background alone"):
            reber.measure(SAMPLE, found.sources, threshold=5)

    def test_a_list_matches_itself(self):
        rows = reber.find(SAMPLE, threshold=20).sources
        matched = reber.match(rows, rows, radius=5)
        self.assertEqual(len(matched.pairs), len(rows))
        self.assertEqual((len(matched.only_a), len(matched.only_b)), (0, 0))
        self.assertEqual(np.abs(matched.pairs["Separation"]).max(), 0)
        with self.assertRaises(reber.InputError):
            reber.match({"a": np.zeros(3)}, rows)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
