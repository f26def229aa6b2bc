"""`rck parts`: search the catalogue, print one part, validate a library."""

import json
import sys
from collections.abc import Sequence
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from rck.cli.inputs import finding_data, parse_settings, print_findings, read_assembled
from rck.cli.options import JSON
from rck.cli.progress import shown_job
from rck.hooks import discover
from rck.hooks.device_kinds import served_kinds
from rck.model.electrical_text import electrical_lines, format_range, price_text
from rck.model.port_fit import PortLike, describe_interface, describe_turns
from rck.parts.adaptors import FittingPart, catalogue_port, find_adaptors, fitting_parts
from rck.parts.datasheet_figures import FIGURES
from rck.parts.index import CatalogueEntry
from rck.parts.library import Catalogue, library_folders, manifest_paths, open_catalogue
from rck.parts.part_use import count_uses
from rck.parts.port_drawing import draw_svg, port_type_lines
from rck.parts.search import FAMILIES, SEARCHABLE, fitting_figure, nearest_words, parse_query, search, yes_or_no
from rck.support.files import write_atomically
from rck.support.finding import Finding, RckError, errors_of
from rck.support.names import did_you_mean
from rck.support.units import counted, format_quantity

# Import geometry lazily: a search does not need it.
if TYPE_CHECKING:
    from rck.model import Device
    from rck.parts.manifest import Manifest, SourceSpec
    from rck.parts.part import Part
    from rck.parts.port_types import PortTypes


