# SPDX-License-Identifier: BSD-3-Clause
"""Many planes in one call: planes_test.py REBER SOURCE_FOLDER. Exit code 77 where something is not installed."""
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np

    import reber
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

PROGRAM = sys.argv[1]
SIDE, CHANNELS = 128, 4


def write_cube(path, kind):
    """Four planes of noise and sources along an axis of FREQ or STOKES; the third has no pixel."""
    planes = np.stack([reber.simulate(SIDE, sources=12, seed=2, rms=20 * (plane + 1)).image for plane in range(CHANNELS)])
    planes[2] = np.nan
    start, step = (1.4e9, 1e7) if kind == "FREQ" else (1.0, 1.0)
    cards = (("SIMPLE", "T"), ("BITPIX", -32), ("NAXIS", 3), ("NAXIS1", SIDE), ("NAXIS2", SIDE), ("NAXIS3", CHANNELS),
             ("CTYPE1", "'RA---SIN'"), ("CTYPE2", "'DEC--SIN'"), ("CTYPE3", f"'{kind:<8}'"), ("CRVAL1", 10.0), ("CRVAL2", -30.0),
             ("CRVAL3", start), ("CRPIX1", 64.0), ("CRPIX2", 64.0), ("CRPIX3", 1.0), ("CDELT1", -2 / 3600), ("CDELT2", 2 / 3600),
             ("CDELT3", step), ("BUNIT", "'Jy/beam'"), ("BMAJ", 10 / 3600), ("BMIN", 8 / 3600), ("BPA", 0.0))
    head = "".join(f"{key:<8}= {value:>20}".ljust(80) for key, value in cards) + "END".ljust(80)
    with open(path, "wb") as file:
        file.write(head.ljust(-(-len(head) // 2880) * 2880).encode("ascii"))
        file.write(planes.astype(">f4").tobytes())
        file.write(bytes(-planes.nbytes % 2880))


def body(path):
    with open(path, encoding="utf-8") as file:
        return [line for line in file if not line.startswith("#")]


class Planes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.cube = os.path.join(cls.folder, "cube.fits")
        write_cube(cls.cube, "FREQ")
        cls.found = reber.find(cls.cube, planes="all", backend="cpu")

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_files_are_the_command_lines(self):
        for columns in ("pybdsf", "srl"):
            for kind in ("csv", "reg") if columns == "pybdsf" else ("csv",):
                theirs, ours = self.path(f"theirs_{columns}.{kind}"), self.path(f"ours_{columns}.{kind}")
                subprocess.run([PROGRAM, "find", self.cube, "--planes", "all", "-o", theirs, "--columns", columns, "--backend", "cpu",
                                "--quiet"], check=True)
                self.found.write(ours, columns=columns)
                self.assertEqual(body(theirs), body(ours))
        with self.assertRaisesRegex(reber.InputError, "overwrite=True"):
            self.found.write(self.path("ours_srl.csv"))
        with self.assertRaisesRegex(reber.InputError, "one image"):
            self.found.write(self.path("a.skymodel"))

    def test_rows_are_those_of_each_plane(self):
        found = self.found
        self.assertEqual((found.planes, list(found.skipped)), ([0, 1, 3], [2]))
        self.assertIn("blank", found.skipped[2])
        for plane in found.planes:
            alone = reber.find(self.cube, plane=plane, backend="cpu").sources
            rows = found[found["Plane"] == plane]
            self.assertGreater(len(rows), 2)
            np.testing.assert_array_equal(rows["Total_flux"], alone["Total_flux"])
            np.testing.assert_allclose(rows["Frequency"], 1.4e9 + 1e7 * plane)
        self.assertEqual(len(found), len(list(found)))
        self.assertNotIn("Stokes", found.sources.dtype.names)
        self.assertIn("3 planes", repr(found))
        self.assertEqual(len(found.table("srl")), len(np.unique(found.table("gaul")[["Plane", "Source_id"]])))
        with self.assertRaisesRegex(reber.InputError, "aegean"):
            found.table("aegean")

    def test_a_choice_a_stokes_axis_and_maps_beside(self):
        write_cube(self.path("stokes.fits"), "STOKES")
        told = []
        found = reber.find(self.path("stokes.fits"), planes=[0, 3], backend="cpu", rms=30e-6, progress=lambda *one: told.append(one[1]))
        self.assertEqual(dict(zip(found["Plane"].tolist(), found["Stokes"].tolist())), {0: "I", 3: "V"})
        np.testing.assert_allclose(found["Isl_rms"], 30e-6)
        self.assertEqual((told, told[-1]), (sorted(told), 1))

    def test_what_is_refused(self):
        with self.assertRaisesRegex(TypeError, "FITS cubes"):
            reber.find(np.zeros((3, 8, 8), np.float32), planes="all")
        with self.assertRaisesRegex(reber.InputError, "either plane or planes"):
            reber.find(self.cube, planes="all", plane=1)
        with self.assertRaises(reber.InputError):
            reber.find(self.cube, planes="0:9")
        with self.assertRaisesRegex(reber.DataError, "no plane"):
            reber.find(self.cube, planes=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
