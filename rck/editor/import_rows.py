"""The rows of the lists on the Import screen: contents, layers and findings of a file."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from rck.editor.file_import import unusable
from rck.editor.flat_scene import FlatColours, visible_colour
from rck.editor.widgets.row_list import Row
from rck.hooks import Drawing, DrawnRegion, Survey, SurveyPart
from rck.hooks.survey import ProposedJoint
from rck.model import Finding, Severity
from rck.rendering.palette import Rgb

NOT_PARTS = frozenset({"sheet border", "view", "title block", "ignored", "cut away", "group"})
_MOST_NAMES = 3
"""Maximum number of parts that a problem names."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An object of a file that has a row in the list of contents."""

    kind: str
    """`part`, `region` or `joint`."""
    name: str

    @property
    def key(self) -> str:
        """Key of its row."""
        return f"{self.kind}:{self.name}"


def entry_of(key: str) -> Entry:
    """Return the object of a row."""
    kind, _, name = key.partition(":")
    return Entry(kind, name)


def content_rows(survey: Survey) -> list[Row]:
    """Return a row for each part that is not made of a region, for each region, and for each joint."""
    parts = [part for part in survey.pieces if not part.region]
    outlined = {part.region: part for part in survey.pieces if part.region}
    rows = [_part_row(part) for part in sorted(parts, key=lambda part: not part.refused)]
    if survey.drawing is not None:
        depth: dict[str, int] = {}
        for region in survey.drawing.regions:
            depth[region.name] = depth[region.parent] + 1 if region.parent in depth else 0
            rows.append(_region_row(region, depth[region.name], outlined.get(region.name)))
    return [*rows, *(_joint_row(joint) for joint in survey.joints)]


def _part_row(part: SurveyPart) -> Row:
    size = f"{size_text(*part.size.tolist())}" if part.size.any() else ""
    use = part.refused or part.item or "excluded"
    style = "red" if part.refused else "" if part.item else "dim"
    return Row(Entry("part", part.name).key, (part.name, part.content, size, part.layer, use), style)


def _region_row(region: DrawnRegion, depth: int, part: SurveyPart | None) -> Row:
    use, style = "", "dim" if region.role in NOT_PARTS else ""
    if part is not None:
        use = part.refused or part.item or "excluded"
        style = "red" if part.refused else "bold" if part.item else "dim"
    cells = (f"{'  ' * depth}{region.name}", role_text(region), region_size(region), region.layer, use)
    return Row(Entry("region", region.name).key, cells, style)


def _joint_row(joint: ProposedJoint) -> Row:
    use = joint.doubt or f"{joint.base} → {', '.join(joint.moves)}"
    cells = (f"↻ {joint.name}", joint.kind.value, "", "", use)
    return Row(Entry("joint", joint.name).key, cells, "red" if joint.doubt else "magenta")


def role_text(region: DrawnRegion) -> str:
    """Return the role of a region, or its shape if it is a slot."""
    return region.shape if region.role == "hole" and region.shape == "slot" else region.role


def region_size(region: DrawnRegion) -> str:
    """Return the diameter of a round region, or the length and width of another one, in millimetres."""
    length, width = region.size
    return f"⌀ {_millimetres(width)}" if region.shape == "round" else size_text(length, width)


def size_text(*lengths: float) -> str:
    """Return lengths in metres as text such as `182 x 64`, in millimetres."""
    return " x ".join(map(_millimetres, lengths))


def _millimetres(length: float) -> str:
    text = f"{1000 * length:.4g}"
    return text if "e" not in text else f"{1000 * length:.0f}"


def describe_entry(survey: Survey, entry: Entry) -> str:
    """Return a sentence about an object of the file, with the reason for its role."""
    if entry.kind == "region" and survey.drawing is not None:
        region = next(one for one in survey.drawing.regions if one.name == entry.name)
        part = next((one for one in survey.pieces if one.region == region.name), None)
        why = part.refused if part is not None and part.refused else region.why
        return f"{region.name}: {role_text(region)} {region_size(region)} mm{f': {why}' if why else ''}"
    if entry.kind == "part":
        part = next(one for one in survey.pieces if one.name == entry.name)
        fix = "press Enter to choose what becomes of it" if part.answers else part.fix
        return f"{part.name}: {part.refused or part.content}" + (f" ({fix})" if part.refused and fix else "")
    joint = next(one for one in survey.joints if one.name == entry.name)
    return f"{joint.name}: {joint.doubt or f'{joint.kind.value} from {joint.base} to ' + ', '.join(joint.moves)}"


def layer_rows(drawing: Drawing, colours_shown: FlatColours | None) -> list[Row]:
    """Return a row for each layer with curves: its colour, number of curves, and their use."""
    counts: dict[str, Counter[str]] = {}
    colours: dict[str, Counter[Rgb]] = {}
    for curve in drawing.curves:
        red, green, blue = (round(255 * channel) for channel in curve.colour[:3])
        counts.setdefault(curve.layer, Counter())[curve.use] += 1
        colours.setdefault(curve.layer, Counter())[(red, green, blue)] += 1
    rows = []
    for layer in sorted(counts):
        ((colour, _),) = colours[layer].most_common(1)
        uses = ", ".join(use for use, _ in counts[layer].most_common())
        swatch = Text("━━")
        if colours_shown is not None:
            swatch.stylize("#{:02x}{:02x}{:02x}".format(*visible_colour(colour, colours_shown)))
        is_excluded = set(counts[layer]) == {"excluded"}
        cells = (swatch, layer, str(counts[layer].total()), uses)
        rows.append(Row(layer, cells, "dim" if is_excluded else ""))
    return rows


def excluded_layers(drawing: Drawing) -> frozenset[str]:
    """Return the layers whose curves are all excluded by options."""
    used = {curve.layer for curve in drawing.curves if curve.use != "excluded"}
    return frozenset({curve.layer for curve in drawing.curves} - used)


def problems(survey: Survey) -> Iterator[Finding]:
    """Yield the parts that cannot be used as errors, then the findings of the importer, most severe first."""
    for why, fix, names in unusable(survey):
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        yield Finding(511, Severity.ERROR, ", ".join(names[:_MOST_NAMES]) + more, why, fix)
    for joint in survey.joints:
        if joint.doubt:
            yield Finding(511, Severity.ERROR, f"joint {joint.name}", joint.doubt, "press Enter on the joint")
    yield from sorted(survey.findings, key=lambda finding: -finding.severity)
