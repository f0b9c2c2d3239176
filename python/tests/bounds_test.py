# SPDX-License-Identifier: BSD-3-Clause
"""Every number through Python, the command line and a configuration: bounds_test.py REBER SOURCE_FOLDER. All three take what the
tables of ranges take, and refuse the rest before any work. Exit code 77 where NumPy or the module is missing."""
import math
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import reber
    from reber import _core
    from reber._maps import write_map
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]
SAMPLE = os.path.join(SOURCE, "sample_data", "galactic_plane_150mhz.fits")
# What a parameter needs beside itself to have a meaning.
BESIDE = {"background.step": {"background": "grid"}, "background.bright_box": {"adaptive": True}, "background.bright_sigma": {"adaptive": True},
          "background.bright_step": {"adaptive": True, "background": "grid"}}


def draws(low, high):
    """Numbers beside both ends, and what no range holds."""
    return sorted({end + step for end in (low, high) for step in (-1, 0, 1)}) + [1e300, -1e300, math.nan]


def holds(row, value):
    low, high, above = row["range"]
    odd = "an odd number" in row["help"]
    return low <= value <= high and not (above and value == low) and not (odd and value % 2 != 1)


def words(value, kind):
    return str(int(value)) if kind == "int" and abs(value) < 1e15 else repr(float(value))


class Bounds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.image = reber.simulate(64, sources=3, extended=0, backend="cpu")
        cls.path = os.path.join(cls.folder.name, "image.fits")
        write_map(cls.path, cls.image.image, cls.image.cards)

    def program(self, command, *options, config=""):
        """What the program says where it refuses; empty where it takes the numbers."""
        line = [PROGRAM, command, "--backend", "cpu", *options]
        if config:
            path = os.path.join(self.folder.name, "run.toml")
            with open(path, "w") as file:
                file.write(f"[{command}]\n{config}\n")
            line += ["--config", path]
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, cwd=self.folder.name)
        self.assertIn(done.returncode, (0, 2), f"{line} {done.stderr}")
        return done.stderr if done.returncode else ""

    def python(self, call, *arguments, **options):
        try:
            call(*arguments, backend="cpu", **options)
        except reber.InputError as error:
            return str(error)
        return ""

    def of_the_value(self, said):
        """Whether the number itself is refused, and not by a rule between parameters."""
        return "was expected" in said or "is not a" in said

    def test_every_parameter(self):
        for row in reber.parameters():
            if row["range"] is None:
                continue
            beside = dict(BESIDE.get(row["name"], {}))
            if row["stage"] == "convolve":
                beside["kernel"] = "gaussian:3"
            line = ["find", self.path, "--dry-run"] if row["stage"] != "convolve" else ["convolve", self.path, "no.fits", "--dry-run"]
            keyword, option = row["keywords"][0], "--" + row["keywords"][0].replace("_", "-")
            words_beside = [f"--{name.replace('_', '-')}={str(value).lower()}" for name, value in beside.items()]
            for value in draws(*row["range"][:2]):
                taken = holds(row, value)
                text = words(value, row["kind"])
                with self.subTest(f"{row['name']} {text}"):
                    said = self.python(reber.find, self.path, **{keyword: int(text) if text.lstrip("-").isdigit() else value}, **beside)
                    self.assertEqual(self.of_the_value(said), not taken, said)
                    if self.of_the_value(said):
                        self.assertNotIn("--", said)
                        self.assertIn(keyword, said)
                    if not row["option"]:
                        continue
                    for said in (self.program(*line, *words_beside, f"{option}={text}"),
                                 self.program(*line, *words_beside, config=f"{option[2:]} = {text}")):
                        self.assertEqual(self.of_the_value(said), not taken, said)

    def test_every_number_of_a_call(self):
        for name, option, low, high, above, whole in _core.bounds():
            if not name.startswith("call.") or name == "call.host_memory":
                continue
            keyword = name[5:]
            for value in draws(low, high):
                if high > 1e15 and low < value < math.inf:
                    continue  # a memory or a plane that no machine has is refused for that
                taken = low <= value <= high
                with self.subTest(f"{keyword} {value}"):
                    number = int(value) if abs(value) < 1e15 else value
                    said = self.python(reber.find, self.path, **{keyword: number})
                    self.assertEqual(self.of_the_value(said), not taken, said)
                    if keyword != "device_memory":
                        said = self.program("find", self.path, "--dry-run", f"{option}={number}")
                        self.assertEqual(self.of_the_value(said), not taken, said)
            for wrong in (1.5, "SCI", [1, 2], True):
                with self.assertRaises((reber.InputError, TypeError), msg=f"{keyword} {wrong}"):
                    reber.find(self.path, **{"backend": "cpu", keyword: wrong})

    def test_every_number_of_a_study(self):
        list_ = reber.find(self.path, backend="cpu", threshold=4).sources
        header = self.image.cards
        calls = {
            "simulate": lambda word, value: reber.simulate(**{"size": 16, "sources": 0, "extended": 0, "backend": "cpu", word: value}),
            "complete": lambda word, value: reber.complete(self.image.image, header=header, backend="cpu", **{"number": 2, "bins": 2, word: (value, value) if word in ("snr", "flux") else value}),
            "match": lambda word, value: reber.match(list_, list_, value),
            "measure": lambda word, value: reber.measure(self.image.image, list_, header=header, backend="cpu", **{word: value}),
            "smooth": lambda word, value: reber.smooth(self.path, dry_run=True, **{word: value}),
            "collapse": lambda word, value: reber.collapse(self.path, **{word: value}),
        }
        for name, option, low, high, above, whole in _core.bounds():
            command, word = name.split(".")
            if command not in calls:
                continue
            for value in [low - 1, high * 1.01 + 1, 1e300, -1e300, math.nan] + ([low] if above else []) + ([low + 0.5] if whole else []):
                with self.subTest(f"{name} {value}"):
                    with self.assertRaises((reber.InputError, OverflowError)):
                        calls[command](word, value)

    def test_beams(self):
        centre = self.image.cards
        wrong = ((-1, 2, 3), (3, 4, 0), (0, 0, 0), (math.nan, 1, 0), (5, math.nan, 0), (5, 4, math.nan), (1e300, 1e300, 0), (5, 4, 1e300),
                 (20000, 20000, 0), (1e-300, 1e-300, 0), (5, 4, 361))
        for beam in wrong:
            text = ",".join(repr(float(one)) for one in beam)
            with self.subTest(text):
                with self.assertRaisesRegex(reber.InputError, "beam"):
                    reber.find(self.path, beam=beam, backend="cpu")
                with self.assertRaisesRegex(reber.InputError, "beam"):
                    reber.find(self.image.image, header=centre, beam=beam, backend="cpu")
                self.assertIn("--image-beam", self.program("find", self.path, "-o", "no.csv", f"--image-beam={text}"))
                self.assertIn("--image-beam", self.program("find", self.path, "-o", "no.csv", config=f'image-beam = "{text}"'))
                self.assertFalse(os.path.exists(os.path.join(self.folder.name, "no.csv")))
        for kernel in ("beam:-1,2,3", "beam:3,4,0", "beam:nan,1,0", "beam:1e300,1e300,0", "gaussian:1e300", "box:1e300", "beam:100,100,1e300",
                       "mexican-hat:1e300", "tophat:nan"):
            with self.assertRaises(reber.InputError, msg=kernel):
                reber.convolve(self.path, kernel, backend="cpu")
            self.assertIn("kernel", self.program("convolve", self.path, "no.fits", "--kernel", kernel))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
