# SPDX-License-Identifier: BSD-3-Clause
"""How results look and travel: views_test.py REBER SOURCE_FOLDER. What needs a library that is not installed is skipped; exit
code 77 without NumPy or the module. REBER_CLIENTS names a Python that has the libraries."""
import copy
import importlib.util
import os
import pickle
import sys
import tempfile
import unittest

if os.environ.get("REBER_CLIENTS"):
    environment = {key: value for key, value in os.environ.items() if key != "REBER_CLIENTS"}
    os.execve(os.environ["REBER_CLIENTS"], [os.environ["REBER_CLIENTS"], *sys.argv], environment)
try:
    import numpy as np

    import reber
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)
os.environ.setdefault("MPLBACKEND", "agg")


def needs(name):
    return unittest.skipIf(importlib.util.find_spec(name) is None, f"{name} is not installed")


class Views(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sky = reber.simulate(200, sources=20, seed=5, rms=20, beam=(12, 9, 30), backend="cpu")
        cls.found = reber.find(cls.sky.image, header=cls.sky.cards, backend="cpu")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_a_result_is_a_sequence_of_its_sources(self):
        rows = self.found.sources
        self.assertGreater(len(rows), 3)
        self.assertEqual(len(self.found), len(rows))
        self.assertEqual([row["Source_id"] for row in self.found], list(rows["Source_id"]))
        self.assertEqual(self.found[-1]["RA"], rows[-1]["RA"])
        np.testing.assert_array_equal(self.found["Total_flux"], rows["Total_flux"])
        bright = self.found[rows["Peak_flux"] > np.median(rows["Peak_flux"])]
        self.assertTrue(0 < len(bright) < len(rows))

    def test_what_it_says_of_itself(self):
        text = repr(self.found)
        self.assertIn(f"{len(self.found)} components", text)
        self.assertIn("200 x 200 pixels", text)
        self.assertIn('12" x 9"', text)
        self.assertNotIn("components", repr(reber.background(self.sky.image, header=self.sky.cards, backend="cpu")))
        page = self.found._repr_html_()
        self.assertTrue("data:image/png;base64," in page or "no picture: " in page)
        for part in ("<table>", "Total_flux", "more rows"):
            self.assertIn(part, page)
        table = reber.measure(self.sky.image, self.found, header=self.sky.cards, backend="cpu")
        self.assertIn(f"{len(self.found)} rows", repr(table))
        self.assertEqual(len(list(table)), len(table))
        self.assertIn("<table>", table._repr_html_())
        self.assertIn("0 rows", repr(reber.match({"RA": np.zeros(1), "DEC": np.zeros(1)}, {"RA": np.ones(1), "DEC": np.ones(1)}, 1).pairs))

    def test_copies_and_pickles(self):
        for other in (copy.copy(self.found), copy.deepcopy(self.found), pickle.loads(pickle.dumps(self.found)),
                      pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(self.found))))):
            for columns in ("pybdsf", "gaul", "srl", "casda-islands"):
                for name in self.found.table(columns).dtype.names:
                    np.testing.assert_array_equal(other.table(columns)[name], self.found.table(columns)[name])
            for name in ("image", "mean", "rms", "snr", "labels"):
                np.testing.assert_array_equal(getattr(other, name), getattr(self.found, name))
            np.testing.assert_array_equal(other.residual(), self.found.residual())
            self.assertEqual((other.beam, other.unit, other.history, other.shape), (self.found.beam, self.found.unit, self.found.history, self.found.shape))
            self.assertEqual(repr(other), repr(self.found))
            self.assertIn("<table>", other._repr_html_())
        with self.assertRaisesRegex(reber.InputError, "stored"):
            pickle.loads(pickle.dumps(self.found)).write(self.path("no.csv"))
        noise = reber.background(self.sky.image, backend="cpu")
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(noise)).rms, noise.rms)

    @needs("matplotlib")
    def test_plots(self):
        for what in ("image", "rms", "labels", "residual"):
            axes = self.found.plot(what)
            self.assertEqual(axes.get_title(), what)
            self.assertEqual(len(axes.patches), len(self.found))
        for row, ellipse in zip(self.found.sources, axes.patches):
            self.assertEqual(ellipse.get_center(), (row["Xposn"], row["Yposn"]))
            self.assertAlmostEqual(ellipse.height, row["Maj"] * 3600 / 2, places=5)
        self.assertIs(self.found.plot(ax=axes), axes)

    def test_plots_without_matplotlib_are_the_own_picture(self):
        from reber import _views

        kept, _views._matplotlib = _views._matplotlib, lambda: None
        try:
            try:
                self.assertTrue(self.found.plot()._repr_png_().startswith(b"\x89PNG"))
            except reber.Error as error:
                print("no picture in this build:", error)
            with self.assertRaises(ImportError):
                self.found.plot("rms")
            self.assertIsNone(self.found.show(0).figure)
        finally:
            _views._matplotlib = kept

    def test_one_source(self):
        for index in (0, len(self.found) - 1, -1):
            shown = self.found.show(index)
            x, y = shown.corner
            ny, nx = shown.data.shape
            np.testing.assert_array_equal(shown.data, self.found.image[y : y + ny, x : x + nx])
            np.testing.assert_allclose(shown.residual, shown.data - shown.model, rtol=1e-5, atol=1e-9)
            self.assertTrue(x <= shown.row["Xposn"] < x + nx and y <= shown.row["Yposn"] < y + ny)
            self.assertIn("Total_flux", repr(shown))
            self.assertIn("<pre>", shown._repr_html_())
            number = int(shown.row["Source_id"])
            for words in (f"Source {number}\n", "Deblending", "Refinements"):
                self.assertIn(words, shown.why)
            self.assertIn(shown.why.strip(), repr(shown))
        with self.assertRaises(IndexError):
            self.found.show(len(self.found))

    @needs("pyarrow")
    def test_arrow_and_parquet(self):
        from pyarrow import parquet

        table = self.found.to_arrow()
        self.assertEqual(table.num_rows, len(self.found))
        self.assertEqual(table.schema.field("Total_flux").metadata[b"unit"], b"Jy")
        np.testing.assert_array_equal(table["Peak_flux"].to_numpy(), self.found["Peak_flux"])
        self.found.write(self.path("a.parquet"), columns="srl")
        again = parquet.read_table(self.path("a.parquet"))
        np.testing.assert_array_equal(again["Total_flux"].to_numpy(), self.found.table("srl")["Total_flux"])
        self.assertIn("deg", again.schema.field("RA").metadata[b"unit"].decode())
        with self.assertRaisesRegex(reber.InputError, "overwrite=True"):
            self.found.write(self.path("a.parquet"))
        self.found.write(self.path("a.parquet"), overwrite=True)
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith(".reber")], [])

    @needs("xarray")
    def test_xarray_there_and_back(self):
        maps = self.found.to_xarray()
        self.assertEqual(set(maps), {"image", "mean", "rms", "snr", "labels"})
        self.assertEqual(maps["image"].dims, ("y", "x"))
        again = reber.find(maps["image"].transpose("x", "y"), backend="cpu")
        for name in ("RA", "Total_flux"):
            np.testing.assert_array_equal(again[name], self.found[name])
        self.assertEqual(set(self.found.to_xarray("model")), {"model"})

    @needs("astropy")
    def test_ecsv_is_astropys(self):
        import warnings

        from astropy.table import QTable

        for columns in ("pybdsf", "gaul", "casda-islands"):
            path = self.path(columns + ".ecsv")
            self.found.write(path, columns=columns)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                table = QTable.read(path)
            right = self.found.to_table(columns)
            self.assertEqual(table.colnames, right.colnames)
            for name in table.colnames:
                if right[name].dtype.kind == "f":
                    self.assertEqual(getattr(table[name], "unit", None), getattr(right[name], "unit", None), name)
                if right[name].dtype.kind == "f":
                    np.testing.assert_array_equal(getattr(table[name], "value", table[name]), getattr(right[name], "value", right[name]))
            self.assertTrue(table.meta["history"])
            self.assertEqual(len(reber.match(path, path, 1).pairs), len(table)) if columns == "pybdsf" else None


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
