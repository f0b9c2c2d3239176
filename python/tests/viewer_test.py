# SPDX-License-Identifier: BSD-3-Clause
"""The viewer of a notebook: viewer_test.py REBER SOURCE_FOLDER. Exit code 77 without NumPy, the module or the viewer."""
import gc
import http.cookiejar
import os
import re
import subprocess
import sys
import unittest
import urllib.request

try:
    import numpy  # noqa: F401

    import reber
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)
PROGRAM = os.path.abspath(sys.argv[1])
if not os.access(os.path.join(os.path.dirname(PROGRAM), "reber-view"), os.X_OK):
    print("skipped: this build has no viewer")
    sys.exit(77)


def page_of(address):
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    return browser.open(address, timeout=20).read().decode()


class Viewer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sky = reber.simulate(200, sources=20, seed=5, rms=20, beam=(12, 9, 30), backend="cpu")
        cls.found = reber.find(cls.sky.image, header=cls.sky.cards, backend="cpu")

    def test_a_frame_shows_the_served_page(self):
        with self.found.view(program=PROGRAM, height=500) as viewer:
            frame = viewer._repr_html_()
            self.assertIn('height="500"', frame)
            address = re.search('src="([^"]+)"', frame).group(1)
            self.assertTrue(address.startswith("http://localhost:"), "where notebooks stand")
            self.assertIn('<canvas id="view"', page_of(address))
            self.assertTrue(viewer.is_open)
            self.assertNotIn("token", repr(viewer), "a notebook keeps what repr says in its file")
        self.assertFalse(viewer.is_open)
        self.assertNotIn("iframe", viewer._repr_html_())

    def test_it_has_the_image_and_the_sources(self):
        folders = []
        viewer = self.found.view(program=PROGRAM)
        with open(f"/proc/{viewer._process.pid}/cmdline", "rb") as file:
            files = [part.decode() for part in file.read().split(b"\0") if part.endswith(b".fits")]
        image, table = files
        folders.append(os.path.dirname(image))
        again = reber.find(image, backend="cpu")
        numpy.testing.assert_array_equal(again.sources["Total_flux"], self.found.sources["Total_flux"])
        self.assertEqual(len(reber.measure(image, table, backend="cpu")), len(self.found))
        process = viewer._process
        del viewer
        gc.collect()
        self.assertIsNotNone(process.poll(), "it ends with the object")
        self.assertFalse(os.path.exists(folders[0]), "what was written for it is gone")

    def test_what_is_wrong_is_said(self):
        for program, words in (("/nowhere/reber", "No such file"), ("/bin/false", "did not start")):
            with self.assertRaisesRegex(reber.Error, words):
                self.found.view(program=program)

    def test_it_ends_with_python(self):
        code = ("import reber; sky = reber.simulate(100, sources=3, seed=5, backend='cpu');"
                f"found = reber.find(sky.image, header=sky.cards, backend='cpu'); v = found.view(program={PROGRAM!r}); print(v._process.pid)")
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertFalse(os.path.exists(f"/proc/{told.stdout.strip()}"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
