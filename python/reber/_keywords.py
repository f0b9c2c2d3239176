# SPDX-License-Identifier: BSD-3-Clause
"""What help() and completion show of functions whose keywords are the table of parameters."""
import inspect

from . import _core

_KINDS = {"bool": bool, "int": int, "float": float, "list": list, "str": str}


def _default(row):
    """The parameter's default; None, which stands for it in every call, where it is empty or a list."""
    text, kind = row["default"], row["kind"]
    if kind == "bool":
        return text == "true"
    return _KINDS[kind](text) if text and kind != "list" else None


def told(common, *stages, without=(), parameters=True):
    """A decorator: the function's signature and help name the parameters of these stages (all of them where none is
    named) but for those of `without`, in place of **options, and before them the keywords of `common`. Without
    `parameters` those alone."""

    def tell(function):
        own = [one for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        own += [one for one in inspect.signature(common).parameters.values() if one.kind is one.KEYWORD_ONLY]
        taken, lines = {one.name for one in own}, []
        for row in _core.parameters() if parameters else ():
            name = row["keywords"][0]
            if name in taken or name in without or (stages and row["stage"] not in stages):
                continue
            default, kind = _default(row), _KINDS[row["kind"]]
            own.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind))
            unit = f" [{row['unit']}]" if row["unit"] else ""
            lines.append(f"    {name}={default!r}{unit}: {row['help']}")
        function.__signature__ = inspect.Signature(own)
        if lines:
            function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\nParameters:\n" + "\n".join(lines)
        return function

    return tell
