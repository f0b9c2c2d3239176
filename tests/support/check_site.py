#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the site of the documents and checks it: links, anchors, images, search, nothing from the network.

    check_site.py ROOT FOLDER [--keep]     exit 1 and a line per fault; 77 where MkDocs is not installed

MkDocs is that of build/docs-venv, which `./dev docs` makes, or of PATH (REBER_MKDOCS names another). --keep: FOLDER is
not built again. Each check is tried first on a planted fault.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FAR = re.compile(r"^(?:https?:)?//")


class Page(HTMLParser):
    """What a page names: ids, links, what it loads, images without a text."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.mute = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        self.ids.update(said[key] for key in ("id", "name") if said.get(key))
        if tag == "a" and "href" in said:
            self.links.append(said["href"] or "")
        if tag in ("img", "script", "iframe", "source") and said.get("src"):
            self.loads.append(said["src"])
        if tag == "link" and said.get("rel") not in ("canonical", "next", "prev", "alternate"):
            self.loads.append(said.get("href") or "")
        if tag == "img" and not (said.get("alt") or "").strip():
            self.mute.append(said.get("src", ""))


def check_pages(site):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    if len(pages) < 2:
        yield "there are no pages"
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.loads:
            if FAR.match(target):
                yield f"{name} loads {target} from the network"
            elif not target.startswith("data:") and not (path.parent / unquote(target.split("?")[0])).exists():
                yield f"{name}: nothing is at {target}"
        for target in page.mute:
            yield f"{name}: the image {target} has no text"
        for target in page.links:
            if re.match(r"[a-z]+:|//", target):
                continue
            where, _, anchor = unquote(target).partition("#")
            goal = (path.parent / where).resolve() if where else path
            if goal.is_dir():
                goal = goal / "index.html"
            if not goal.exists():
                yield f"{name}: the link {target} leads nowhere"
            elif anchor and goal in pages and anchor not in pages[goal].ids:
                yield f"{name}: the link {target} names no section"


def check_styles(site):
    """Style sheets and own scripts name nothing of the network."""
    for path in [*site.rglob("*.css"), *site.glob("site/*.js")]:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"(?:url\(|@import\s*)[\"']?((?:https?:)?//[^\"')]+)", text):
            yield f"{path.relative_to(site)} loads {target} from the network"


def check_search(site):
    """Each page stands in the index, with text."""
    index = site / "search/search_index.json"
    known = {}
    for row in json.loads(index.read_text(encoding="utf-8"))["docs"] if index.exists() else []:
        page = row["location"].split("#")[0] or "index.html"
        known[page] = known.get(page, 0) + len(row["text"])
    for path in sorted(site.rglob("*.html")):
        name = str(path.relative_to(site))
        if name != "404.html" and known.get(name, 0) < 40:
            yield f"search does not know {name}"
    if index.exists() and not index.with_suffix(".js").exists():
        yield "search does not work from the disk"


PLANTED = [
    (check_pages, "a.html", '<a href="b.html">b</a>'),
    (check_pages, "a.html", '<a href="#nowhere">b</a>'),
    (check_pages, "a.html", '<img src="no.png" alt="x">'),
    (check_pages, "a.html", '<img src="a.html">'),
    (check_pages, "a.html", '<script src="https://example.org/x.js"></script>'),
    (check_pages, "a.html", '<link rel="stylesheet" href="//example.org/x.css">'),
    (check_styles, "a.css", "a { background: url(https://example.org/x.png) }"),
    (check_search, "a.html", "<p>not in the index</p>"),
]


def unseen_faults():
    for check, name, text in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder).resolve()
            (site / "index.html").write_text("<p>x</p>", encoding="utf-8")
            (site / "search").mkdir()
            for ending, before in (("json", ""), ("js", "var __index = ")):
                (site / f"search/search_index.{ending}").write_text(
                    before + json.dumps({"docs": [{"location": "", "text": "x" * 99}]}), encoding="utf-8")
            sound = [one for each in (check_pages, check_styles, check_search) for one in each(site)]
            (site / name).write_text(text, encoding="utf-8")
            if len(list(check(site))) <= len([one for one in sound if "no pages" not in one]):
                yield f"{check.__name__} does not find its planted fault: {text}"


def mkdocs_of(root):
    for one in (os.environ.get("REBER_MKDOCS"), root / "build/docs-venv/bin/mkdocs", shutil.which("mkdocs")):
        if one and Path(one).exists():
            return str(one)
    return None


def main():
    root, site = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if "--keep" not in sys.argv:
        mkdocs = mkdocs_of(root)
        if not mkdocs:
            print("MkDocs is not installed: ./dev docs fetches it")
            return 77
        built = subprocess.run([mkdocs, "build", "--clean", "--strict", "--quiet", "--site-dir", str(site)], cwd=root,
                               capture_output=True, text=True, check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
        if built.returncode != 0:
            print(built.stdout + built.stderr)
            return 1
    bad = [*unseen_faults(), *check_pages(site), *check_styles(site), *check_search(site)]
    print("\n".join(bad) if bad else f"the site in {site} holds")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
