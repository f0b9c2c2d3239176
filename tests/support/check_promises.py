#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the program to what docs/stability.md promises: check_promises.py REBER ROOT [--write FILE].

The promises of a version are a file, tests/compat/vN/promises.json: commands with their options and the words these take,
columns with their units, products, metrics and parameters, exit codes, and the names of the Python package with their
arguments. All of them have to be in the program of today; it may have more. Each rule is tried first on a planted
loss. --write: the promises of the program as it is, for a new major version.
"""
import ast
import copy
import json
import re
import subprocess
import sys
from pathlib import Path

LISTS = ("columns", "products", "metrics", "parameters")
# Whose failure costs nothing and needs no card: exit code, words of the command.
FAILURES = {"2": ["find", "--no-such-option"], "3": ["info", "no-such-file.fits"], "0": ["--version"]}


def said(reber, *words):
    return subprocess.run([reber, *words], capture_output=True, text=True, check=True).stdout


def commands(reber):
    """{command: {option: [words]}}; arguments in the order of the line under the option ''."""
    text = said(reber, "--help")
    names = re.findall(r"^  (\w+)  ", text.split("Sub-commands:")[1], re.M)
    found = {}
    for name in names:
        options, last, order = {}, None, []
        for line in said(reber, "describe", name).splitlines():
            if key := re.match(r"      ([\w-]+):$", line):
                last = key[1]
                options[last] = []
            elif last and (words := re.match(r"        choices: (\[.*\])", line)):
                options[last] = json.loads(words[1])
            elif last and "positional: true" in line:
                order.append(last)
        found[name] = options | {"": order}
    return found


def tables(reber, what):
    """{heading: {first cell: second cell}} of the tables that --list-WHAT prints, units for columns."""
    found, heading, units = {}, "", False
    for line in said(reber, f"--list-{what}").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        if not line.startswith("| ") or line.startswith("|---"):
            continue
        cells = [cell.strip(" `*") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells[0] in ("name", "metric", "run --products") or cells[0].startswith("`run"):
            units = cells[1:2] == ["unit"]
            continue
        found.setdefault(heading, {})[cells[0]] = cells[1] if units else ""
    return found


def python_names(root):
    """{name: [argument ...]} of the stubs; members as Class.name; arguments without a default end in '!'."""
    found = {}

    def add(name, function):
        given = function.args
        plain = given.posonlyargs + given.args
        must = len(plain) - len(given.defaults)
        words = [one.arg + ("!" if k < must else "") for k, one in enumerate(plain)]
        words += [one.arg + ("" if default else "!") for one, default in zip(given.kwonlyargs, given.kw_defaults)]
        found[name] = [word for word in words if word != "self!"]

    for node in ast.parse((root / "python/reber/__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            add(node.name, node)
        elif isinstance(node, ast.ClassDef):
            found[node.name] = []
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    add(f"{node.name}.{member.name}", member)
                elif isinstance(member, ast.AnnAssign):
                    found[f"{node.name}.{member.target.id}"] = []
    return {name: words for name, words in found.items() if not name.split(".")[-1].startswith("_") or name.endswith("__")}


def exit_codes(reber):
    return {code: words for code, words in FAILURES.items()
            if subprocess.run([reber, *words], capture_output=True).returncode == int(code)}


def promises(reber, root):
    return {"commands": commands(reber), **{what: tables(reber, what) for what in LISTS}, "exit_codes": exit_codes(reber),
            "python": python_names(root)}


def broken(old, new):
    """What of the old promises the new ones lack, a line each."""
    for command, options in old["commands"].items():
        if command not in new["commands"]:
            yield f"reber {command}: the command is gone"
            continue
        now = new["commands"][command]
        if now[""][:len(options[""])] != options[""]:
            yield f"reber {command}: its arguments were {options['']} and are {now['']}"
        for option, words in options.items():
            if option not in now:
                yield f"reber {command} --{option}: the option is gone"
            elif option and now[option]:
                yield from (f"reber {command} --{option} {word}: the word is gone" for word in words if word not in now[option])
    for what in LISTS:
        for heading, rows in old[what].items():
            now = new[what].get(heading, {})
            for name, unit in rows.items():
                if name not in now:
                    yield f"{what}: {heading} {name} is gone"
                elif now[name] != unit:
                    yield f"{what}: {heading} {name} was in {unit!r} and is in {now[name]!r}"
    for code in old["exit_codes"].keys() - new["exit_codes"].keys():
        yield f"reber {' '.join(old['exit_codes'][code])}: does not end with {code}"
    for name, arguments in old["python"].items():
        if name not in new["python"]:
            yield f"Python: {name} is gone"
            continue
        now = new["python"][name]
        names = {word.rstrip("!") for word in now}
        if "options" not in names:
            yield from (f"Python: {name}({word.rstrip('!')}=) is gone" for word in arguments if word.rstrip("!") not in names)
        yield from (f"Python: {name} asks for {word.rstrip('!')}" for word in now if word.endswith("!") and word not in arguments)


def losses(kept):
    """Copies of the promises, each with one thing gone, and what it was."""
    for path in (("commands", "find"), ("commands", "find", "threshold"), ("columns", "--columns pybdsf", "Total_flux"),
                 ("products", "", "csv"), ("metrics", "", "median_rms"), ("exit_codes", "3"), ("python", "find")):
        poorer = copy.deepcopy(kept)
        place = poorer
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]
        yield poorer, path
    changed = copy.deepcopy(kept)
    changed["columns"]["--columns pybdsf"]["Total_flux"] = "mJy"
    yield changed, "a unit"
    changed = copy.deepcopy(kept)
    changed["commands"]["find"]["fit"].remove("gaussian")
    yield changed, "a word"
    changed = copy.deepcopy(kept)
    changed["python"]["find"].append("sky!")
    yield changed, "an argument that must be given"
    changed = copy.deepcopy(kept)
    changed["commands"]["match"][""].reverse()
    yield changed, "the order of arguments"


def main():
    reber, root = sys.argv[1], Path(sys.argv[2])
    now = promises(reber, root)
    if "--write" in sys.argv:
        text = json.dumps(now, indent=0, sort_keys=True)
        Path(sys.argv[sys.argv.index("--write") + 1]).write_text(text + "\n")
        return 0
    bad = [f"a planted loss is not found: {what}" for poorer, what in losses(now) if not list(broken(now, poorer))]
    versions = sorted((root / "tests/compat").glob("v*/promises.json"))
    if not versions:
        bad.append("no promises in tests/compat")
    for file in versions:
        bad += (f"{file.parent.name}: {line}" for line in broken(json.loads(file.read_text()), now))
    print("\n".join(bad) if bad else f"the promises of {', '.join(file.parent.name for file in versions)} hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
