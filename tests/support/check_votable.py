#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""VOTables without a warning: their UCDs, units and values, and astropy's validator where astropy is installed.

    check_votable.py FILE.vot ...

UCD1+ (IVOA, 1.4): words of the list, the first one primary, the others secondary. VOUnit (IVOA, 1.0): known units with
known prefixes. Values: as many cells a row as fields, numbers where the field says so.
"""
import io
import os
import re
import shutil
import subprocess
import sys
import warnings
import xml.etree.ElementTree as xml

# P primary, S secondary, Q either, E of a flux or size: either. Of the IVOA's list those that columns have.
WORDS = {
    "P": "meta.code meta.code.class meta.code.qual meta.id meta.id.parent meta.note meta.number stat.error stat.snr meta.file "
         "time.epoch stat.fit.chi2 stat.fit.goodness",
    "Q": "em.freq instr phys.angArea phys.area phys.size pos.angDistance pos.cartesian.x pos.cartesian.y pos.ecliptic.lat "
         "pos.ecliptic.lon pos.eq pos.eq.dec pos.eq.ra pos.galactic.lat pos.galactic.lon pos.posAng src.class stat.fit "
         "stat.fit.chi2 stat.fit.goodness stat.probability stat.stdev stat.value stat.correlation src phot.flux meta.record",
    "S": "arith.diff arith.ratio em.radio instr.beam instr.det instr.pixel meta.main meta.modelled pos.ecliptic pos.galactic "
         "stat.max stat.mean stat.min stat.median",
    "E": "phot.flux.density phys.angSize phys.angSize.smajAxis phys.angSize.sminAxis spect.index phot.flux.density.sb",
}
UNITS = re.compile(r"^(?:[munkMG]?Jy|[munkMG]?Hz|deg|arcsec|arcmin|mas|pix|pixel|beam|[kcm]?m|s|K|mK|yr|d|%|sr)(?:\*\*-?\d)?$")
# Children of RESOURCE as VOTable's schema has them.
ORDER = {"DESCRIPTION": 0, "INFO": 1, "COOSYS": 2, "TIMESYS": 2, "GROUP": 2, "PARAM": 2, "LINK": 3, "TABLE": 4, "RESOURCE": 4}
NUMBERS = {"double", "float", "int", "long", "short", "unsignedByte"}


def kinds(word):
    return {kind for kind, words in WORDS.items() if word in words.split()}


def ucd_breaches(ucd):
    for place, word in enumerate(ucd.split(";")):
        kind = {"Q"} if re.match(r"[a-z]+:[A-Za-z.]+$", word) else kinds(word)  # of a namespace, as CASDA's askap:
        if not kind:
            yield f"{word} is no word of the list"
        elif place == 0 and kind == {"S"}:
            yield f"{word} stands first and is a secondary word"
        elif place > 0 and kind == {"P"}:
            yield f"{word} stands behind another and is a primary word"


def unit_breaches(unit):
    for part in re.split(r"[./]", unit):
        if not UNITS.match(part):
            yield f"{part} is no unit of VOUnit"


def breaches(text):
    root = xml.fromstring(text)
    space = root.tag.partition("}")[0] + "}" if root.tag.startswith("{") else ""
    for resource in root.iter(space + "RESOURCE"):
        places = [ORDER[child.tag.removeprefix(space)] for child in resource]
        if places != sorted(places):
            yield "children of RESOURCE are out of the schema's order: " + ", ".join(child.tag.removeprefix(space) for child in resource)
    for table in root.iter(space + "TABLE"):
        fields = table.findall(space + "FIELD")
        for field in fields + table.findall(space + "PARAM"):
            name = field.get("name")
            if field.get("ucd"):
                yield from (f"{name}: UCD: {why}" for why in ucd_breaches(field.get("ucd")))
            if field.get("unit"):
                yield from (f"{name}: unit {field.get('unit')}: {why}" for why in unit_breaches(field.get("unit")))
        for row in table.iter(space + "TR"):
            cells = row.findall(space + "TD")
            if len(cells) != len(fields):
                yield f"a row of {len(cells)} cells, {len(fields)} fields"
            for field, cell in zip(fields, cells):
                if field.get("datatype") in NUMBERS and not re.match(r"^([-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?Inf|NaN)?$", (cell.text or "").strip()):
                    yield f"{field.get('name')}: '{cell.text}' is no number"


def astropy_breaches(path):
    try:
        from astropy.io.votable import validate
    except ImportError:
        return None
    said = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [] if validate(path, output=said) else [said.getvalue()]


def schema_breaches(path):
    """By the schema that astropy brings, with xmllint; None where one of them is not there."""
    try:
        from astropy.io import votable
    except ImportError:
        return None
    schema = os.path.join(os.path.dirname(votable.__file__), "data", "VOTable.v1.4.xsd")
    if not (shutil.which("xmllint") and os.path.exists(schema)):
        return None
    done = subprocess.run(["xmllint", "--nonet", "--noout", "--schema", schema, path], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [done.stderr]


def main():
    planted = ['<VOTABLE><TABLE><FIELD name="a" ucd="stat.max;phot.flux.density"/></TABLE></VOTABLE>',
               '<VOTABLE><TABLE><FIELD name="a" ucd="pos.eq.raa"/></TABLE></VOTABLE>',
               '<VOTABLE><TABLE><FIELD name="a" unit="Jansky"/></TABLE></VOTABLE>',
               '<VOTABLE><TABLE><FIELD name="a" datatype="double"/><TR><TD>x</TD></TR></TABLE></VOTABLE>']
    planted.append('<VOTABLE><RESOURCE><COOSYS ID="sky"/><INFO name="a" value="b"/></RESOURCE></VOTABLE>')
    bad = [f"does not find the planted fault {text}" for text in planted if not list(breaches(text))]
    validated = by_schema = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            bad += [f"{path}: {why}" for why in breaches(file.read())]
        found = astropy_breaches(path)
        validated += found is not None
        bad += [f"{path}: {why}" for why in found or []]
        found = schema_breaches(path)
        by_schema += found is not None
        bad += [f"{path}: {why}" for why in found or []]
    print("\n".join(bad) if bad else f"{len(sys.argv) - 1} VOTables hold, {validated} of them by astropy's validator, {by_schema} by the schema")
    return 1 if bad or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
