"""Quality of parts: what a manifest lacks for bronze, silver and gold."""

from collections.abc import Iterator, Mapping

from rck.model import Port
from rck.parts.manifest import Manifest

GRADES = ("bronze", "silver", "gold")
"""In ascending order; a grade includes those before."""

POWERED = ("actuators", "motors", "sensors", "grippers", "mobile", "arms", "power", "controllers")
"""Families of parts that draw or give power."""
_ENDS_WITHOUT_FLANGE = ("objects", "wheels")


def missing(manifest: Manifest, ports: Mapping[str, Port], has_errors: bool) -> dict[str, list[str]]:
    """Return what a part lacks for each grade; `ports` have the geometry of their types."""
    bronze = ["a manifest without errors: see the messages"] if has_errors else []
    return {
        "bronze": bronze + list(_for_bronze(manifest)),
        "silver": list(_for_silver(manifest, ports)),
        "gold": list(_for_gold(manifest, ports)),
    }


def grade_of(lacks: Mapping[str, list[str]]) -> str:
    """Return the best grade that a part has; empty if it has none."""
    grade = ""
    for one in GRADES:
        if lacks[one]:
            break
        grade = one
    return grade


def _for_bronze(manifest: Manifest) -> Iterator[str]:
    documents = manifest.source or [source.document for source in manifest.sources]
    if not documents or not all(documents):
        yield "a source: the document that the figures come from"
    if not manifest.ports:
        yield "a port, where other parts can be attached"


def _for_silver(manifest: Manifest, ports: Mapping[str, Port]) -> Iterator[str]:
    if not manifest.sources:
        yield "`sources` with the document and the figures that it gives"
    elif not all(source.figures for source in manifest.sources):
        yield "the `figures` of each source"
    unstated = [name for name in ("mass", "shape", *manifest.figures) if name not in manifest.status and name != "dof"]
    if unstated:
        yield f"the `status` of {', '.join(unstated)}"
    is_object = manifest.category.partition("/")[0] in _ENDS_WITHOUT_FLANGE
    if not is_object and all(port.type == "any" and port.interface is None for port in ports.values()):
        yield "a port with a type or a hole pattern"
    if manifest.category.partition("/")[0] in POWERED:
        electrical = manifest.electrical
        if electrical.voltage is None and electrical.output is None and "voltage" not in manifest.figures:
            yield "the supply voltage, under `electrical`"
        if not electrical.bus:
            yield "the bus or interface, under `electrical`"


def _for_gold(manifest: Manifest, ports: Mapping[str, Port]) -> Iterator[str]:
    if not all(source.revision or source.date for source in manifest.sources):
        yield "the revision or date of each source"
    if not all(source.address for source in manifest.sources):
        yield "the address of each source"
    if manifest.status.get("mass") in (None, "drawn"):
        yield "a published or derived mass"
    if manifest.approximate:
        yield "a shape that is not simplified"
    blank = [port.name for port in ports.values() if port.type != "any" and port.interface is None]
    if blank:
        yield f"the geometry of the ports {', '.join(blank)}"
    if manifest.category.partition("/")[0] in POWERED and not manifest.electrical.figures:
        yield "currents or powers, under `electrical`"
    if manifest.price is None:
        yield "a price with its date and source"
    elif not (manifest.price.date and manifest.price.source):
        yield "the date and source of the price"
