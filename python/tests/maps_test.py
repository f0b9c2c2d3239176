# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in place of files, what is refused of them, and the time of an import: maps_test.py. 77: not installed."""
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np

    import reber
    from reber._maps import write_map
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

OPTIONS = {"backend": "cpu", "fit": "moments", "threads": 1}


def sky():
    rng = np.random.default_rng(4)
    image = rng.normal(size=(150, 130)).astype(np.float32)
    y, x = np.mgrid[:150, :130]
    for cx, cy in ((40, 50), (90, 110)):
        image += (40 * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 8.0)).astype(np.float32)
    return image


class Maps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.sky = sky()

    def file(self, name, pixels):
        path = os.path.join(self.folder.name, name)
        write_map(path, pixels)
        return path

    def test_arrays_of_mean_and_rms_are_what_files_are(self):
        ramp = (1 + np.arange(self.sky.size).reshape(self.sky.shape) / self.sky.size).astype(np.float32)
        mean = self.file("mean.fits", ramp - 1)
        rms = self.file("rms.fits", ramp)
        of_files = reber.find(self.sky, mean=mean, rms=rms, **OPTIONS)
        of_arrays = reber.find(self.sky, mean=ramp - 1, rms=ramp, **OPTIONS)
        np.testing.assert_array_equal(of_arrays.rms, ramp)
        np.testing.assert_array_equal(of_arrays.mean, ramp - 1)
        np.testing.assert_array_equal(of_arrays.labels, of_files.labels)
        self.assertEqual(of_arrays.sources["Peak_flux"].tolist(), of_files.sources["Peak_flux"].tolist())

    def test_a_number_and_zero_are_maps_of_one_value(self):
        found = reber.find(self.sky + np.float32(3), mean="zero", rms=2.0, **OPTIONS)
        self.assertEqual((found.mean.min(), found.mean.max()), (0, 0))
        self.assertEqual((found.rms.min(), found.rms.max()), (2, 2))
        np.testing.assert_array_equal(found.snr, (self.sky + np.float32(3)) / 2)
        of_file = reber.find(self.file("sky.fits", self.sky), mean=0, **OPTIONS)
        self.assertEqual(float(np.abs(of_file.mean).max()), 0.0)

    def test_a_search_in_another_array_and_inside_a_mask(self):
        inside = np.zeros(self.sky.shape, bool)
        inside[:80] = True
        found = reber.find(self.sky, search_mask=inside, **OPTIONS)
        self.assertGreater(found.labels[50, 40], 0)
        self.assertEqual((found.labels[80:] != 0).sum(), 0)
        other = reber.find(self.sky, detection_image=self.sky[::-1].copy(), **OPTIONS)
        self.assertGreater(other.labels[149 - 110, 90], 0)
        self.assertEqual(other.labels[110, 90], 0)
        np.testing.assert_array_equal(other.image, self.sky)

    def test_files_left_to_the_system_hold_the_same(self):
        found = reber.find(self.sky, **OPTIONS)
        paths = [os.path.join(self.folder.name, name) for name in ("synced.fits", "left.fits")]
        for path, durable in zip(paths, ("end", "no")):
            found.write(path, "labels", durable=durable)
        same = [pathlib.Path(path).read_bytes() for path in paths]
        self.assertEqual(same[0][2880:], same[1][2880:])
        with self.assertRaises(reber.InputError):
            found.write(paths[0], "labels", durable="perhaps", overwrite=True)

    def test_a_mask_is_1_in_islands(self):
        path = os.path.join(self.folder.name, "mask.fits")
        for memory in (0, 60_000):  # of all pixels, and of bands
            found = reber.find(self.sky, device_memory=memory, **OPTIONS)
            found.write(path, "mask", overwrite=True)
            wanted = (found.labels != 0).astype(">f4")
            self.assertGreater(wanted.sum(), 10)
            self.assertIn(wanted.tobytes(), pathlib.Path(path).read_bytes())

    def test_mesh_is_the_measured_mean(self):
        right = reber.find(self.sky, **OPTIONS)
        np.testing.assert_array_equal(reber.find(self.sky, mean="mesh", **OPTIONS).mean, right.mean)
        self.assertTrue((right.mean != 0).any())

    def test_masked_pixels_are_blank(self):
        mask = np.zeros(self.sky.shape, bool)
        mask[40:60, 30:50] = True
        found = reber.find(self.sky, mask=mask, **OPTIONS)
        right = reber.find(np.where(mask, np.float32(np.nan), self.sky), **OPTIONS)
        np.testing.assert_array_equal(found.labels, right.labels)
        self.assertTrue(np.isnan(found.image[mask]).all())
        self.assertEqual((found.labels[40:60, 30:50] != 0).sum(), 0)
        self.assertGreater(found.labels[110, 90], 0)
        self.assertFalse(np.isnan(self.sky).any())

    def test_what_does_not_fit_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"rms: an array of \(150, 130\) was expected"):
            reber.find(self.sky, rms=np.ones((3, 4), np.float32), **OPTIONS)
        with self.assertRaisesRegex(ValueError, r"mask: an array of \(150, 130\) was expected"):
            reber.find(self.sky, mask=np.zeros((3, 4)), **OPTIONS)
        with self.assertRaisesRegex(TypeError, "mask is for arrays"):
            reber.find(self.file("sky.fits", self.sky), mask=np.zeros(self.sky.shape), **OPTIONS)
        with self.assertRaisesRegex(reber.DataError, "nowhere.fits"):
            reber.find(self.sky, rms="nowhere.fits", **OPTIONS)

    def test_help_and_completion_know_every_keyword_and_its_default(self):
        shown = inspect.signature(reber.find).parameters
        rows = {row["keywords"][0]: row for row in reber.parameters()}
        self.assertEqual(set(rows) - set(shown), set())
        self.assertEqual((shown["threshold"].default, shown["threshold"].annotation), (5.0, float))
        self.assertIn("threshold=5.0 [sigma]: ", reber.find.__doc__)
        self.assertNotIn("threshold", inspect.signature(reber.background).parameters)
        self.assertIn("box", inspect.signature(reber.background).parameters)
        self.assertIn("boundary", inspect.signature(reber.convolve).parameters)
        self.assertIn("progress", inspect.signature(reber.convolve).parameters)
        usual = {name: shown[name].default for name, row in rows.items() if row["stage"] != "convolve"}
        said = reber.find(self.sky, **{**usual, "backend": "cpu", "threads": 1})
        right = reber.find(self.sky, backend="cpu", threads=1)
        self.assertEqual(len(right.sources), 2)
        for name in right.sources.dtype.names:
            np.testing.assert_array_equal(said.sources[name], right.sources[name])

    def test_the_import_is_quick(self):
        """Of the processor's time, beyond NumPy's own, the best of three: other work on the machine is not counted."""
        code = ("import numpy, resource\nused = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])\n"
                "before = used()\nimport reber\nprint(used() - before)")
        times = [float(subprocess.check_output([sys.executable, "-c", code], cwd=self.folder.name)) for _ in range(3)]
        self.assertLess(min(times), 0.15)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
