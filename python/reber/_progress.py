# SPDX-License-Identifier: BSD-3-Clause
"""progress=True: a bar in the notebook or the terminal. It moves forward only, as what calls are told does."""
import sys

_WIDTH = 30


def _in_notebook():
    shell = sys.modules.get("IPython")
    shell = shell.get_ipython() if shell is not None else None
    return shell is not None and hasattr(shell, "kernel")


class _Terminal:
    """One line, written anew; on a stream that is no terminal nothing but the end."""

    def __call__(self, stage, fraction):
        done = fraction >= 1
        if not (sys.stderr.isatty() or done):
            return
        full = int(fraction * _WIDTH)
        sys.stderr.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {fraction:4.0%} {stage:<12}" + ("\n" if done else ""))
        sys.stderr.flush()


class _Notebook:
    """A display that is updated in its place."""

    def __init__(self):
        from IPython.display import HTML, display

        self._html = HTML
        self._shown = display(HTML(self._text("", 0.0)), display_id=True)

    @staticmethod
    def _text(stage, fraction):
        return f"<progress value='{fraction:.3f}' max='1' style='width: 20em'></progress> {fraction:.0%} {stage}"

    def __call__(self, stage, fraction):
        self._shown.update(self._html(self._text(stage, fraction)))


def teller(progress):
    """The callable of a call's progress=: True is a bar, False and None nothing."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _Notebook() if _in_notebook() else _Terminal()
    if not callable(progress):
        raise TypeError(f"progress: True or a callable of (stage, fraction) was expected, not {type(progress).__name__}")
    return progress


def part(tell, index, count):
    """The teller of one of several calls in a row."""
    return None if tell is None else lambda stage, fraction: tell(stage, (index + fraction) / count)
