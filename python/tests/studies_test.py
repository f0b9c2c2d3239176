# SPDX-License-Identifier: BSD-3-Clause
"""smooth, complete, verify and collapse against the command line: studies_test.py REBER SOURCE. 77: not installed."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np

    import reber
    from reber._maps import header_of, write_map
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

PROGRAM = sys.argv[1]
CPU = {"backend": "cpu", "threads": 1}


def cards_of(axes=2, beam=(24, 18, 30), **more):
    """A small field, as text: beam in arcsec and degrees, pixels of 6 arcsec, the third axis a frequency."""
    values = {"NAXIS": axes, "CTYPE1": "'RA---SIN'", "CTYPE2": "'DEC--SIN'", "CRVAL1": 150.0, "CRVAL2": 2.0,
              "CRPIX1": 50.0, "CRPIX2": 50.0, "CDELT1": -6 / 3600, "CDELT2": 6 / 3600, "BUNIT": "'Jy/beam'"}
    if beam:
        values |= {"BMAJ": beam[0] / 3600, "BMIN": beam[1] / 3600, "BPA": float(beam[2])}
    if axes > 2:
        values |= {"CTYPE3": "'FREQ    '", "CRVAL3": 1.4e9, "CRPIX3": 1.0, "CDELT3": 1e6, "CUNIT3": "'Hz      '"}
    return "".join(f"{key:<8}= {value!s:>20}".ljust(80) for key, value in (values | more).items())


def write_cube(path, data, cards):
    """[plane, y, x]"""
    head = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    3"]
    head += [f"NAXIS{axis}  = {size:20d}" for axis, size in enumerate(reversed(data.shape), 1)]
    text = "".join(card.ljust(80) for card in head) + "".join(
        cards[i : i + 80] for i in range(0, len(cards), 80) if not cards[i:].startswith("NAXIS")) + "END"
    body = data.astype(">f4").tobytes()
    with open(path, "wb") as file:
        file.write((text + " " * (-len(text) % 2880)).encode() + body + bytes(-len(body) % 2880))


class Studies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def reber(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words), "--backend", "cpu", "--threads", "1", "--quiet"],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def told(self, name):
        with open(self.path(name)) as file:
            return json.load(file)

    def pixels(self, name):
        """Of a plain FITS file of floats with two axes that are longer than one."""
        with open(self.path(name), "rb") as file:
            data = file.read()
        cards = {}
        for at in range(0, len(data), 80):
            card = data[at : at + 80].decode("ascii")
            cards[card[:8].strip()] = card[10:30].strip()
            if card.startswith("END "):
                begin = (at // 2880 + 1) * 2880
                break
        shape = int(cards["NAXIS2"]), int(cards["NAXIS1"])
        return np.frombuffer(data, ">f4", shape[0] * shape[1], begin).reshape(shape)

    def test_smoothed_images_keep_their_further_axes(self):
        path = self.path("four.fits")
        cards = cards_of(4, NAXIS1=64, NAXIS2=64, NAXIS3=1, NAXIS4=1, CTYPE4="'STOKES  '", CRVAL4=4.0, CRPIX4=1.0, CDELT4=1.0)
        write_map(path, np.random.default_rng(1).normal(size=(64, 64)).astype(np.float32), cards)
        made = reber.smooth(path, to_beam=(60, 60, 0), **CPU)
        head = header_of(made.outputs[0])[0]
        told = {card[:8].strip(): card[10:30].strip() for card in head if card[8:10] == "= "}
        self.assertEqual((told["NAXIS"], told["NAXIS3"], told["NAXIS4"]), ("4", "1", "1"))
        self.assertEqual((float(told["CRVAL3"]), float(told["CRVAL4"])), (1.4e9, 4.0))
        self.assertEqual(reber.find(made.outputs[0], backend="cpu").shape, (64, 64))

    def test_columns_of_other_lengths_are_refused(self):
        good = {"RA": np.array([10.0, 11.0]), "DEC": np.array([1.0, 2.0])}
        with self.assertRaisesRegex(reber.InputError, "'RA' has 2 rows, 'DEC' has 1"):
            reber.match(good, {"RA": good["RA"], "DEC": good["DEC"][:1]})

    def test_a_broadcast_image_without_memory_is_refused_at_once(self):
        with self.assertRaisesRegex(reber.DeviceError, "not enough memory"):
            reber.find(np.broadcast_to(np.float32(1), (1, 1 << 44)), backend="cpu")

    def test_a_crowded_field_is_searched_deeper_unless_the_threshold_is_stated(self):
        made = reber.simulate(640, pixel=4, sources=3400, extended=0, rms_rise=0, **CPU)
        find = lambda **words: reber.find(made.image, header=made.cards, fit="none", **words, **CPU)
        deep, usual = find(), find(threshold=5)
        self.assertIn("4.5 sigma", deep.report["facts"]["threshold"])
        self.assertNotIn("threshold", usual.report["facts"])
        self.assertGreater(len(deep.sources), len(usual.sources))
        for words in ({"threshold": 5, "deepen": 0.001}, {"deepen": 0.001, "threshold": 5}):
            self.assertEqual(len(find(**words).sources), len(deep.sources))

    def test_completeness_is_the_command_lines_of_a_file_and_of_an_array(self):
        self.reber("simulate", "sky.fits", "--size", 400, 400, "--sources", 10, "--extended", 0, "--seed", 3)
        self.reber("complete", "sky.fits", "--number", 12, "--bins", 3, "--snr", 3, 40, "--json", "a.json", "-o", "a.csv")
        asked = {"number": 12, "bins": 3, "snr": (3, 40), **CPU}
        measured = reber.complete(self.path("sky.fits"), plot=self.path("plot.png"), **asked)
        right = self.told("a.json")
        self.assertEqual(measured.summary, right)
        self.assertEqual(measured.bins["Completeness"].tolist(), [one["found_clear"]["value"] for one in right["bins"]])
        self.assertGreater(os.path.getsize(self.path("plot.png")), 1000)
        self.assertTrue(3 < measured.snr_50 < 12)
        made = reber.simulate(400, sources=10, extended=0, seed=3, **CPU)
        self.assertEqual(reber.complete(made.image, header=made.cards, **asked).summary, right)
        self.assertNotEqual(reber.complete(made.image, header=made.cards, **{**asked, "seed": 2}).summary, right)

    def test_verification_is_the_command_lines(self):
        made = reber.simulate(128, sources=8, seed=2, **CPU)
        write_map(self.path("sky.fits"), made.image, made.cards)
        self.reber("verify", "sky.fits", "--kernel", "gaussian:4", "--json", "a.json")
        told = reber.verify(self.path("sky.fits"), kernel="gaussian:4", **CPU)
        self.assertTrue(told)
        right = self.told("a.json")["checks"]
        self.assertGreater(len(right), 10)
        for name in ("stage", "worst", "bound"):
            self.assertEqual(told.checks[name].tolist(), [one[name] for one in right])
        of_array = reber.verify(made.image, header=made.cards, kernel="gaussian:4", **CPU)
        self.assertEqual(of_array.checks["worst"].tolist(), told.checks["worst"].tolist())
        with self.assertRaisesRegex(reber.InputError, "against itself"):
            reber.verify(made.image, header=made.cards, backend="reference")

    def test_an_array_keeps_its_headers_further_axes(self):
        made = reber.simulate(64, sources=3, seed=2, **CPU)
        cards = cards_of(axes=3) + "EQUINOX =               2000.0".ljust(80)
        write_map(self.path("sky.fits"), made.image, cards)
        self.assertEqual(self.pixels("sky.fits").tolist(), made.image.tolist())
        found = reber.background(self.path("sky.fits"), **CPU)
        self.assertIn("CRVAL3", "".join(found._run.cards))

    def test_files_are_smoothed_to_their_common_beam(self):
        rng = np.random.default_rng(5)
        for name, beam in (("a.fits", (24, 18, 30)), ("b.fits", (30, 15, 70))):
            write_map(self.path(name), rng.normal(size=(96, 100)).astype(np.float32), cards_of(beam=beam))
        files = [self.path("a.fits"), self.path("b.fits")]
        self.reber("smooth", "a.fits", "b.fits", "--common", "-o", "command", "--json", "a.json")
        planned = reber.smooth(files, self.path("module"), dry_run=True, **CPU)
        self.assertFalse(os.path.exists(self.path("module")))
        done = reber.smooth(files, self.path("module"), **CPU)
        self.assertEqual(done.outputs, [self.path("module/a_smoothed.fits"), self.path("module/b_smoothed.fits")])
        for name in ("a_smoothed.fits", "b_smoothed.fits"):
            self.assertEqual(self.pixels("module/" + name).tobytes(), self.pixels("command/" + name).tobytes())
        right = self.told("a.json")
        target = right[0]["planes"][0]["target"]
        np.testing.assert_allclose(done.beam, (target["major_arcsec"] / 3600, target["minor_arcsec"] / 3600, target["pa_deg"]))
        self.assertEqual(planned.beam, done.beam)
        self.assertEqual(done.planes["Noise_factor"].tolist(), [one["planes"][0]["noise_factor"] for one in right])
        with self.assertRaisesRegex(reber.InputError, "exists"):
            reber.smooth(files, self.path("module"), **CPU)
        again = reber.smooth(files[0], self.path("module"), to_beam=(60, 50, 0), overwrite=True, **CPU)
        np.testing.assert_allclose(again.beam, (60 / 3600, 50 / 3600, 0))
        for wrong in ({"to_beam": (60, 50, 0), "per_plane": True}, {"kernel": "gaussian:3"}, {"beam": 3}):
            with self.assertRaises((TypeError, ValueError)):
                reber.smooth(files, self.path("other"), **wrong, **CPU)
        with self.assertRaisesRegex(ValueError, "different folders"):
            reber.smooth([files[0], files[0]], dry_run=True)
        with self.assertRaisesRegex(reber.InputError, "cannot be reached|smaller|beam"):
            reber.smooth(files, self.path("other"), to_beam=(10, 10, 0), **CPU)

    def test_a_cube_is_collapsed_as_the_command_does(self):
        rng = np.random.default_rng(6)
        cube = rng.normal(size=(5, 40, 50)).astype(np.float32)
        cube[2] = np.nan
        cube[:, 3, 4] = np.nan
        write_cube(self.path("cube.fits"), cube, cards_of(axes=3))
        for how, planes in (("mean", "all"), ("max", "0:3"), ("weighted", "all"), ("moment0", "1:4")):
            self.reber("collapse", "cube.fits", "-o", how + ".fits", "--how", how, "--planes", planes)
            made = reber.collapse(self.path("cube.fits"), how=how, planes=planes, output=self.path("m_" + how + ".fits"), **CPU)
            right = self.pixels(how + ".fits")
            self.assertEqual(made.image.astype(">f4").tobytes(), right.tobytes())
            self.assertEqual(self.pixels("m_" + how + ".fits").tobytes(), right.tobytes())
        made = reber.collapse(self.path("cube.fits"), planes=[0, 1, 4], **CPU)
        np.testing.assert_allclose(made.image, np.mean(cube[[0, 1, 4]], axis=0, dtype=np.float64), atol=1e-6)
        self.assertEqual(made.planes, [0, 1, 4])
        self.assertEqual(reber.collapse(self.path("cube.fits"), **CPU).planes, [0, 1, 3, 4])
        self.assertIn("plane 2 is left out", "".join(reber.collapse(self.path("cube.fits"), **CPU).warnings))
        for beam, major in ((None, 24), ((60, 50, 0), 60)):
            cards = reber.collapse(self.path("cube.fits"), beam=beam, **CPU).cards
            (told,) = [float(cards[i + 10 : i + 30]) for i in range(0, len(cards), 80) if cards[i:].startswith("BMAJ ")]
            self.assertAlmostEqual(told * 3600, major)
        for wrong in ({"how": "median"}, {"planes": "0:9"}, {"snr": -1}, {"plane": 1}):
            with self.assertRaises(reber.InputError):
                reber.collapse(self.path("cube.fits"), **wrong, **CPU)
        with self.assertRaisesRegex(TypeError, "threshold"):
            reber.collapse(self.path("cube.fits"), threshold=5)
        with self.assertRaisesRegex(TypeError, "NumPy"):
            reber.collapse(cube)

    def test_words_that_are_not_of_the_study_are_refused(self):
        made = reber.simulate(64, sources=3, seed=2, **CPU)
        for wrong in ({"snr": (10, 5)}, {"into": "nowhere"}, {"size": -1}, {"flux": (3, 2)}, {"separation": 0}, {"number": 0}):
            with self.assertRaises(reber.InputError, msg=str(wrong)):
                reber.complete(made.image, header=made.cards, **wrong, **CPU)
        with self.assertRaisesRegex(TypeError, "nearest one"):
            reber.complete(made.image, header=made.cards, treshold=4)

    def test_report(self):
        made = reber.simulate(256, sources=40, seed=3, **{k: v for k, v in CPU.items()})
        write_map(self.path("sky.fits"), made.image, made.cards)
        made_too = reber.report(self.path("sky.fits"), quick=True, output=self.path("p.html"), against={"truth": made.truth}, **CPU)
        self.reber("report", "sky.fits", "--quick", "-o", "c.html")
        with open(self.path("c.json")) as file:
            told = json.load(file)
        value = {(row["name"], row["of"]): row["value"] for row in made_too.metrics}
        for row in told["metrics"]:
            mine = value[row["name"], ""]
            self.assertTrue(mine == row["value"] or row["value"] is None and np.isnan(mine), row)
        self.assertLess(abs(value["flux_ratio", "truth"] - 1), 0.1)
        with open(self.path("p.html"), encoding="utf-8") as file:
            self.assertEqual(file.read(), made_too.page)
        with open(self.path("p.xml"), encoding="utf-8") as file:
            self.assertEqual(file.read(), made_too.casda)
        self.assertIn(made_too.verdict, made_too.page)
        again = reber.report(made.image, header=made.cards, quick=True, against=made.truth, **CPU)
        self.assertEqual({row["name"]: row["value"] for row in again.metrics}["sources"], value["sources", ""])
        self.assertRaises(reber.InputError, reber.report, self.path("sky.fits"), output=self.path("p.html"))
        self.assertRaises(reber.InputError, reber.report, self.path("sky.fits"), output=self.path("p.pdf"))
        self.assertRaises(reber.DataError, reber.report, self.path("sky.fits"), quick=True, levels="none.toml", **CPU)
        self.assertRaises(TypeError, reber.report, self.path("sky.fits"), negative=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
