#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every message that the program can end with or warn of, collected from the sources and held to one form.

    check_messages.py ROOT            exit 1 and a line per message that breaks a rule
    check_messages.py ROOT --list     prints all, with their places, to be read

Taken: the texts of InputError, DataError, DeviceError, CardError, of warnings, and of the terminal's errors, where they
are written as literals. Rules: it says something (three words, or a name and two); it begins with a small letter, a quote,
a number, an option, a place in braces, or a name; it ends without a full stop and without an exclamation mark; no doubled
punctuation or blanks; no empty words ("invalid", "illegal", "oops", "please", "sorry", "unknown error"). Each rule is tried
first on a planted fault.
"""
import argparse
import re
import sys
from pathlib import Path

THROWN = re.compile(r"\b(?:InputError|DataError|DeviceError|CardError|\.warning|\.warn|->warn|terminal_?\.error|warnings\.push_back)\s*\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
NAMES = re.compile(r"^(?:[A-Z][A-Z0-9_-]+n?\b|FITS|CFITSIO|WCSLIB|HDU|BMAJ|UTF|VOTable|CASA|DS9|MOC|SQLite|OpenGL|OpenCV|CUDA|PNG|Gaussian|Cairo|Aegean|Karma|SExtractor|I/O|S/N)")


def argument(text, at):
    """The text between the brackets that open before `at`."""
    depth, start, inside = 1, at, False
    while at < len(text) and depth:
        c = text[at]
        if inside:
            at += c == "\\"
            inside = c != '"'
        elif c == '"':
            inside = True
        else:
            depth += (c in "([{") - (c in ")]}")
        at += 1
    return text[start:at - 1]


def first_literal(argument_text):
    """Neighbouring literals joined, from the first on; None where the message is made elsewhere."""
    found = LITERAL.search(argument_text)
    if not found:
        return None
    text, at = found[1], found.end()
    while True:
        more = re.compile(r"\s*").match(argument_text, at).end()
        following = LITERAL.match(argument_text, more)
        if not following:
            return text.replace('\\"', '"').replace("\\n", "\n")
        text, at = text + following[1], following.end()


def messages(root):
    for folder in ("core", "kernels", "app", "gui", "modules"):
        for path in sorted((root / folder).rglob("*.[ch]*")):
            if path.suffix not in (".cpp", ".hpp", ".cu", ".cuh"):
                continue
            text = re.sub(r"(?m)^\s*//.*$", "", path.read_text(encoding="utf-8"))
            for found in THROWN.finditer(text):
                inner = argument(text, found.end())
                whole = first_literal(inner)
                # A text that another one stands before or after is a part of a message.
                begins = re.match(r"\s*(?:fmt::format\s*\(\s*)?\"", inner) is not None
                if whole is not None and len(whole) > 1:
                    yield path.relative_to(root), text.count("\n", 0, found.start()) + 1, whole, begins

def breaches(text, begins=True):
    words = re.findall(r"[A-Za-z]{2,}|\{[^}]*\}", text)
    part = text.endswith(": ") or re.fullmatch(r"(failed: )?\{[^}]*\}(: \{[^}]*\})?", text)  # of a longer one
    if begins and not part and len(words) < 3:
        yield "says too little"
    if re.search(r"[.!]$", text) and not text.endswith("..."):
        yield "ends with a full stop"
    if begins and not part and re.search(r"[,;:]{2}|(?<!\.)\.\.(?!\.)| [,;:.](?![.a-z])|[,;:]$|\?\?", text.replace("::", "")):
        yield "has doubled or misplaced punctuation"
    if "  " in text.strip():
        yield "has two blanks in a row"
    if re.search(r"(?i)\b(invalid|illegal|oops|please|sorry|unknown error|bad value|wrong value|an error occurred)\b", text):
        yield "uses an empty word"
    if begins and re.match(r"[A-Z]", text) and not NAMES.match(text):
        yield "begins with a capital"


PLANTED = ["it failed", "the file ends there.", "the file,, ends too early", "the file  ends too early",
           "the value is invalid here", "The file ends too early"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    found = list(messages(options.root))
    if options.list:
        for path, line, text, _ in found:
            print(f"{path}:{line}: {text}")
        return 0
    bad = [f"no rule finds the planted fault: {text}" for text in PLANTED if not list(breaches(text))]
    bad += [f"{path}:{line}: {why}: {text}" for path, line, text, begins in found for why in breaches(text, begins)]
    if len(found) < 300:
        bad.append(f"only {len(found)} messages were found: the search is broken")
    print("\n".join(bad) if bad else f"{len(found)} messages hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
