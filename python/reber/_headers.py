# SPDX-License-Identifier: BSD-3-Clause
"""Headers from Python as 80-character cards: astropy's Header and WCS, dicts of keywords, texts."""
import numbers
import re

import numpy as np

from ._units import is_quantity
from .errors import InputError

_CARD = 80
_KEYWORD = re.compile(r"[A-Z0-9_-]{1,8}\Z")
# Of the place of the first two axes on the sky: a WCS says all of it.
_SKY = re.compile(r"(CTYPE|CRVAL|CRPIX|CDELT|CUNIT|CROTA)[12]$|(PC|CD)\d+_\d+$|PC0\d{5}$|P[VS][12]_\d+$|(A|B|AP|BP)_(ORDER|\d_\d|DMAX)$|"
                  r"(CPDIS|DP|CQDIS|DQ|CPERR|CQERR)[12]$|(LONPOLE|LATPOLE|RADESYS|RADECSYS|EQUINOX|EPOCH|WCSAXES|WCSNAME)$")
_IN_DEGREES = ("BMAJ", "BMIN", "BPA", "CRVAL1", "CRVAL2", "CDELT1", "CDELT2")
_IN_HERTZ = ("RESTFRQ", "RESTFREQ")


def whole_cards(text):
    """The cards up to END; InputError for a text that is no header."""
    text = text.replace("\n", "") if len(text) % _CARD and "\n" in text else text
    if not text.isascii() or not text.isprintable():
        raise InputError("header: a text of ASCII characters was expected, 80 to a card; it holds others")
    for at in range(0, len(text), _CARD):
        if text[at : at + 8].rstrip() == "END":
            return text[:at]
    if len(text) % _CARD:
        if text[len(text) // _CARD * _CARD :].strip():
            raise InputError(f"header: cards of 80 characters were expected; the text has {len(text)}")
        text = text[: len(text) // _CARD * _CARD]
    return text


def _card(key, value):
    """A card; empty for a value that FITS has no card for."""
    if is_quantity(value) and getattr(value, "shape", ()) == ():
        unit = "deg" if key in _IN_DEGREES else "Hz" if key in _IN_HERTZ else value.unit
        value = float(value.to_value(unit))
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool):
        text = f"{'T' if value else 'F':>20}"
    elif isinstance(value, numbers.Integral):
        text = f"{int(value):>20}"
    elif isinstance(value, numbers.Real) and np.isfinite(value):
        text = f"{float(value)!r:>20}".upper()
    elif isinstance(value, str) and value.isascii() and value.isprintable() and len(value) <= 66:
        text = "'" + value.replace("'", "''").ljust(8) + "'"
    else:
        return ""
    card = f"{key:<8}= {text}"
    return card.ljust(_CARD) if len(card) <= _CARD else ""


def _of_mapping(mapping):
    cards = ""
    for key, value in mapping.items():
        if isinstance(key, str) and _KEYWORD.match(key.upper()):
            cards += _card(key.upper(), value)
    return cards


def _fits_wcs(wcs):
    """astropy's WCS of FITS: what a slice of one is wrapped in is undone."""
    low = getattr(wcs, "low_level_wcs", wcs)
    inner, slices = getattr(low, "_wcs", None), getattr(low, "_slices_array", None)
    if inner is not None and slices is not None and hasattr(inner, "to_header"):
        slices = [slice(one, one + 1) if isinstance(one, numbers.Integral) else one for one in slices]
        return inner.slice(slices)
    if not hasattr(low, "to_header"):
        raise InputError(f"wcs: one that a FITS header can hold was expected, not {type(wcs).__name__}")
    return low


def cards_of(header):
    """The header as 80-character cards in one text, END left out: of a Header, a WCS, a dict of keywords or a text."""
    if header is None:
        return ""
    if isinstance(header, bytes):
        header = header.decode("latin-1")
    if isinstance(header, str):
        return whole_cards(header)
    if hasattr(header, "to_header") or hasattr(header, "low_level_wcs"):
        wcs = _fits_wcs(header)
        header = (wcs.celestial if hasattr(wcs, "celestial") else wcs).to_header(relax=True)
    if hasattr(header, "tostring"):
        return whole_cards(header.tostring(sep="", endcard=False, padding=False))
    if hasattr(header, "items"):
        return _of_mapping(header)
    raise TypeError(f"header: a Header, a dict or a text of cards was expected, not {type(header).__name__}")


def split_cards(text):
    return [text[at : at + _CARD] for at in range(0, len(text), _CARD)]


def joined(header, wcs):
    """The cards of a header with the place on the sky that a WCS states; either may be empty."""
    if not wcs:
        return header
    own = [card for card in split_cards(wcs) if not card.startswith("WCSAXES ")]
    names = {card[:8] for card in own}
    kept = [card for card in split_cards(header) if card[:8] not in names and not _SKY.match(card[:8].rstrip())]
    return "".join(kept + own)


def value_of(cards, key):
    """The value of the last card of this keyword, a text or a float; None where there is none."""
    for card in reversed(split_cards(cards)):
        if card[:10] != f"{key:<8}= ":
            continue
        quoted = re.match(r" *'((?:[^']|'')*)'", card[10:])
        if quoted:
            return quoted.group(1).replace("''", "'").rstrip()
        try:
            return float(card[10:].split("/")[0].replace("D", "E"))
        except ValueError:
            return None
    return None


def with_value(cards, key, value):
    """The cards with one keyword's value replaced."""
    kept = [card for card in split_cards(cards) if card[:8].rstrip() != key]
    return "".join(kept) + _card(key, value)
