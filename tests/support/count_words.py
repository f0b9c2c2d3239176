#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Words and long sentences of the documents, by page and by shelf of the site.

    count_words.py [ROOT] [--long [PAGE...]] [--most N]     --long prints the sentences
Exit 1 where more than N sentences are long, or, with --most, a page or a reader has more words than LIMITS permit.

Words are those of running text: code blocks, tables, comments and headings are left out. A sentence is long above 30 words; a
list's entry, and what stands before a colon at a line's end, is a sentence.
"""
import re
import sys
from pathlib import Path

LONG = 30
SHELVES = {  # pages that a reader of each kind goes through; tables, parameters and promises are looked up
    "an astronomer": ["README.md", "docs/index.md", "docs/figures.md", "docs/learn/*.md", "docs/install.md", "docs/viewer.md", "docs/python.md",
                      "docs/pipelines.md", "docs/batches.md", "docs/cubes.md", "docs/mosaics.md", "docs/large-images.md", "docs/report.md",
                      "docs/products.md", "docs/formats.md"],
    "besides, a developer": ["CONTRIBUTING.md", "docs/recipes.md", "docs/tour.md", "docs/gpu.md", "docs/viewer-inside.md", "docs/streaming.md", "docs/learn/six-kernels.md",
                             "docs/performance.md", "docs/reliability.md", "docs/glossary.md"],
}

LIMITS = {"docs/science.md": 5000, "an astronomer": 12300, "besides, a developer": 10000}  # words of a page, or of what a reader reads


def prose(text):
    """Paragraphs and entries of lists, as plain words."""
    text = re.sub(r"^---\n.*?^---\n", "", text, count=1, flags=re.M | re.S) if text.startswith("---") else text
    text = re.sub(r"^```.*?^```", "\n", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->|<[^>\n]+>", " ", text, flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)(\{[^}]*\})?", r"\1", text)
    text = re.sub(r"([.:]) (?=\*\*\w)", r"\1\n\n", text)  # a bold word begins an entry
    lines = ["" if line.lstrip().startswith("|") or line.startswith(("#", "    ")) else line for line in text.split("\n")]
    text = re.sub(r"\n(?=\s*(?:[-*]|\d+\.) )", "\n\n", "\n".join(lines))
    parts = [re.sub(r"^\s*(?:[-*]|\d+\.) ", "", part) for part in re.split(r"\n\s*\n", text)]
    return [" ".join(part.replace("*", "").split()) for part in parts if part.strip()]


def words(text):
    return len([one for one in text.split() if re.search(r"\w", one)])


def sentences(part):
    """Sentences of a paragraph. A dot within backticks or before a small letter ends none."""
    plain = re.sub(r"`[^`]*`", lambda found: re.sub(r"[.!?]", "·", found[0]), part)
    return re.split(r"(?<=[.!?])[)\"']?\s+(?=[A-Z`0-9(\"'])", plain) if plain else []


def counted(path):
    parts = prose(path.read_text(encoding="utf-8"))
    long_ones = [one for part in parts for one in sentences(part) if words(one) > LONG]
    return sum(words(part) for part in parts), long_ones


def main():
    options = sys.argv[1:]
    most = int(options[options.index("--most") + 1]) if "--most" in options else None
    root = Path(options[0]) if options and not options[0].startswith("--") else Path(".")
    shown = options[options.index("--long") + 1:] if "--long" in options else None
    pages = {str(path.relative_to(root)): counted(path)
             for path in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]}
    total = sum(len(found) for name, (_, found) in pages.items() if name.startswith("docs/"))
    readers, read = {}, set()
    for reader, patterns in reversed(SHELVES.items()):  # a page by its name before those of a folder
        found = {name for name in pages if any(Path(name).match(one) for one in patterns)} - read
        readers[reader], read = sum(pages[name][0] for name in found), read | found
    if shown is not None:
        for name, (_, found) in pages.items():
            if not shown or name in shown:
                print("\n".join(f"{name}: {words(one)}: {one}" for one in found))
    else:
        print(f"{'page':32} words  sentences over {LONG} words")
        for name, (number, found) in pages.items():
            print(f"{name:32} {number:5}  {len(found):3}")
        for reader, number in readers.items():
            print(f"{reader} reads {number} words")
        print(f"sentences over {LONG} words in docs: {total}")
    bad = [f"sentences over {LONG} words: {total}, at most {most} are permitted"] if most is not None and total > most else []
    counts = {name: number for name, (number, _) in pages.items()} | readers
    bad += [f"{name}: {counts[name]} words, at most {limit} are permitted" for name, limit in LIMITS.items()
            if most is not None and counts[name] > limit]
    print("\n".join(bad or ["within the limits"] * (most is not None)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
