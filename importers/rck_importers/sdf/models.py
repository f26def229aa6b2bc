"""Scopes of the models, worlds and includes of an SDF file."""

from dataclasses import replace
from pathlib import Path

from rck.importing.assets import Assets, Unavailable
from rck.importing.robot_reader import Reading
from rck.importing.xml_file import Element, parse_xml
from rck.support.finding import Severity
from rck_importers.sdf.resources import find_uri
from rck_importers.sdf.scopes import DEEPEST, Scope, ScopeEntry, merged_scope, pose_element, text_of

_READ_OF_MODEL = {"link", "joint", "frame", "model", "include", "pose", "static"}
_SILENT = {"self_collide", "allow_auto_disable", "enable_wind", "gravity", "magnetic_field", "atmosphere", "physics"}
"""Simulation settings, ignored without a note."""


def root_scope(root: Element, reading: Reading) -> Scope:
    """Return the scope of the file, which contains its models."""
    version = _version(root)
    worlds = root.all("world")
    if len(worlds) > 1:
        raise worlds[1].refusal("the file has several worlds", fix="keep one world")
    holder = worlds[0] if worlds else root
    scope = Scope(holder.get("name", "world"), "", holder, reading, version)
    _fill(scope, holder, 0)
    if not scope.models:
        raise holder.refusal("the file has no model")
    return scope


def _version(root: Element) -> tuple[int, ...]:
    said = root.get("version", "1.6")
    try:
        return tuple(int(part) for part in said.split("."))
    except ValueError:
        raise root.refusal(f"{said!r} is not a version of SDF", code=104) from None


def _fill(scope: Scope, element: Element, depth: int) -> None:
    """Add the elements of a model or world to its scope."""
    if depth > DEEPEST:
        raise element.refusal(f"models are nested more than {DEEPEST} deep", code=509)
    report = scope.reading.report
    for child in sorted(element, key=_naming_order):
        if child.tag == "model":
            _add_model(scope, child, scope.reading, scope.version, child, depth)
        elif child.tag == "include":
            _include(scope, child, depth)
        elif child.tag in ("link", "joint", "frame"):
            _add_entry(scope, child)
        elif child.tag not in _READ_OF_MODEL | _SILENT:
            report.left_out(f"<{child.tag}>", child.where)


def _naming_order(element: Element) -> int:
    """Return the rank of an element among those that may claim one name: links and models keep it."""
    ranks = {"link": 0, "model": 1, "include": 1, "joint": 2, "frame": 3}
    return ranks.get(element.tag, 4)


def _add_entry(scope: Scope, element: Element) -> None:
    name = _frame_name(scope, element)
    pose, relative_to = pose_element(element)
    if element.tag == "link":
        scope.entries[name] = ScopeEntry(element, pose, relative_to, name)
    elif element.tag == "joint":
        child = end_of(element, "child")
        scope.entries[name] = ScopeEntry(element, pose, relative_to or child, child)
    else:
        attached = element.get("attached_to")
        scope.entries[name] = ScopeEntry(element, pose, relative_to or attached, attached)


def _frame_name(scope: Scope, element: Element) -> str:
    """Return the name of the frame of a link, joint or frame; if another kind of element has it, one with a suffix.

    Like libsdformat in old files, a joint `arm` next to a link `arm` has the frame `arm_joint`.
    """
    name = element.require("name")
    if any(one.element.tag == element.tag and one.element.get("name") == name for one in scope.entries.values()):
        raise element.refusal(f"the name {name} is already used in {scope.name}", code=103)
    free = name
    while _is_used(scope, free):
        free = f"{free}_{element.tag}"
    if free != name:
        message = f"the name {name} is used twice in {scope.name}; the frame of this {element.tag} is {free}"
        scope.reading.report.note(504, element.where, message, kind="shared name")
    return free


def _is_used(scope: Scope, name: str) -> bool:
    return name in scope.entries or name in scope.models or merged_scope(scope, name) is not None


def end_of(element: Element, tag: str) -> str:
    """Return the name of the parent or child of a joint."""
    name = text_of(element, tag)
    if not name:
        raise element.refusal(f"joint {element.get('name')} has no <{tag}>")
    return name


def _add_model(
    scope: Scope, element: Element, reading: Reading, version: tuple[int, ...], placed_by: Element, depth: int
) -> None:
    """Add a model; the include that refers to it may override its name and pose."""
    name = text_of(placed_by, "name") if placed_by.tag == "include" else ""
    name = name or element.require("name")
    merged = placed_by.tag == "include" and placed_by.get("merge") in ("true", "1")
    name = f"_merged__{name}__model__" if merged else name
    if _is_used(scope, name):
        raise placed_by.refusal(f"the name {name} is already used in {scope.name}", code=103)
    own_pose, own_relative = pose_element(element)
    pose, relative_to = (
        pose_element(placed_by)
        if placed_by.tag == "include" and placed_by.first("pose") is not None
        else (own_pose, own_relative)
    )
    static = text_of(placed_by, "static") or text_of(element, "static")
    model = Scope(
        name,
        scope.path if merged else scope.full_name(name),
        element,
        reading,
        version,
        scope,
        pose,
        relative_to,
        text_of(placed_by, "placement_frame") if placed_by.tag == "include" else "",
        scope.static or static in ("true", "1"),
    )
    model.merged = merged
    model.placement_frame = model.placement_frame or element.get("placement_frame")
    _fill(model, element, depth + 1)
    for inner in (*model.entries, *model.models) if merged else ():
        if _is_used(scope, inner):
            raise placed_by.refusal(f"the merged model has {inner}, which is already used in {scope.name}", code=103)
    scope.models[name] = model


def _include(scope: Scope, element: Element, depth: int) -> None:
    uri = text_of(element, "uri")
    if not uri:
        raise element.refusal("an include has no <uri>")
    scope.reading.budget.count_include(element)
    try:
        path = _included_file(uri, scope.reading.assets)
        root = scope.reading.xml(path)
    except Unavailable as unavailable:
        scope.reading.report.add(unavailable.finding(element.where, Severity.WARNING), f"unavailable {uri}")
        return
    if root.tag != "sdf":
        scope.reading.report.left_out(f"<include> of <{root.tag}>", element.where)
        return
    models = root.all("model")
    if len(models) != 1:
        raise element.refusal(f"{path.name} has {len(models)} models; an include needs exactly one")
    reading = replace(scope.reading, path=path, assets=Assets(path, scope.reading.assets.limits))
    _add_model(scope, models[0], reading, _version(root), element, depth + 1)


def _included_file(uri: str, assets: Assets) -> Path:
    """Return the file of a URI; for a model folder, the latest version listed in its model.config."""
    if Path(uri).suffix.lower() in (".sdf", ".world", ".xml"):
        return find_uri(uri, assets)
    config = find_uri(f"{uri.rstrip('/')}/model.config", assets)
    listed = parse_xml(assets.read(config), config.name).all("sdf")
    if not listed:
        raise Unavailable(f"{config} lists no SDF file")
    latest = max(listed, key=lambda element: [int(part) for part in element.get("version", "0").split(".")])
    return Assets(config, assets.limits).find(latest.text)
