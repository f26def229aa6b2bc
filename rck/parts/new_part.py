"""Manifests to start from: a small one that works, or a copy of an existing part."""

import re

_TEMPLATE = """\
part: {id}
name: {name}
vendor: {vendor}
category: {category}
summary: one line about the part, with its most important figures
sources:
  - {{document: "", publisher: {vendor}, date: "", address: "", figures: [mass, shape]}}
status: {{mass: published, centre: drawn, inertia: drawn, shape: drawn}}
approximate: true                   # the shape is simplified
units: {{length: mm, mass: g}}
items:                              # rigid bodies
  body:
    mass: 100
    colour: "#3a3a3d"
    shapes:
      - {{box: [60, 40, 20], at: [0, 0, 10]}}
ports:                              # z points out of the part
  mount:
    at: [0, 0, 0]
    z: -z
    x: x
    interface: {{holes: [{{grid: [2, 2], pitch: [50, 30], diameter: 3.4, depth: 20}}]}}
  top: {{at: [0, 0, 20], z: z, x: x}}
# figures: {{voltage: 12}}
# electrical: {{voltage: [10, 14], rated-current: 0.5, bus: [can], connector: [JST GH-4]}}
# price: {{amount: 100, currency: USD, date: "", source: ""}}
"""


def new_manifest(part_id: str, category: str) -> str:
    """Return a manifest that builds, with numbers to replace."""
    vendor, _, name = part_id.partition("/")
    return _TEMPLATE.format(id=part_id, name=name.upper(), vendor=vendor.title(), category=category)


def copied_manifest(text: str, part_id: str) -> str:
    """Return the manifest of another part under a new id."""
    changed = re.sub(r"^part: .*$", f"part: {part_id}", text, count=1, flags=re.MULTILINE)
    return re.sub(r"^name: .*$", f"name: {part_id.partition('/')[2].upper()}", changed, count=1, flags=re.MULTILINE)
