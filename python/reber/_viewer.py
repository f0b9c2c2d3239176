# SPDX-License-Identifier: BSD-3-Clause
"""The viewer beside a notebook: the program serves it, and a frame of the page shows it."""
import html
import os
import shutil
import subprocess
import tempfile
import weakref

from ._maps import write_map
from .errors import Error, InputError

_SAYS = "The viewer is at "


def find_program():
    """The program of the same installation, else the one that the shell finds."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "reber")
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which("reber")
    if found is None:
        raise InputError("no program reber was found, which serves the viewer: put it into PATH, or give program=")
    return found


def _end(process, folder):
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    folder.cleanup()


class Viewer:
    """A viewer that runs until close(), or until nothing in Python holds it. A notebook shows it in a frame; .address opens
    it in another browser of this machine."""

    def __init__(self, files, folder, program=None, port=0, width="100%", height=720):
        self.width, self.height = width, height
        paths = [os.path.abspath(path) for path in files]
        folders = sorted({os.path.dirname(path) for path in paths} | {os.getcwd()})
        command = [program or find_program(), "view", "--browser", "--no-settings", "--port", str(port), *paths]
        for each in folders:
            command += ["--folder", each]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        except OSError as error:
            raise InputError(f"{command[0]}: {error.strerror}") from None
        self._close = weakref.finalize(self, _end, self._process, folder)
        self._close.atexit = True
        self.address = self._wait()

    def _wait(self):
        said = []
        for line in self._process.stdout:
            if line.startswith(_SAYS):
                return line[len(_SAYS):].strip()
            said.append(line.strip())
        self.close()
        raise Error("the viewer did not start: " + (" ".join(said) or "it said nothing"))

    @property
    def is_open(self):
        """Whether it still runs."""
        return self._process.poll() is None

    def close(self):
        """Ends it; what was in it is gone."""
        self._close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        # The address holds the token, which a notebook would keep in its file.
        return f"<reber.Viewer {'running' if self.is_open else 'closed'}>"

    def _repr_html_(self):
        if not self.is_open:
            return "<p>The viewer was closed.</p>"
        # Notebooks stand at localhost as a rule; a cookie is of one name.
        address = html.escape(self.address.replace("//127.0.0.1:", "//localhost:"), quote=True)
        size = f'width="{html.escape(str(self.width), quote=True)}" height="{html.escape(str(self.height), quote=True)}"'
        return f'<iframe src="{address}" {size} style="border:0" allow="clipboard-read; clipboard-write; fullscreen"></iframe>'


def view(result, program=None, port=0, width="100%", height=720):
    """The image of a result in a viewer, with its sources as a catalogue over it."""
    folder = tempfile.TemporaryDirectory(prefix="reber-view-")
    files = []
    try:
        if os.path.isfile(result.source):
            files.append(result.source)
        else:
            files.append(os.path.join(folder.name, "image.fits"))
            write_map(files[0], result.image, "".join(result.cards))
        if result.searched and len(result):
            files.append(os.path.join(folder.name, "found.fits"))
            result.write(files[1], durable="no")
        return Viewer(files, folder, program, port, width, height)
    except BaseException:
        folder.cleanup()
        raise
