"""Dialogs of the Import screen: the role of a region, the unit of a file, and answers to questions of the importer."""

from collections.abc import Collection

import numpy as np

from rck.editor.dialogs.basic import ListChoice, ListDialog
from rck.hooks import Option, Survey
from rck.support.units import UNITS, from_si, si_from

LEAVE_OUT = "leave out"
"""Answer of an :class:`AnswerDialog`."""
_ROLES = {
    "plate": "a part; a group becomes one part",
    "hole": "cut out; what lies in it is a part",
    "counterbore": "not cut through; the holes in it are",
    "pocket": "not cut through; the holes in it are",
    "sheet border": "not a part; what lies in it counts by itself",
    "view": "not a part, nor what lies in it: a further view",
    "title block": "not a part, nor what lies in it",
    "ignored": "not a part, nor what lies in it",
}


class RoleDialog(ListDialog):
    """The roles of regions; returns one, or an empty string for the role that the importer proposes."""

    def __init__(self, title: str, roles: Collection[str], current: str, is_changed: bool) -> None:
        choices = [ListChoice(role, role, _ROLES.get(role, "")) for role in roles]
        if is_changed:
            choices.append(ListChoice("", "as proposed", "what the importer proposes"))
        super().__init__(f"Role of {title}", choices, current)


class UnitDialog(ListDialog):
    """The units that the lengths of a file can have, with the resulting sizes; returns one."""

    def __init__(self, option: Option, survey: Survey) -> None:
        size = _size_of(survey)

        def detail(unit: str) -> str:
            if unit not in UNITS["length"] or survey.length_unit not in UNITS["length"] or not size:
                return "as the file states, or else as the importer assumes" if unit == "auto" else ""
            metres = si_from(from_si(size, "length", survey.length_unit), "length", unit)
            return f"{1000 * metres:.4g} mm large"

        choices = [ListChoice(unit, unit, detail(unit)) for unit in option.choices]
        super().__init__("Length unit of the file", choices, survey.length_unit)


class AnswerDialog(ListDialog):
    """A question of an importer; returns an answer, or :data:`LEAVE_OUT`."""

    def __init__(self, question: str, answers: Collection[str], leave_out: str = "") -> None:
        choices = [ListChoice(answer, answer) for answer in answers]
        if leave_out:
            choices.append(ListChoice(LEAVE_OUT, leave_out))
        super().__init__(question, choices)


def _size_of(survey: Survey) -> float:
    """Return the longest side of all contents in metres; 0 without contents."""
    corners = [corner for part in survey.pieces for corner in (part.low, part.high)]
    if survey.drawing is not None:
        corners += [curve.points.min(axis=0) for curve in survey.drawing.curves if curve.use == "outline"]
        corners += [curve.points.max(axis=0) for curve in survey.drawing.curves if curve.use == "outline"]
    return float(np.ptp(np.array(corners), axis=0).max()) if corners else 0.0
