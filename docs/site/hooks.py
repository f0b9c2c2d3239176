# SPDX-License-Identifier: BSD-3-Clause
"""MkDocs hooks: pages that lie outside docs/, pages made of the sources, and Markdown as GitHub reads it."""
import re
import sys
from pathlib import Path, PurePosixPath

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
from generated import notebook_page, python_page, seam_page  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

# Page of the site: the file of the tree that it shows.
OUTSIDE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md",
           "sample_data.md": "sample_data/README.md"}
OUTSIDE.update({f"notes/{'index.md' if one.name == 'README.md' else one.name}": f"bench/notes/{one.name}"
                for one in sorted((ROOT / "bench/notes").glob("*.md"))})
MADE = {"python-api.md": python_page, "seam.md": seam_page, "learn/notebook.md": notebook_page}


def on_config(config):
    """The notes follow the last shelf's pages; the foot has the version."""
    version = re.search(r"project\(\w+\s+VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    config.copyright = f"Reber {version[1]}" if version else None
    notes = [page for page in OUTSIDE if page.startswith("notes/") and page != "notes/index.md"]
    last = config.nav[-1]["Understand"]
    last.append({"Notes of measurements": ["notes/index.md", *notes]})
    return config


def on_files(files, config):
    for page, source in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    for page, make in MADE.items():
        files.append(File.generated(config, page, content=make(ROOT)))
    return files


def source_of(page):
    return OUTSIDE.get(page, f"docs/{page}")


def page_of(source):
    """The page that shows a file of the tree; None where none does."""
    if source == "README.md":
        return "index.md"
    for page, outside in OUTSIDE.items():
        if outside == source:
            return page
    return source.removeprefix("docs/") if source.startswith("docs/") else None


def relinked(text, page):
    """Links between files of the tree, made links between pages."""
    folder = PurePosixPath(source_of(page)).parent

    def link(match):
        target, anchor = match[1], match[2] or ""
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        parts = []
        for part in (folder / target).parts:
            parts = parts[:-1] if part == ".." else parts + [part]
        goal = page_of("/".join(parts))
        if goal is None:
            return match[0]
        up = "../" * (len(PurePosixPath(page).parts) - 1)
        return f"]({up}{goal}{anchor})"

    return re.sub(r"\]\(([^)\s#]+)(#[^)\s]*)?\)", link, text)


LIST = re.compile(r"^(\s*)(?:[-*]|\d+\.) ")


def as_github_reads(text):
    """Lists and tables need no empty line before them, and nested lists two or three spaces."""
    lines, fenced = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            lines.append(line)
            continue
        before = lines[-1] if lines else ""
        item = LIST.match(line)
        if before.strip() and not before.startswith((" ", "#")):
            begins_list = item and not item[1] and not LIST.match(before) and not in_list(lines)
            begins_table = line.startswith("|") and not before.startswith("|")
            if begins_list or begins_table or before.startswith("<!--"):
                lines.append("")
        if item and item[1]:
            line = " " * (4 * ((len(item[1]) + 2) // 4 or 1)) + line.lstrip()
        elif re.match(r" {2,3}\|", line):
            line = "    " + line.lstrip()
        lines.append(line)
    return "\n".join(lines)


def in_list(lines):
    """Whether the last paragraph of these lines is one of a list."""
    for line in reversed(lines):
        if not line.strip():
            return False
        if LIST.match(line):
            return True
    return False


def on_page_markdown(markdown, page, config, files):
    return as_github_reads(relinked(markdown, page.file.src_uri))
