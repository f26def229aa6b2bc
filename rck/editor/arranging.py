"""Commands about the selection that need a distance: copies and patterns beside what is there."""

from math import ceil

import numpy as np

from rck.assembly.edit import branch
from rck.catalogue.quantities import replace_wrong_units
from rck.editor.workbench import Workbench
from rck.geometry.transforms import apply
from rck.model.units import extra_digits, format_number, from_si

_GAP = 0.02
"""Metres between an instance and its copy."""


def top_instances(workbench: Workbench) -> list[str]:
    """The selected instances without those that stand on another selected one: a branch takes them along."""
    chosen = workbench.selected_instances
    carried = {one for name in chosen for one in branch(workbench.assembly, name)[1:]}
    return [name for name in chosen if name not in carried]


def copy_line(workbench: Workbench, name: str) -> str:
    """A copy of an instance and what stands on it, beside it."""
    return f"copy {name} --branch --by {step_aside(workbench, name)},0,0"


def mirror_line(workbench: Workbench, name: str) -> str:
    """The mirror image of an instance and what stands on it."""
    return f"copy {name} --branch --mirror y"


def pattern_line(workbench: Workbench, name: str) -> str:
    """Three of an instance and what stands on it, side by side."""
    return f"pattern {name} line 3 --by {step_aside(workbench, name)},0,0"


def step_aside(workbench: Workbench, name: str) -> str:
    """How far along x a branch must go to clear itself, in the assembly's unit of length, rounded up."""
    compiled = workbench.built.value
    names = set(branch(workbench.assembly, name))
    width = 0.0
    if compiled is not None:
        corners = [
            apply(item.pose, subitem.shape.vertices)[:, 0]
            for item in compiled.robot.items
            if compiled.instance_of_item[item.name] in names
            for subitem in item.subitems
        ]
        width = float(np.ptp(np.concatenate(corners))) if corners else 0.0
    unit = replace_wrong_units(workbench.assembly.units).length
    # To the next centimetre, or what is as coarse in the unit.
    digits = extra_digits("length", unit) - 1
    parts = 10.0**digits
    steps = ceil(round(from_si(width + _GAP, "length", unit) * parts, 6))
    return format_number(round(steps / parts, digits))