class _WordsOrCommand(click.Group):
    """A group with a default: `rck parts servo` searches, `rck parts show ID` and `rck parts check` are commands."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        if arguments and arguments[0] not in (*self.commands, "--help", "-h"):
            arguments = ["search", *arguments]
        elif not arguments:
            arguments = ["search"]
        return super().parse_args(context, arguments)


@click.group(cls=_WordsOrCommand)
def parts() -> None:
    """Search the parts catalogue by words and figures.

    \b
    rck parts servo                          words: name, vendor, category, summary
    rck parts payload>=3kg reach>800mm dof=6 figures, with units (quote the < and >)
    rck parts category=sensors vendor=intel  exact fields; also port=nema17, brakes=yes, connector=jst
    rck parts bus=can voltage=24 price<=300  electrical figures and prices
    rck parts --fits arm.rck:elbow.horn      parts that fit a port; also --fits PART:PORT, --fits nema17:female
    rck parts show ID | check [PATH]         one part | validate a library, and grade a part
    rck parts new VENDOR/NAME                start a manifest in the folder parts
    rck parts decompose PATH                 store the convex pieces of mesh files
    rck parts port-types [NAME]              port types with their geometry and drawing
    rck parts adaptors PORT PORT             parts that bridge two ports
    """


@parts.command("search", hidden=True)
@click.argument("terms", nargs=-1)
@click.option("--fits", metavar="PORT", help="List only parts with a port that fits this one.")
@JSON
def search_parts(terms: tuple[str, ...], fits: str | None, as_json: bool) -> None:
    """Search by words, figures and fit; of equal matches, the parts that the project uses come first."""
    catalogue = open_catalogue(discover(), Path.cwd())
    query = parse_query(terms)
    uses = count_uses(Path.cwd())
    found = search(catalogue.entries.values(), query, uses)
    fitting = {}
    if fits is not None:
        fitting = {part.entry.id: part for part in fitting_parts(catalogue, _port(catalogue, fits))}
        found = [entry for entry in found if entry.id in fitting]
    if as_json:
        fit_data = {part: {"port": one.port, "turns": _turns_data(one)} for part, one in fitting.items()}
        listed = [
            {
                **_entry_data(entry),
                "uses": uses[entry.id],
                **({"fits": fit_data[entry.id]} if entry.id in fit_data else {}),
            }
            for entry in found
        ]
        click.echo(json.dumps(listed, indent=2))
        return
    print_findings(catalogue.findings)
    for entry, line in zip(found, entry_table(found, query.figures), strict=True):
        click.echo(line)
        if entry.id in fitting:
            turns = describe_turns(fitting[entry.id].turns)
            click.echo(f"    ◇ {fitting[entry.id].port}" + (f"  {turns}" if turns else ""))
    hint = "" if found else nearest_words(catalogue.entries.values(), query)
    click.echo(f"{len(found)} of {len(catalogue.entries)} parts{hint}", err=True)
    sys.exit(0 if found else 1)


def _turns_data(part: FittingPart) -> list[dict[str, float]]:
    return [{"degrees": round(degrees(turn.angle), 4), "holes": turn.holes} for turn in part.turns]


def _port(catalogue: Catalogue, text: str) -> PortLike:
    """Return the port that a text names: `FILE.rck:INSTANCE.PORT`, `PART:PORT` or a port type."""
    file, colon, end = text.rpartition(":")
    if not (colon and file.endswith(".rck")):
        return catalogue_port(catalogue, text)
    compiled = read_assembled(Path(file), discover(file=Path(file)))[1]
    if end not in compiled.ports:
        raise RckError(f"{file} has no port {end!r}{did_you_mean(end, compiled.ports)}")
    return compiled.ports[end]


@parts.command("port-types")
@click.argument("name", required=False)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write a drawing as SVG.")
def list_port_types(name: str | None, output: Path | None) -> None:
    """List the port types, or print one with its geometry, drawing and sources."""
    types = open_catalogue(discover(), Path.cwd()).port_types
    if name is None:
        if output is not None:
            raise click.UsageError("name the port type to draw")
        width = max(map(len, types.names))
        for one in types.names:
            click.echo(f"{one:{width}}  {types.summary(one)}")
        return
    for line in port_type_lines(types, name):
        click.echo(line)
    if output is not None:
        interface = types.interface(name, "male")
        if interface is None:
            raise RckError(f"port type {name} has no published geometry to draw")
        if output.suffix.lower() != ".svg":
            raise click.UsageError(f"{output}: drawings of port types are SVG files")
        write_atomically(output, draw_svg(name, interface).encode())


@parts.command("adaptors")
@click.argument("first", metavar="PORT")
@click.argument("second", metavar="PORT")
def list_adaptors(first: str, second: str) -> None:
    """List the parts that bridge two ports, each FILE.rck:INSTANCE.PORT, PART:PORT, or a type such as nema17:male."""
    catalogue = open_catalogue(discover(), Path.cwd())
    found = find_adaptors(catalogue, [_port(catalogue, first)], [_port(catalogue, second)])
    for adaptor in found:
        click.echo(f"{adaptor.part}  {adaptor.first}, {adaptor.second}")
    click.echo(counted(len(found), "adaptor"), err=True)
    sys.exit(0 if found else 1)


def entry_table(entries: list[CatalogueEntry], figures: Sequence[tuple[str, str, float]]) -> list[str]:
    """Print a line for each part: id, mass, the figures that match the query, summary."""
    width = max((len(entry.id) for entry in entries), default=0)
    lines = []
    for entry in entries:
        asked = "".join(f"  {_fitting(entry, *figure)}" for figure in figures if figure[0] != "mass")
        lines.append(f"{entry.id:{width}}  {_shown('mass', entry.figures['mass']):>9}{asked}  {entry.summary}")
    return lines


def _fitting(entry: CatalogueEntry, name: str, sign: str, value: float) -> str:
    """Format the figure by which a part meets a comparison, with its name if the query is ambiguous."""
    figure = fitting_figure(entry, name, sign, value) or name
    if figure == "voltage" and entry.electrical.voltage is not None:
        return f"{format_range(entry.electrical.voltage):>7} V"
    text = f"{_shown(figure, entry.figures[figure]):>10}"
    return f"{text} {figure:{max(map(len, FAMILIES[name]))}}" if name in FAMILIES else text


def _shown(name: str, value: float) -> str:
    figure = SEARCHABLE[name]
    unit = "g" if name == "mass" and value < 1 else figure.unit
    return format_quantity(value, figure.dimension, unit, 4)


def _entry_data(entry: CatalogueEntry) -> dict[str, object]:
    return {
        "id": entry.id,
        "name": entry.name,
        "vendor": entry.vendor,
        "category": entry.category,
        "summary": entry.summary,
        "figures": dict(entry.figures),
        "electrical": msgspec.to_builtins(entry.electrical),
        "currency": entry.currency,
        "brakes": entry.brakes,
        "size": list(entry.size),
        "ports": dict(entry.ports),
        "parameters": list(entry.parameters),
    }


@parts.command("show")
@click.argument("part_id", metavar="ID")
@click.argument("settings", nargs=-1, metavar="[PARAMETER=VALUE]...")
@JSON
def show_part(part_id: str, settings: tuple[str, ...], as_json: bool) -> None:
    """Print one part: figures, parameters, items, joints, ports and source."""
    catalogue = open_catalogue(discover(), Path.cwd())
    part = catalogue.part(part_id, parse_settings(settings))
    if as_json:
        click.echo(json.dumps(_entry_data(catalogue.entries[part_id]), indent=2))
        return
    for line in part_lines(part, catalogue):
        click.echo(line)


def part_lines(part: "Part", catalogue: Catalogue) -> list[str]:
    """Format a part as text."""
    from rck.cli.show import item_line, joint_line

    manifest = part.manifest
    lines = [f"{part.id}  {manifest.name}" + (f"  {manifest.vendor}" if manifest.vendor else ""), manifest.summary]
    x, y, z = (1000 * size for size in catalogue.entries[part.id].size)
    mass = _shown("mass", part.robot.mass_properties.mass)
    lines.append(f"{manifest.category}   {x:.4g} x {y:.4g} x {z:.4g} mm   {mass}")
    if manifest.approximate:
        lines.append("the shape is simplified")
    for name, quantity in manifest.figures.items():
        unit = f" {FIGURES[name].unit}" if not isinstance(quantity, str) and FIGURES[name].unit else ""
        lines.append(f"  {name}: {quantity:g}{unit}" if not isinstance(quantity, str) else f"  {name}: {quantity}")
    lines += [f"  {line}" for line in electrical_lines(manifest.electrical)]
    price = catalogue.prices.get(part.id, manifest.price)
    if price is not None:
        lines.append(f"  price: {price_text(price)}")
    if manifest.brakes is not None:
        lines.append(f"  brakes: {yes_or_no(manifest.brakes)}")
    for name, one in manifest.parameters.items():
        unit = f" {one.unit}" if one.unit else ""
        value = part.parameters[name]
        lines.append(f"  with {name} = {value:g}{unit}, {one.min:g} to {one.max:g}{unit}  {one.summary}".rstrip())
    lines += [item_line(item) for item in part.robot.items]
    lines += [joint_line(joint) for joint in part.robot.joints]
    for port in part.ports.values():
        gender = f" {port.gender}" if port.gender else ""
        geometry = f": {describe_interface(port.interface)}" if port.interface is not None else ""
        note = f"  ({port.note})" if port.note else ""
        lines.append(f"◇ {port.name}  {port.type}{gender} on {port.item}{geometry}{note}")
    lines += [_device_line(device) for device in part.robot.devices]
    sources = [manifest.source] if isinstance(manifest.source, str) else manifest.source
    lines += [f"source: {source}" for source in sources]
    lines += [source_line(source) for source in manifest.sources]
    lines += status_lines(manifest)
    return lines


def _device_line(device: "Device") -> str:
    """Format a sensor or gripper: kind, item, joints and settings."""
    joints = f" with {', '.join(device.joints)}" if device.joints else ""
    settings = "".join(f"  {name}={value}" for name, value in device.settings.items())
    return f"◉ {device.name}  {device.kind.value} on {device.item}{joints}{settings}"


def source_line(source: "SourceSpec") -> str:
    """Format a document that figures come from."""
    figures = f" ({', '.join(source.figures)})" if source.figures else ""
    address = f" {source.address}" if source.address else ""
    return f"source: {source.title}{figures}{address}"


def status_lines(manifest: "Manifest") -> list[str]:
    """Format the origin of the figures: a line for each, with the items whose mass differs from the part."""
    figures: dict[str, list[str]] = {}
    for name, status in manifest.status.items():
        figures.setdefault(status, []).append(name)
    for name, item in manifest.items.items():
        if item.mass_status and item.mass_status != manifest.status.get("mass"):
            figures.setdefault(item.mass_status, []).append(f"mass of {name}")
    return [f"{status}: {', '.join(names)}" for status, names in figures.items()]


@parts.command("check")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@JSON
def check_parts(paths: tuple[Path, ...], as_json: bool) -> None:
    """Build every part with default, smallest and largest parameters and list the problems.

    Without PATH, all libraries are checked. For a single file, the grade is printed with what is missing for bronze,
    silver and gold; for several, the number of parts of each grade. The exit status is 1 if a part has errors.
    """
    from rck.parts.part_checks import check_files
    from rck.parts.part_quality import GRADES, grade_of

    plugins = discover()
    folders = list(paths) or library_folders(plugins, Path.cwd())
    files = [file for path in folders for file in ([path] if path.is_file() else manifest_paths(path))]
    with shown_job("checking parts") as job:
        results = list(check_files(files, job, served_kinds(plugins)))
    findings = [finding for _, found in results for finding in found]
    if as_json:
        click.echo(json.dumps([finding_data(finding) for finding in findings], indent=2))
    else:
        print_findings(findings)
        types = open_catalogue(plugins, Path.cwd()).port_types
        lacks = [_missing(file, found, types) for file, found in results]
        grades = [grade_of(one) for one in lacks]
        if len(files) == 1:
            click.echo(f"quality: {grades[0] or 'below bronze'}")
            for grade in GRADES:
                for what in lacks[0][grade]:
                    click.echo(f"  {grade} needs {what}")
        else:
            click.echo(", ".join(f"{grades.count(grade)} {grade}" for grade in reversed(GRADES)))
        good = sum(not errors_of(found) for _, found in results)
        click.echo(f"{good} of {len(results)} parts have no problems")
    sys.exit(int(bool(errors_of(findings))))


def _missing(file: Path, findings: Sequence[Finding], types: "PortTypes") -> dict[str, list[str]]:
    from rck.parts.part import build_part, read_part_file
    from rck.parts.part_quality import GRADES, missing

    try:
        read = read_part_file(file)
        built = build_part(read)
        ports = {} if built.value is None else types.resolved(built.value.ports)
        return missing(read.manifest, ports, bool(errors_of(findings)))
    except RckError:
        return {grade: ["a manifest that can be read"] for grade in GRADES}


@parts.command("new")
@click.argument("part_id", metavar="VENDOR/NAME")
@click.option("--category", default="structure/plate", show_default=True, help="Category, such as actuators/servo.")
@click.option("--like", metavar="ID", help="Start from the manifest of this part.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File (default: parts/NAME.yaml)."
)
def start_part(part_id: str, category: str, like: str | None, output: Path | None) -> None:
    """Start the manifest of a new part, and print what it lacks.

    The file goes to the folder `parts` of the current folder, where the catalogue finds it.
    """
    from rck.parts.new_part import copied_manifest, new_manifest
    from rck.parts.part import is_part_id

    catalogue = open_catalogue(discover(), Path.cwd())
    if not is_part_id(part_id):
        raise RckError(
            f"{part_id!r} is not an id such as robotis/xm540-w270: lower case, vendor or family, slash, name"
        )
    if part_id in catalogue.entries:
        raise RckError(
            f"the catalogue has a part {part_id}; choose another id, or edit {catalogue.entries[part_id].path}"
        )
    path = output or Path("parts") / f"{part_id.rpartition('/')[2]}.yaml"
    if path.exists():
        raise RckError(f"{path} exists; choose another file with -o")
    text = new_manifest(part_id, category) if like is None else copied_manifest(catalogue.file(like).text, part_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
    click.echo(f"wrote {path}; replace the figures, then run: rck parts check {path}")


@parts.command("decompose")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def decompose_meshes(paths: tuple[Path, ...]) -> None:
    """Store the convex pieces of mesh files next to them, so that users of the parts need no CoACD.

    PATH is a manifest or a folder of manifests. Publish the new files with the parts.
    """
    from rck.model.quantities import Quantities
    from rck.parts.part import read_part_file
    from rck.parts.part_shapes import outdated_pieces, store_pieces

    files = [file for path in paths for file in ([path] if path.is_file() else manifest_paths(path))]
    stored = []
    with shown_job("decomposing meshes") as job:
        for number, file in enumerate(files):
            job.progress(number / len(files), file.name)
            manifest = read_part_file(file).manifest
            read = Quantities(manifest.units)
            try:
                shapes = [shape for item in manifest.items.values() for shape in (*item.shapes, *item.visuals)]
                stored += [store_pieces(shape, read, file.parent) for shape in shapes]
            except ValueError as error:
                raise RckError(f"{file}: {error}") from None
    pairs = [pair for pair in stored if pair is not None]
    for outdated in outdated_pieces(pairs):
        outdated.unlink()
    for mesh, pieces in dict(pairs).items():
        click.echo(f"{mesh.name}: {pieces.name}")
