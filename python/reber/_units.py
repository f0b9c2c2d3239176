# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with units: astropy's Quantities as plain numbers in the unit that is wanted, and units as FITS says them."""
from . import _core
from .errors import InputError

# What FITS calls units of parameters and keywords; what is none of these is a plain number.
_NAMES = {"px": "pix", "arcsec": "arcsec", "deg": "deg", "Jy/beam": "Jy/beam", "uJy/beam": "uJy/beam", "Jy": "Jy", "MHz": "MHz",
          "bytes": "byte"}
_PLAIN = ""


def is_quantity(value):
    """Whether it has a value and a unit of astropy's."""
    return hasattr(value, "unit") and hasattr(value, "to_value")


def unit_text(unit):
    """A unit as FITS writes it: of astropy's Unit, or of a text, which stays as it is."""
    if unit is None or isinstance(unit, str):
        return unit
    try:
        return unit.to_string("fits")
    except AttributeError:
        raise TypeError(f"unit: a text or a Unit of astropy was expected, not {type(unit).__name__}") from None
    except ValueError as error:
        raise InputError(f"unit '{unit}' cannot be said in FITS ({error}): convert the values, as by .to('Jy/beam')") from None


def factor(value_unit, wanted, name):
    """What a brightness in the first unit is multiplied by to be in the second; both are texts.   InputError for others"""
    if value_unit.replace(" ", "") == (wanted or "").replace(" ", ""):
        return 1.0
    found = _core.unit_factor(value_unit, wanted or "")
    if found is None:
        image = f"the image is in {wanted}" if wanted else "the image has no unit (unit= gives one)"
        raise InputError(f"{name}: {value_unit or 'a number without a unit'} was given, and {image}")
    return found


def in_unit(value, unit, name):
    """The value without its unit, which must have the dimension of `unit`, as rows of parameters name it; lists and
    tuples part by part. What is no Quantity stays as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(in_unit(one, unit, name) for one in value) if any(map(is_quantity, value)) else value
    if not is_quantity(value):
        return value
    wanted = _NAMES.get(unit, _PLAIN)
    try:
        return value.to_value(wanted)
    except (TypeError, ValueError):  # astropy's UnitConversionError is both
        expected = unit if wanted else "a plain number"
        raise InputError(f"{name}: a value in {value.unit} was given; {expected} was expected") from None
