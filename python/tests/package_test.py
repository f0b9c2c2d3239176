# SPDX-License-Identifier: BSD-3-Clause
"""The package against the command line: package_test.py REBER SOURCE_FOLDER. Exit code 77 where something it needs is
not installed."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

try:
    import numpy as np

    import reber
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SAMPLE = str(SOURCE / "sample_data" / "galactic_plane_150mhz.fits")


def body(path):
    """A CSV without HISTORY, in which each way in names its own options."""
    return [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith("#")]


def assert_same_rows(got, right):
    """NaN is equal to NaN here, as a structured array's own comparison has it not."""
    assert got.dtype == right.dtype and len(got) == len(right)
    for name in right.dtype.names:
        np.testing.assert_array_equal(got[name], right[name], err_msg=name)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def sky(self):
        rng = np.random.default_rng(1)
        sky = rng.normal(size=(200, 160)).astype(np.float32)
        y, x = np.mgrid[:200, :160]
        for cx, cy in ((40, 50), (100, 150)):
            sky += (30 * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 8.0)).astype(np.float32)
        return sky

    def test_the_catalogue_is_the_command_lines(self):
        options = ["--backend", "cpu", "--threshold", "6", "--no-deblend", "--quiet"]
        subprocess.run([PROGRAM, "find", SAMPLE, "-o", self.path("a.csv"), *options], check=True)
        found = reber.find(SAMPLE, backend="cpu", threshold=6, no_deblend=True)
        found.write(self.path("b.csv"))
        self.assertEqual(body(self.path("a.csv")), body(self.path("b.csv")))
        self.assertGreater(len(found.sources), 100)

    def test_an_array_with_its_header_gives_what_the_file_gives(self):
        try:
            from astropy.io import fits
        except ImportError:
            self.skipTest("astropy is not installed")
        with fits.open(SAMPLE) as file:
            data, header = file[0].data.squeeze(), file[0].header
        of_file, of_array = reber.find(SAMPLE, backend="cpu"), reber.find(data, header=header, backend="cpu")
        for name in ("RA", "DEC", "Total_flux", "Peak_flux", "Maj"):
            np.testing.assert_array_equal(of_file.sources[name], of_array.sources[name])
        table = of_file.to_table()
        self.assertEqual(str(table["Total_flux"].unit), "Jy")

    def test_maps_have_the_images_shape_and_add_up(self):
        sky = self.sky()
        found = reber.find(sky, backend="cpu", fit="moments")
        np.testing.assert_array_equal(found.image, sky)
        np.testing.assert_allclose(found.snr, (found.image - found.mean) / found.rms, rtol=1e-5)
        np.testing.assert_array_equal(found.residual(), found.image - found.model())
        self.assertEqual(found.mask().sum(), (found.labels > 0).sum())
        for row in reber.products():
            if row["map"] and row["name"] != "mask":
                one = getattr(found, row["name"])
                one = one() if callable(one) else one
                self.assertEqual((one.shape, one.dtype), (sky.shape, np.float32), row["name"])
        self.assertGreater(found.mask(dilate=1).sum(), found.mask().sum())

    def test_pixels_of_other_types_and_orders_are_the_same_image(self):
        sky = self.sky()
        right = reber.find(sky, backend="cpu", fit="moments").sources
        for other in (sky.astype(">f4"), np.asfortranarray(sky), np.repeat(sky, 2, axis=1)[:, ::2], sky[None]):
            assert_same_rows(reber.find(other, backend="cpu", fit="moments").sources, right)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(3):
                reber.find(sky.astype(np.float64), backend="cpu", fit="moments")
        self.assertLessEqual(len(told), 1)  # an earlier test may have heard it
        masked = np.ma.MaskedArray(sky, mask=np.zeros(sky.shape, bool))
        masked.mask[40:60, 30:50] = True
        found = reber.find(masked, backend="cpu", fit="moments")
        self.assertTrue(np.isnan(found.image[50, 40]))
        self.assertEqual(len(found.sources), len(right) - 1)

    def test_errors_have_the_command_lines_words(self):
        with self.assertRaisesRegex(reber.DataError, "nowhere.fits"):
            reber.find("nowhere.fits", backend="cpu")
        with self.assertRaisesRegex(reber.InputError, "above 0 sigma was expected"):
            reber.find(SAMPLE, threshold=-1)
        with self.assertRaisesRegex(reber.InputError, "flood=6 must not be above threshold=3"):
            reber.find(SAMPLE, threshold=3, flood=6)
        with self.assertRaisesRegex(TypeError, "nearest one is 'threshold'"):
            reber.find(SAMPLE, treshold=5)
        for other, here in (("rms_box", "box and step"), ("ncores", "threads"), ("nsigma", "threshold"), ("thresh_pix", "threshold"),
                            ("SeedClip", "threshold"), ("npixels", "min_area"), ("hedaer", "'header'")):
            with self.assertRaisesRegex(TypeError, f"unknown keyword '{other}'; .*{here}"):
                reber.find(SAMPLE, **{other: 5})
        with self.assertRaisesRegex(TypeError, "unknown keyword 'zzzzzzzz'; reber.parameters"):
            reber.find(SAMPLE, zzzzzzzz=1)
        found = reber.find(SAMPLE, backend="cpu")
        found.write(self.path("there.csv"))
        with self.assertRaisesRegex(reber.InputError, "overwrite=True"):
            found.write(self.path("there.csv"))
        with self.assertRaisesRegex(TypeError, "no meaning here"):
            reber.background(SAMPLE, threshold=5)
        with self.assertRaisesRegex(reber.InputError, "no_such"):
            reber.find(SAMPLE, backend="no_such")
        with self.assertRaises(OSError):
            reber.find("nowhere.fits")
        with self.assertRaises(ValueError):
            reber.find(np.zeros((2, 3, 4), np.float32))

    def test_every_parameter_has_a_keyword_that_is_taken(self):
        words = [word for row in reber.parameters() for word in row["keywords"]]
        self.assertEqual(len(words), len(set(words)))
        for word in ("threshold", "flood", "box", "kappa", "contrast", "fit", "kernel", "mean", "mean_map"):
            self.assertIn(word, words)

    def test_progress_is_told_and_what_it_raises_stops_the_work(self):
        sky = reber.simulate(200, sources=20, backend="cpu")
        places = reber.find(sky.image, header=sky.cards, backend="cpu").sources
        found = reber.find(SAMPLE, backend="cpu")
        image = {"header": sky.cards, "backend": "cpu"}
        file, out = self.path("sky.fits"), self.path("out")
        found.write(file, "image")

        def stop(stage, fraction):
            raise RuntimeError("enough")

        calls = {
            "find": lambda tell: reber.find(SAMPLE, backend="cpu", progress=tell),
            "background": lambda tell: reber.background(sky.image, progress=tell, **image),
            "convolve": lambda tell: reber.convolve(sky.image, "gaussian:3", progress=tell, **image),
            "measure": lambda tell: reber.measure(sky.image, places, progress=tell, **image),
            "simulate": lambda tell: reber.simulate(100, backend="cpu", progress=tell),
            "complete": lambda tell: reber.complete(sky.image, number=3, bins=2, snr=(5, 50), progress=tell, **image),
            "verify": lambda tell: reber.verify(sky.image, progress=tell, **image),
            "smooth": lambda tell: reber.smooth(file, out, to_beam=(200, 200, 0), overwrite=True, backend="cpu", progress=tell),
            "write": lambda tell: found.write(self.path("a.csv"), overwrite=True, progress=tell),
            "write a map": lambda tell: found.write(self.path("a.fits"), "rms", overwrite=True, progress=tell),
        }
        for name, call in calls.items():
            told = []
            call(lambda stage, fraction: told.append(fraction))
            self.assertEqual(told, sorted(told), name)
            self.assertEqual(told[-1], 1, name)
            with self.assertRaisesRegex(RuntimeError, "enough", msg=name):
                call(stop)
        with self.assertRaisesRegex(TypeError, "progress"):
            reber.find(SAMPLE, backend="cpu", progress="bar")

    def test_a_bar_is_drawn_where_it_is_asked_for(self):
        code = f"import reber; reber.find({SAMPLE!r}, backend='cpu', progress=True)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr.count("100%"), 1, done.stderr)

    def test_ctrl_c_stops_a_run(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            reber.find(SAMPLE, backend="reference")

    def test_several_threads_at_once(self):
        right, got = reber.find(SAMPLE, backend="cpu", threads=1).sources, []
        threads = [threading.Thread(target=lambda: got.append(reber.find(SAMPLE, backend="cpu", threads=1).sources))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(got), 3)
        for rows in got:
            assert_same_rows(rows, right)

    def test_sep_conventions(self):
        sky = self.sky()
        bkg = reber.Background(sky, bw=40, bh=40, backend="cpu")
        self.assertLess(abs(bkg.globalrms - 1), 0.1)
        rows, segments = reber.extract(sky - bkg.back(), 5, err=bkg.rms(), segmentation_map=True, backend="cpu")
        self.assertEqual(len(rows), 2)
        for row, place in zip(rows, ((40, 50), (100, 150))):
            self.assertLess(np.hypot(row["x"] - place[0], row["y"] - place[1]), 0.3)
            self.assertEqual(segments[row["ypeak"], row["xpeak"]], list(rows["x"]).index(row["x"]) + 1)
        self.assertEqual(segments.dtype, np.int32)

    def test_the_examples_of_the_document_run(self):
        text = (SOURCE / "docs" / "python.md").read_text()
        code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.S)).replace("sample_data/", f"{SOURCE}/sample_data/")
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("components", lines[0])
        self.assertEqual(lines[1:], ["True True", "(256, 256) float32", "1 90 60", "(256, 256) True True",
                                     "3 True True", "27 True", "[120.0] True",
                                     "(171, 171) [0.003889, 0.003333, 30.0]", "(129, 129) float32", "True True"])

    def test_the_types_are_those_of_the_table_of_parameters(self):
        told = subprocess.run([sys.executable, os.path.join(SOURCE, "python/make_stubs.py")], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        with open(os.path.join(SOURCE, "python/reber/__init__.pyi")) as file:
            self.assertEqual(file.read(), told.stdout, "write them anew: python/make_stubs.py > python/reber/__init__.pyi")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
