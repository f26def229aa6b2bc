"""Extension data: what a file format says about an element and RCK does not interpret.

It is attached to the element, so that it is renamed, moved and deleted with it, and written back to the same format.
"""

from collections.abc import Mapping
from types import MappingProxyType

Extensions = Mapping[str, Mapping[str, str]]
"""By format, such as `mjcf`: attributes by name, as the text of the file. Names in angle brackets hold elements."""

NO_EXTENSIONS: Extensions = MappingProxyType({})


def no_extensions() -> Extensions:
    """Return no extension data, as the default of a field."""
    return NO_EXTENSIONS


def extension(format_name: str, attributes: Mapping[str, str]) -> Extensions:
    """Return the extension data of one format; nothing without attributes."""
    return freeze_extensions({format_name: attributes} if attributes else {})


def freeze_extensions(given: Mapping[str, Mapping[str, str]]) -> Extensions:
    """Return extension data that cannot change."""
    if not given:
        return NO_EXTENSIONS
    return MappingProxyType({name: MappingProxyType(dict(attributes)) for name, attributes in given.items()})


def merge_extensions(*given: Extensions) -> Extensions:
    """Return extension data together; of two values for one attribute, the first counts."""
    merged: dict[str, dict[str, str]] = {}
    for one in given:
        for format_name, attributes in one.items():
            known = merged.setdefault(format_name, {})
            for name, text in attributes.items():
                known.setdefault(name, text)
    return freeze_extensions(merged)
