# SPDX-License-Identifier: BSD-3-Clause
"""What others read of what Reber writes: clients_test.py REBER SOURCE. A reader that is not installed is said and
skipped; exit code 77 where none is. REBER_CLIENTS names a Python that has them, in place of the running one."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

if os.environ.get("REBER_CLIENTS"):
    environment = {key: value for key, value in os.environ.items() if key != "REBER_CLIENTS"}
    os.execve(os.environ["REBER_CLIENTS"], [os.environ["REBER_CLIENTS"], *sys.argv], environment)

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]
CLIENTS = ("astropy", "regions", "mocpy", "lsmtool")
HERE = [name for name in CLIENTS if importlib.util.find_spec(name)]
try:
    import reber

    HERE.append("reber")
except ImportError:
    pass  # the module, or one of this Python
SETS = ("pybdsf", "srl", "gaul", "aegean", "casda", "aegean-isle", "casda-islands")


def needs(*names):
    missing = [name for name in names if name not in HERE]
    return unittest.skipIf(missing, f"{', '.join(missing)} is not installed")


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        sample = os.path.join(SOURCE, "sample_data/galactic_plane_150mhz.fits")
        common = ["--backend", "cpu", "--threshold", "10", "--quiet"]

        def reber(*words):
            subprocess.run([PROGRAM, *words], check=True, cwd=cls.folder.name, stdout=subprocess.DEVNULL)

        for name in SETS:
            reber("find", sample, "--columns", name, "-o", *(f"{name}.{kind}" for kind in ("fits", "vot", "csv")), *common)
        reber("find", sample, "-o", "a.srl", "a.gaul", "a.skymodel", "a.reg", "a.crtf", *common)
        reber("find", sample, "-o", "single.skymodel", "--patches", "single", *common)
        reber("mask", sample, "--coverage", "--moc", "coverage.fits", "--quiet")
        reber("mask", sample, "--islands", "20,5", "-o", "mask.fits", "--outregion", "islands.reg", "--quiet")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    @needs("astropy")
    def test_astropy_reads_every_table_and_each_format_holds_the_same(self):
        import numpy as np
        from astropy.io.votable import validate
        from astropy.table import Table

        for name in SETS:
            tables = {}
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                tables["fits"] = Table.read(self.path(name + ".fits"))
                tables["vot"] = Table.read(self.path(name + ".vot"))
                tables["csv"] = Table.read(self.path(name + ".csv"), format="ascii.csv", comment="#")
            right = tables["fits"]
            self.assertGreater(len(right), 10, name)
            for kind in ("vot", "csv"):
                self.assertEqual(tables[kind].colnames, right.colnames, (name, kind))
                self.assertEqual(len(tables[kind]), len(right))
                for column in right.colnames:
                    if right[column].dtype.kind == "f":
                        got = np.ma.filled(np.ma.asarray(tables[kind][column], dtype=float), np.nan)
                        want = np.ma.filled(np.ma.asarray(right[column]), np.nan)
                        np.testing.assert_allclose(got, want, rtol=1e-6, err_msg=f"{name}.{kind} {column}")
            with open(os.devnull, "w") as nowhere:
                self.assertTrue(validate(self.path(name + ".vot"), output=nowhere), name)

    @unittest.skipUnless(shutil.which("stilts"), "stilts is not installed")
    def test_votlint_has_nothing_to_say(self):
        for name in SETS:
            done = subprocess.run(["stilts", "votlint", "ucd=true", "unit=true", self.path(name + ".vot")], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""), name)
        with open(self.path("srl.vot"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("wrong.vot"), "w", encoding="utf-8") as file:
            file.write(text.replace('datatype="double"', 'datatype="dubble"', 1))
        done = subprocess.run(["stilts", "votlint", self.path("wrong.vot")], capture_output=True, text=True)
        self.assertIn("dubble", done.stdout + done.stderr)

    @needs("astropy")
    def test_astropy_reads_pybdsfs_text(self):
        from astropy.table import Table

        for name in ("srl", "gaul"):
            text = Table.read(self.path("a." + name), format="ascii.commented_header", header_start=4)
            table = Table.read(self.path(name + ".fits"))
            self.assertEqual(text.colnames, table.colnames)
            self.assertEqual(len(text), len(table))
            self.assertLess(abs(text["Total_flux"] - table["Total_flux"]).max(), 1e-9)

    @needs("astropy", "regions")
    def test_regions_reads_ds9s_and_casas(self):
        from astropy.table import Table
        from regions import Regions

        table = Table.read(self.path("pybdsf.fits"))
        for name, kind in (("a.reg", "ds9"), ("a.crtf", "crtf")):
            found = Regions.read(self.path(name), format=kind)
            self.assertEqual(len(found), len(table), name)
            for one, row in zip(found, table):
                self.assertLess(abs(one.center.ra.deg - row["RA"]) + abs(one.center.dec.deg - row["DEC"]), 1e-5, name)
                sizes = sorted((one.width.to_value("deg"), one.height.to_value("deg")))
                self.assertLess(abs(sizes[1] / row["Maj"] - 1) + abs(sizes[0] / row["Min"] - 1), 1e-3, name)
        self.assertGreater(len(Regions.read(self.path("islands.reg"), format="ds9")), 10)

    @needs("mocpy", "astropy")
    def test_mocpy_reads_the_coverage(self):
        from astropy.io import fits
        from mocpy import MOC

        moc = MOC.from_fits(self.path("coverage.fits"))
        header = fits.getheader(os.path.join(SOURCE, "sample_data/galactic_plane_150mhz.fits"))
        centre = moc.contains_lonlat(*self.degrees(header["CRVAL1"], header["CRVAL2"]))
        self.assertTrue(all(centre))
        self.assertFalse(any(moc.contains_lonlat(*self.degrees(header["CRVAL1"] + 90, -header["CRVAL2"]))))

    @staticmethod
    def degrees(lon, lat):
        from astropy import units

        return [lon % 360] * units.deg, [lat] * units.deg

    @needs("lsmtool", "astropy")
    def test_lsmtool_reads_the_sky_model(self):
        import lsmtool
        from astropy.table import Table

        table = Table.read(self.path("gaul.fits"))
        for name, patches in (("a.skymodel", len(set(table["Source_id"]))), ("single.skymodel", 1)):
            model = lsmtool.load(self.path(name))
            self.assertEqual(len(model), len(table))
            self.assertEqual(len(model.getPatchNames()), patches)
            flux = sorted(float(one) for one in model.getColValues("I", units="Jy"))
            for got, want in zip(flux, sorted(table["Total_flux"])):
                self.assertLess(abs(got / want - 1), 1e-3)
            model.write(self.path("again.skymodel"), clobber=True)
            self.assertEqual(len(lsmtool.load(self.path("again.skymodel"))), len(table))

    @needs("lsmtool", "astropy", "reber")
    def test_lsmtools_filter_runs_on_reber(self):
        import lsmtool
        import numpy as np
        import reber.lsmtool
        from astropy.io import fits
        from astropy.table import Table
        from lsmtool.filter_skymodel import filter_skymodel

        made = reber.simulate(400, sources=100, extended=0, rms=4, seed=4, backend="cpu")
        image, model = self.path("image.fits"), self.path("input.skymodel")
        header = made.header
        for axis, kind, value in ((3, "STOKES", 1.0), (4, "FREQ", 1.5e8)):
            header.update({f"CTYPE{axis}": kind, f"CRVAL{axis}": value, f"CRPIX{axis}": 1.0, f"CDELT{axis}": 1.0})
        fits.writeto(image, made.image[None, None], header, overwrite=True)
        reber.find(made.image, header=made.cards, backend="cpu").write(model)
        # A source of the model that the image does not show, and a polygon that leaves out the right third.
        with open(model, "a+") as file:
            file.seek(0)
            file.write(file.read().splitlines()[-1].replace("_g", "_no_such_g") + "\n")
        found = reber.bdsf.process_image(image, thresh_pix=7.5, thresh_isl=5, rms_box=(150, 50), quiet=True)
        corners = [found.pix2sky(place) for place in ((0, 0), (0, 399), (260, 399), (260, 0))]
        np.save(self.path("vertices.npy"), np.array(corners))
        outputs = {"output_catalog": self.path("out.fits"), "output_true_rms": self.path("true_rms.fits"),
                   "output_flat_noise_rms": self.path("flat_rms.fits")}
        here = os.getcwd()
        os.chdir(self.folder.name)
        try:
            found = filter_skymodel(image, image, model, None, self.path("apparent.txt"), self.path("true.txt"),
                                    None, vertices_file=self.path("vertices.npy"), source_finder="reber", keep_mask=True, ncores=1, **outputs)
        finally:
            os.chdir(here)
        table = Table.read(self.path("out.fits"))
        self.assertEqual(found, len(table))
        self.assertGreater(found, 10)
        self.assertEqual(fits.getdata(self.path("true_rms.fits")).shape[-2:], (400, 400))
        before, after = lsmtool.load(model), lsmtool.load(self.path("true.txt"))
        self.assertTrue(5 < len(after) < len(before))
        mask = fits.getdata(self.path("image.fits.mask.fits"))
        self.assertEqual(mask[0, 0, :, 262:].max(), 0)
        self.assertEqual(len(lsmtool.load(self.path("apparent.txt"))), len(after))
        # PyBDSF's own mask keeps the same sources of the model.
        os.chdir(self.folder.name)
        try:
            filter_skymodel(image, image, model, None, "their_apparent.txt", "theirs.txt", None, vertices_file="vertices.npy",
                            source_finder="bdsf", ncores=1)
        finally:
            os.chdir(here)
        ours, theirs = (set(one.getColValues("Name")) for one in (after, lsmtool.load(self.path("theirs.txt"))))
        print(f"LSMTool keeps {len(ours)} of {len(before)} with Reber's mask, {len(theirs)} with PyBDSF's, {len(ours & theirs)} with both")
        self.assertGreaterEqual(len(ours & theirs), 0.9 * len(ours | theirs))
        # Without a source: a model of one, at the centre.
        fits.writeto(self.path("empty.fits"), np.random.default_rng(1).normal(size=(1, 1, 400, 400)).astype(np.float32) * 1e-5,
                     header, overwrite=True)
        os.chdir(self.folder.name)
        try:
            found = filter_skymodel("empty.fits", "empty.fits", model, None, "apparent.txt", "true.txt", None,
                                    vertices_file="vertices.npy", source_finder="Reber", ncores=1)
        finally:
            os.chdir(here)
        self.assertEqual(found, 0)
        with open(self.path("true.txt")) as file:
            self.assertIn("s0c0,POINT,p1", file.read())

    @needs("astropy")
    def test_a_hub_of_astropys_or_pyvos_is_sent_files(self):
        try:
            from pyvo.samp import SAMPHubServer, SAMPIntegratedClient, conf
        except ImportError:
            from astropy.samp import SAMPHubServer, SAMPIntegratedClient, conf

        conf.use_internet = False
        os.environ["SAMP_HUB"] = "std-lockurl:file://" + self.path("hub.samp")
        self.addCleanup(os.environ.pop, "SAMP_HUB")
        hub = SAMPHubServer(web_profile=False, addr="127.0.0.1", lockfile=self.path("hub.samp"))
        hub.start()
        self.addCleanup(hub.stop)
        client = SAMPIntegratedClient(name="listener", addr="127.0.0.1", callable=True)
        client.connect()
        self.addCleanup(client.disconnect)
        got = []
        for message in ("table.load.votable", "image.load.fits"):
            client.bind_receive_notification(message, lambda key, sender, kind, parameters, extra: got.append((kind, parameters)))
        done = subprocess.run([PROGRAM, "send", "srl.vot", "mask.fits"], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("srl.vot -> listener (table.load.votable)", done.stdout)
        for _ in range(100):
            if len(got) == 2:
                break
            time.sleep(0.05)
        self.assertEqual(sorted(kind for kind, _ in got), ["image.load.fits", "table.load.votable"])
        urls = {kind: parameters["url"] for kind, parameters in got}
        self.assertEqual(urls["table.load.votable"], "file://" + os.path.realpath(self.path("srl.vot")))


if __name__ == "__main__":
    if not set(HERE) - {"reber"}:
        print(f"skipped: none of {', '.join(CLIENTS)} is installed")
        sys.exit(77)
    print("readers here:", ", ".join(HERE), "- not here:", ", ".join(name for name in (*CLIENTS, "reber") if name not in HERE) or "none")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
