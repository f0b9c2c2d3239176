# SPDX-License-Identifier: BSD-3-Clause
"""regrid, mosaic and cube against the command line, byte for byte: imaging_test.py REBER SOURCE. 77: not installed."""
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np

    import reber
    from reber._maps import header_of, stored_pixels, write_map
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

PROGRAM = sys.argv[1]
CPU = {"backend": "cpu", "threads": 1}


def cards_of(beam=(24, 18, 30), axes=2, **more):
    """A small field, as text: beam in arcsec and degrees, pixels of 6 arcsec, the third axis a velocity."""
    values = {"NAXIS": axes, "CTYPE1": "'RA---SIN'", "CTYPE2": "'DEC--SIN'", "CRVAL1": 150.0, "CRVAL2": 2.0,
              "CRPIX1": 50.0, "CRPIX2": 50.0, "CDELT1": -6 / 3600, "CDELT2": 6 / 3600, "BUNIT": "'Jy/beam'"}
    if beam:
        values |= {"BMAJ": beam[0] / 3600, "BMIN": beam[1] / 3600, "BPA": float(beam[2])}
    if axes > 2:
        values |= {"CTYPE3": "'VRAD    '", "CRVAL3": 1e5, "CRPIX3": 1.0, "CDELT3": 2e3, "CUNIT3": "'m/s     '"}
    return "".join(f"{key:<8}= {value!s:>20}".ljust(80) for key, value in (values | more).items())


def value(cards, key):
    return next(cards[i + 10 : i + 30].strip(" '") for i in range(0, len(cards), 80) if cards[i : i + 8].strip() == key)


