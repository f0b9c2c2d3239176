# SPDX-License-Identifier: BSD-3-Clause
"""Pages made of the sources: the Python API of stubs and docstrings, the seam of its headers, the notebook."""
import ast
import json
import re
import textwrap

SEAM = ["backend", "convolution", "background", "detection", "fit_engine", "statistics", "job", "tiling_plan"]


def documented(node):
    return ast.get_docstring(node) or ""


def docstrings(package):
    """name or Class.name: docstring, of the package's sources."""
    found = {}
    for path in sorted(package.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and documented(node):
                found.setdefault(node.name, documented(node))
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(member, ast.FunctionDef):
                    found.setdefault(f"{node.name}.{member.name}", documented(member))
                elif isinstance(member, ast.Assign) and isinstance(member.value, ast.Call):
                    for word in member.value.keywords:
                        if word.arg == "doc" and isinstance(word.value, ast.Constant):
                            found.setdefault(f"{node.name}.{member.targets[0].id}", word.value.value)
    return found


def inherited(package):
    """Class: names of its bases."""
    return {node.name: [base.id for base in node.bases if isinstance(base, ast.Name)]
            for path in sorted(package.glob("*.py")) for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.ClassDef)}


def looked_up(texts, bases, kind, name):
    for one in [kind] + bases.get(kind, []):
        if texts.get(f"{one}.{name}"):
            return texts[f"{one}.{name}"]
    return ""


def signature(node, name):
    """The call in lines of at most 96 letters; what a stub does not know of defaults is left out."""
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("self").replace("=...", "=").replace(": Any=", "=")
    gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{name}({arguments}){gives}"
    if len(line) <= 96:
        return line
    rows = textwrap.wrap(arguments, 70, break_long_words=False, break_on_hyphens=False)
    return f"{name}(\n" + "\n".join(f"    {one}" for one in rows) + f"\n){gives}"


def is_property(node):
    return any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def class_rows(node, texts, bases):
    """Lines of a class: a table of what it holds, then its functions."""
    held, calls = [], []
    for member in node.body:
        if isinstance(member, ast.AnnAssign):
            held.append((member.target.id, ast.unparse(member.annotation), looked_up(texts, bases, node.name, member.target.id)))
        elif isinstance(member, ast.FunctionDef) and is_property(member):
            held.append((member.name, ast.unparse(member.returns), looked_up(texts, bases, node.name, member.name)))
        elif isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
            calls.append((signature(member, member.name), looked_up(texts, bases, node.name, member.name)))
    lines = []
    if held:
        lines += ["| member | type | what |", "|---|---|---|"]
        for name, kind, text in sorted(held):
            kind, text = kind.replace("|", "\\|"), " ".join(text.split())
            lines.append(f"| `{name}` | `{kind}` | {text} |")
        lines.append("")
    for line, text in calls:
        lines += ["```python", line, "```", "", text, ""]
    return lines


def python_page(root):
    package = root / "python/reber"
    texts, bases = docstrings(package), inherited(package)
    tree = ast.parse((package / "__init__.pyi").read_text(encoding="utf-8"))
    lines = ["# Python API", "", "Every public name of the package, from its stubs and docstrings. [Reber from Python](python.md) shows",
             "how they are used, [Parameters](parameters.md) what the keywords of a search mean.", "", "## Functions", ""]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            lines += [f"### {node.name}", "", "```python", signature(node, f"reber.{node.name}"), "```", "",
                      texts.get(node.name, ""), ""]
    lines += ["## Classes", ""]
    errors = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            own = class_rows(node, texts, bases)
            if not own and node.bases:
                errors.append((node.name, ", ".join(ast.unparse(base) for base in node.bases), texts.get(node.name, "")))
                continue
            lines += [f"### {node.name}", "", texts.get(node.name, ""), "", *own]
    lines += ["## Exceptions", "", "| class | is a | when |", "|---|---|---|"]
    lines += [f"| `{name}` | `{kinds}` | {' '.join(text.split())} |" for name, kinds, text in errors]
    return "\n".join(lines) + "\n"


TOP = re.compile(r"^(class|struct|enum class) (\w+)[^;]*$")


def header_blocks(text):
    """(name, lines of comment, lines of code) of each type and function of a header's namespace."""
    body = text.split("namespace reber {", 1)[1].rsplit("}  // namespace reber", 1)[0]
    comment, code, depth = [], [], 0
    for line in body.split("\n"):
        if not code and line.startswith("///"):
            comment.append(line[3:].strip())
            continue
        if not code and not line.strip():
            comment = []
            continue
        code.append(line)
        bare = re.sub(r"//.*|\"[^\"]*\"", "", line)
        depth += bare.count("{") - bare.count("}") + bare.count("(") - bare.count(")")
        if depth == 0 and bare.rstrip().endswith((";", "}")):
            found = TOP.match(code[0].split("{")[0].strip())
            name = found[2] if found else next(iter(re.findall(r"(\w+)\(", " ".join(code))), "")
            if name and comment + code and not re.fullmatch(r"(class|struct) \w+;", code[0].strip()):
                yield name, comment, code
            comment, code = [], []


def seam_page(root):
    lines = ["# The seam in C++", "", "What a compute backend does, from the headers of `core/seam/compute`. "
             "[Inside the CUDA backend](gpu.md) tells how one does it; [What each operation promises](numerics.md) has the numbers.", ""]
    for stem in SEAM:
        text = (root / f"core/seam/compute/{stem}.hpp").read_text(encoding="utf-8")
        about = text.split("\n")[1].removeprefix("// ")
        lines += [f"## {stem}.hpp", "", about, ""]
        for name, comment, code in header_blocks(text):
            lines += [f"### {name}", "", *[re.sub(r"([<>*_])", r"\\\1", one) for one in comment], "", "```cpp", *code, "```", ""]
    return "\n".join(lines) + "\n"


def notebook_page(root):
    """docs/examples/ten_minutes.ipynb: its text and code; a test runs it."""
    book = json.loads((root / "docs/examples/ten_minutes.ipynb").read_text(encoding="utf-8"))
    lines = []
    for cell in book["cells"]:
        text = "".join(cell["source"])
        lines += [text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```", ""]
    lines += ["[Take the notebook](../examples/ten_minutes.ipynb).", ""]
    return "\n".join(lines)