class Imaging(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rng = np.random.default_rng(3)
        cls.sky = rng.normal(size=(90, 100)).astype(np.float32)
        cls.sky[20:24, 30:35] = np.nan
        cls.lines = rng.normal(size=(12, 90, 100)).astype(np.float32)
        cls.lines[4:7] += 6

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        write_map(self.path("sky.fits"), self.sky, cards_of())
        write_map(self.path("lines.fits"), self.lines, cards_of(axes=3))

    def path(self, name):
        return os.path.join(self.folder, name)

    def reber(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words), "--backend", "cpu", "--threads", "1", "--quiet", "--overwrite"],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def same(self, made, name):
        right = stored_pixels(self.path(name))
        self.assertEqual(made.dtype, np.float32)
        self.assertEqual(made.shape, right.shape)
        self.assertEqual(made.tobytes(), right.tobytes(), name)
        self.assertTrue(np.isfinite(right).any(), name)

    def same_place(self, cards, name):
        right = "".join(header_of(self.path(name))[0])
        for key in ("CTYPE1", "CRVAL1", "CRVAL2", "CRPIX1", "CRPIX2", "CDELT1", "BMAJ", "BMIN", "BPA", "BUNIT"):
            self.assertEqual(value(cards, key), value(right, key), key)

    def test_arrays_and_files_are_regridded_as_the_command_does(self):
        ways = ((["--projection", "TAN", "--pixel", 5, "--rotate", 20], {"projection": "TAN", "pixel": 5, "rotate": 20}),
                (["--projection", "AIT", "--frame", "galactic", "--size", "80,70"], {"projection": "AIT", "frame": "galactic", "size": (80, 70)}),
                (["--centre", "150.02,2.01", "--pixel", 7, "--interpolation", "bilinear"], {"centre": (150.02, 2.01), "pixel": 7, "interpolation": "bilinear"}),
                (["--pixel", 4, "--beam-is", "sky", "--beam", "30,30,0"], {"pixel": 4, "beam_is": "sky", "beam": (30, 30, 0)}))
        for i, (words, keywords) in enumerate(ways):
            name = f"grid{i}.fits"
            self.reber("regrid", "sky.fits", *words, "-o", name)
            for image, more in ((self.sky, {"header": cards_of()}), (self.path("sky.fits"), {})):
                made = reber.regrid(image, **keywords, **more, **CPU)
                self.same(made.image, name)
                self.same_place(made.cards, name)
                self.assertAlmostEqual(made.beam[0], float(value(made.cards, "BMAJ")))
                self.assertIn("regrid: ", "".join(made.history))
                self.assertEqual(made.outputs, [])

    def test_a_grid_is_given_as_a_file_a_header_or_a_result(self):
        other = cards_of(CRVAL1=150.05, CRPIX1=40.0, NAXIS1=70, NAXIS2=60)
        write_map(self.path("like.fits"), np.zeros((60, 70), np.float32), other)
        self.reber("regrid", "sky.fits", "--like", "like.fits", "-o", "on.fits")
        header = {other[i : i + 8].strip(): other[i + 10 : i + 80].strip(" '") for i in range(0, len(other), 80)}
        header = {key: float(text) if text.replace("-", "").replace(".", "").replace("e", "").isdigit() else text for key, text in header.items()}
        result = reber.regrid(self.sky, like=self.path("like.fits"), header=cards_of(), **CPU)
        for like in (self.path("like.fits"), header, result, reber.background(self.path("like.fits"), mean=0.0, rms=1.0, **CPU)):
            made = reber.regrid(self.sky, like=like, header=cards_of(), **CPU)
            self.same(made.image, "on.fits")
            self.assertNotIn("reber-", "".join(made.history))
        with self.assertRaisesRegex(reber.InputError, "NAXIS1"):
            reber.regrid(self.sky, like={"CTYPE1": "RA---SIN"}, header=cards_of(), **CPU)

    def test_maps_beside_the_image_and_named_files(self):
        noise = np.full(self.sky.shape, 0.5, np.float32)
        write_map(self.path("noise.fits"), noise, cards_of())
        self.reber("regrid", "sky.fits", "--pixel", 5, "-o", "c.fits", "--use-rms-map", "noise.fits", "--write-rms-map", "c_rms.fits",
                   "--write-psf-map", "c_psf.fits")
        made = reber.regrid(self.sky, header=cards_of(), pixel=5, use_rms_map=noise, write_rms_map=True, write_psf_map=self.path("m_psf.fits"),
                            output=self.path("m.fits"), **CPU)
        self.same(made.image, "c.fits")
        self.same(made.maps["rms"], "c_rms.fits")
        self.assertEqual(stored_pixels(self.path("m_psf.fits")).tobytes(), stored_pixels(self.path("c_psf.fits")).tobytes())
        self.assertEqual(made.outputs, [self.path("m.fits"), self.path("m_psf.fits")])
        self.assertIn("input array", made.history[0])
        self.assertNotIn("reber-", "".join(made.history))
        with self.assertRaisesRegex(reber.InputError, "exists"):
            reber.regrid(self.sky, header=cards_of(), pixel=5, output=self.path("m.fits"), **CPU)
        with self.assertRaisesRegex(reber.InputError, "belong together"):
            reber.regrid(self.sky, header=cards_of(), pixel=5, use_rms_map=noise, **CPU)

    def test_a_cube_is_regridded_plane_by_plane(self):
        self.reber("regrid", "lines.fits", "--pixel", 7, "-o", "c.fits")
        self.reber("regrid", "lines.fits", "--pixel", 7, "--plane", 5, "-o", "p.fits")
        made = reber.regrid(self.path("lines.fits"), pixel=7, **CPU)
        self.assertEqual(made.image.ndim, 3)
        self.same(made.image, "c.fits")
        self.assertEqual(reber.regrid(self.path("lines.fits"), pixel=7, plane=5, **CPU).image.tobytes(), stored_pixels(self.path("p.fits")).tobytes())
        of_array = reber.regrid(self.lines, header=cards_of(axes=3), pixel=7, plane=5, **CPU)
        self.assertEqual(of_array.image.tobytes(), stored_pixels(self.path("p.fits")).tobytes())

    def fields(self):
        rng = np.random.default_rng(4)
        skies = [rng.normal(size=(90, 100)).astype(np.float32) * (i + 1) for i in range(3)]
        cards = [cards_of(beam=(24, 18, 30 + 20 * i), CRVAL1=150 + 0.04 * i, CTYPE3="'FREQ    '", CRVAL3=1.4e9, CRPIX3=1.0, CDELT3=1e6, CUNIT3="'Hz'")
                 for i in range(3)]
        for i in range(3):
            write_map(self.path(f"f{i}.fits"), skies[i], cards[i])
        return skies, cards

    def test_a_mosaic_of_files_and_of_arrays_is_the_commands(self):
        skies, cards = self.fields()
        with open(self.path("scales.txt"), "w") as file:
            file.write("f1 1.5\nf2.fits 0.5\n")
        with open(self.path("shifts.txt"), "w") as file:
            file.write("f0 1 -2\n")
        names = [f"f{i}.fits" for i in range(3)]
        self.reber("mosaic", *names, "--common", "--beam-model", "gaussian:0.2@1400", "--scales", "scales.txt", "--shifts", "shifts.txt",
                   "--final-cutoff", 0.3, "-o", "c.fits", "--write-weight", "c_w.fits", "--write-rms-map", "c_rms.fits",
                   "--write-psf-map", "c_psf.fits", "--coverage", "c_moc.fits")
        asked = {"common": True, "beam_model": "gaussian:0.2@1400", "final_cutoff": 0.3, **CPU}
        files = [self.path(name) for name in names]
        moc = self.path("moc.fits")
        ways = ((files, {"scales": self.path("scales.txt"), "shifts": self.path("shifts.txt"), "coverage": moc}),
                (files, {"scales": [1, 1.5, 0.5], "shifts": [(1, -2), None, None]}),
                (files, {"scales": {"f1.fits": 1.5, files[2]: 0.5}, "shifts": {files[0]: (1, -2)}}),
                (list(zip(skies, cards)), {"scales": [None, 1.5, 0.5], "shifts": [(1, -2), (0, 0), (0, 0)]}),
                ({"a": files[0], "b": (skies[1], cards[1]), "c": files[2]}, {"scales": {"b": 1.5, "c": 0.5}, "shifts": {"a": (1, -2)}}))
        for images, more in ways:
            made = reber.mosaic(images, write_psf_map=True, **more, **asked)
            self.same(made.image, "c.fits")
            self.same(made.weight, "c_w.fits")
            self.same(made.rms, "c_rms.fits")
            self.assertEqual(made.maps["psf_map"].tobytes(), stored_pixels(self.path("c_psf.fits")).tobytes())
            self.same_place(made.cards, "c.fits")
            self.assertNotIn("reber-", "".join(made.history))
        self.assertIn("mosaic: b, rms", "".join(made.history))
        self.assertTrue(os.path.exists(moc))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])

    def test_weights_and_refusals_of_a_mosaic(self):
        skies, cards = self.fields()
        fields = [(sky, cards[0]) for sky in skies]
        alike = reber.mosaic(fields, weights="uniform", **CPU)
        self.assertEqual(sorted(alike.maps), ["image", "weight"])
        with self.assertRaisesRegex(reber.InputError, "no map of the noise"):
            print(alike.rms)
        with self.assertRaisesRegex(reber.InputError, "knows no rms"):
            reber.mosaic(fields, weights="uniform", write_rms_map=self.path("rms.fits"), **CPU)
        with open(self.path("rms.txt"), "w") as file:
            file.write("f0 1\nf1 2\nf2 3\n")
        for i, sky in enumerate(skies):
            write_map(self.path(f"f{i}.fits"), sky, cards[0])
        self.reber("mosaic", *(f"f{i}.fits" for i in range(3)), "--weights", "rms.txt", "-o", "c.fits")
        self.same(reber.mosaic(fields, weights=[1, 2, 3], **CPU).image, "c.fits")
        for wrong, text in (({"weights": [1, 2]}, "3 fields were given, and 2 values"), ({"weights": [1, 0, 1]}, "above 0"),
                            ({"scales": {"nobody": 1}}, "none of the images"), ({"shifts": [1, 2, 3]}, "2 numbers"),
                            ({"cutoff": 2}, "cutoff"), ({"beam_model": "round"}, "round"), ({"projection": "XYZ"}, "XYZ"),
                            ({"common": True, "to_beam": (60, 60, 0)}, "common=True or to_beam, not both")):
            with self.assertRaisesRegex(reber.InputError, text):
                reber.mosaic(fields, **wrong, **CPU)
        with self.assertRaisesRegex(reber.InputError, "array 1"):
            reber.mosaic([fields[0], (skies[1], cards_of(beam=None))], **CPU)
        with self.assertRaisesRegex(TypeError, "threshold"):
            reber.mosaic(fields, threshold=5)

    def test_cubes_are_added_plane_by_plane(self):
        rng = np.random.default_rng(8)
        cubes, maps = rng.normal(size=(2, 4, 90, 100)).astype(np.float32), rng.uniform(0.5, 2, size=(2, 4, 90, 100)).astype(np.float32)
        cards = [cards_of(axes=3, CRVAL1=150 + 0.04 * i) for i in range(2)]
        for i in range(2):
            write_map(self.path(f"c{i}.fits"), cubes[i], cards[i])
            write_map(self.path(f"c{i}_rms.fits"), maps[i], cards[i])
            write_map(self.path(f"i{i}.fits"), cubes[i][0], cards_of(CRVAL1=150 + 0.04 * i))
            write_map(self.path(f"i{i}_rms.fits"), maps[i][0], cards_of(CRVAL1=150 + 0.04 * i))
        with open(self.path("rms.txt"), "w") as file:
            file.write("c0 1 2 3 4\nc1 2\n")
        files, fields = [self.path(f"c{i}.fits") for i in range(2)], list(zip(cubes, cards))
        rms = [self.path(f"c{i}_rms.fits") for i in range(2)]
        for words, ways in ((["--weights", "rms.txt"], ({"weights": [[1, 2, 3, 4], 2]}, {"weights": self.path("rms.txt")})),
                            (["--weights", "map:%_rms.fits"], ({"weights": rms}, {"weights": list(maps)}, {"weights": list(zip(maps, cards))}))):
            self.reber("mosaic", "c0.fits", "c1.fits", *words, "-o", "c.fits", "--write-weight", "c_w.fits", "--write-rms-map", "c_s.fits")
            for images in (files, fields):
                for more in ways:
                    if images is fields and more["weights"] == self.path("rms.txt"):
                        continue  # arrays are not called c0
                    made = reber.mosaic(images, **more, **CPU)
                    self.assertEqual(made.image.ndim, 3)
                    self.same(made.image, "c.fits")
                    self.same(made.weight, "c_w.fits")
                    self.same(made.rms, "c_s.fits")
                    self.same_place(made.cards, "c.fits")
        names = {"weights": {"c0.fits": rms[0], "c1.fits": maps[1]}}
        self.assertEqual(reber.mosaic(files, **names, **CPU).image.tobytes(), made.image.tobytes())
        self.reber("mosaic", "i0.fits", "i1.fits", "--weights", "map:%_rms.fits", "-o", "i.fits")
        for weights in ([maps[0][0], maps[1][0]], [self.path("i0_rms.fits"), (maps[1][0], cards_of(CRVAL1=150.04))]):
            self.same(reber.mosaic([self.path("i0.fits"), self.path("i1.fits")], weights=weights, **CPU).image, "i.fits")
        for wrong, text in (({"weights": [[1, 2, 3], 1]}, "3 numbers for its rms"), ({"weights": [[1, 0, 1, 1], 1]}, "above 0"),
                            ({"weights": [maps[0][:, :80], 1]}, "not on the grid"), ({"weights": [(maps[0], cards[1]), 1]}, "not on the grid"),
                            ({"weights": {"nobody": maps[0]}}, "none of the images"), ({"weights": rms[:1]}, "2 fields were given, and 1"),
                            ({"weights": rms, "common": True}, "smooth the fields"), ({"per_plane": True}, "per_plane")):
            with self.assertRaisesRegex(reber.InputError, text):
                reber.mosaic(files, **wrong, **CPU)
        with self.assertRaisesRegex(reber.InputError, "its channels are not those of"):
            reber.mosaic([fields[0], (cubes[1], cards_of(axes=3, CRVAL3=1.1e5))], **CPU)

    def test_a_cube_goes_through_the_commands_steps(self):
        steps = ["smooth:40,40,0", "spectral:hanning", "noise:0.3", "mask:strict=4,2,2,2", "moments:0,1,peak"]
        self.reber("cube", "lines.fits", *steps, "-o", "c.fits")
        for image, more in ((self.path("lines.fits"), {}), (self.lines, {"header": cards_of(axes=3)})):
            made = reber.cube(image, steps, **more, **CPU)
            self.same(made.cube, "c.fits")
            self.same_place(made.cards, "c.fits")
            self.assertEqual(sorted(made.maps), ["cube", "mom0", "mom0_error", "mom1", "mom1_error", "peak", "peak_error"])
            for name in ("mom0", "mom1_error", "peak"):
                self.same(made.maps[name], f"c_{name}.fits")
            self.assertEqual((made.planes, made.outputs), (list(range(12)), []))
            self.assertNotIn("reber-", "".join(made.history))
        self.reber("cube", "lines.fits", "noise:0.3", "moments:0", "--planes", "3:7", "-o", "p.fits")
        made = reber.cube(self.path("lines.fits"), "noise:0.3 moments:0", planes=range(3, 8), output=self.path("m.fits"), **CPU)
        self.same(made.maps["mom0"], "p_mom0.fits")
        self.assertEqual(made.outputs, [self.path("m_mom0.fits"), self.path("m_mom0_error.fits")])
        with self.assertRaisesRegex(reber.InputError, "leave no cube"):
            _ = made.cube
        with self.assertRaisesRegex(reber.DataError, "step 'regrid:none.fits': .*none.fits"):
            reber.cube(self.lines, ["regrid:none.fits"], header=cards_of(axes=3), **CPU)

    def test_what_is_said_of_an_array_names_no_file(self):
        for call in (lambda: reber.cube(self.lines, ["smooth:3,3,0"], header=cards_of(axes=3), **CPU),
                     lambda: reber.mosaic([(self.sky, cards_of()), (self.sky, cards_of(CRVAL1=90.0))], like=cards_of_dict(), **CPU),
                     lambda: reber.mosaic([(self.sky, cards_of())], to_beam=(3, 3, 0), **CPU),
                     lambda: reber.regrid(self.sky, like=cards_of_dict(CRVAL1=90.0), header=cards_of(), **CPU)):
            with self.assertRaises(reber.InputError) as raised:
                call()
            self.assertNotIn("reber-", str(raised.exception))
            self.assertIn("array", str(raised.exception))
        for wrong in ({"steps": ["blur:3"]}, {"steps": "moments:0", "planes": "0:90"}, {"steps": "moments:0", "plane": 1}):
            with self.assertRaises(reber.InputError):
                reber.cube(self.path("lines.fits"), **wrong, **CPU)
        for call in (lambda: reber.cube(self.sky, "moments:0", header=cards_of()), lambda: reber.regrid(self.lines, header=cards_of(axes=3), pixel=5)):
            with self.assertRaisesRegex(ValueError, "axes"):
                call()
        with self.assertRaisesRegex(TypeError, "threshold"):
            reber.regrid(self.sky, header=cards_of(), threshold=5)

    def test_work_is_told_and_stopped(self):
        self.fields()
        files = [self.path(f"f{i}.fits") for i in range(3)]

        class Stopped(Exception):
            pass

        def stop(stage, fraction):
            raise Stopped

        for call in (lambda told: reber.regrid(self.path("lines.fits"), pixel=1, output=self.path("n.fits"), progress=told, **CPU),
                     lambda told: reber.mosaic(files, common=True, pixel=1, output=self.path("n.fits"), progress=told, **CPU),
                     lambda told: reber.cube(self.path("lines.fits"), ["smooth:40,40,0", "spectral:hanning"], output=self.path("n.fits"), progress=told, **CPU)):
            parts = []
            call(lambda stage, fraction: parts.append(fraction))
            self.assertEqual(parts, sorted(parts))
            self.assertEqual(parts[-1], 1)
            with open(self.path("n.fits"), "rb") as file:
                whole = file.read()
            os.remove(self.path("n.fits"))
            self.assertRaises(Stopped, call, stop)
            self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".reber-")])
            if os.path.exists(self.path("n.fits")):  # all was done when the first word came
                with open(self.path("n.fits"), "rb") as file:
                    self.assertEqual(file.read(), whole)
                os.remove(self.path("n.fits"))


def cards_of_dict(**more):
    return {"NAXIS1": 20, "NAXIS2": 20, "CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN", "CRVAL1": 150.0, "CRVAL2": 2.0, "CRPIX1": 10.0,
            "CRPIX2": 10.0, "CDELT1": -0.001, "CDELT2": 0.001, **more}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
