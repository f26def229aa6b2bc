"""An MJCF file with its includes, its compiler settings and its default classes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from rck.importing.assets import Unavailable
from rck.importing.refusals import refused
from rck.importing.robots import Reading
from rck.importing.xml_file import Element
from rck.model.names import did_you_mean
from rck_mjcf.compiler import Compiler, compiler_of

_ACTUATORS = {
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Source:
    """One model file, ready to be walked."""

    path: Path
    root: Element
    """With the children of included files in place of the includes."""
    compiler: Compiler
    classes: Mapping[str, Mapping[str, Mapping[str, str]]]
    """Attributes by class and tag, those of outer classes included."""
    reading: Reading = field(repr=False)

    def sections(self, tag: str) -> list[Element]:
        """The children of all top-level elements of that tag: they may stand more than once."""
        return [child for section in self.root.all(tag) for child in section]

    @cached_property
    def assets(self) -> Mapping[tuple[str, str], Element]:
        """Assets by tag and name; one without a name goes by its file's."""
        return {
            (asset.tag, asset.get("name") or PurePosixPath(asset.get("file").replace("\\", "/")).stem): asset
            for asset in self.sections("asset")
        }

    @cached_property
    def paired(self) -> frozenset[str]:
        """Geoms that touch others by name, whatever their masks say."""
        pairs = [pair for pair in self.sections("contact") if pair.tag == "pair"]
        return frozenset(pair.get(end) for pair in pairs for end in ("geom1", "geom2"))

    def full(self, element: Element, childclass: str) -> Element:
        """The element with the attributes that its class gives it."""
        name = element.get("class") or childclass or "main"
        if name not in self.classes:
            if name == "main":
                return element
            raise element.refusal(f"there is no default class {name}{did_you_mean(name, self.classes)}", code=104)
        tag = "general" if element.tag in _ACTUATORS else "joint" if element.tag == "freejoint" else element.tag
        given = self.classes[name].get(tag)
        return element if not given else replace(element, attributes={**given, **element.attributes})


def load(path: Path, reading: Reading) -> Source:
    """The model file with all that it includes."""
    root = reading.xml(path)
    if root.tag != "mujoco":
        raise root.refusal(f"the root is <{root.tag}>, not <mujoco>")
    _include(root, path, reading)
    compiler = compiler_of(root.all("compiler"))
    return Source(path, root, compiler, _classes(root), reading)


def _include(root: Element, path: Path, reading: Reading) -> None:
    """Put what includes name in their place, files inside files too."""
    seen = {path.resolve()}
    waiting = [(root, path)]
    while waiting:
        element, file = waiting.pop()
        children: list[Element] = []
        pending = [(child, file) for child in reversed(element.children)]
        while pending:
            child, written_in = pending.pop()
            if child.tag != "include":
                children.append(child)
                waiting.append((child, written_in))
                continue
            found = _included(child, written_in, path, reading)
            if found.resolve() in seen:
                message = f"{child.get('file')} is included twice, which MuJoCo does not allow"
                raise child.refusal(message, fix="remove one of the includes")
            seen.add(found.resolve())
            pending += [(inner, found) for inner in reversed(reading.xml(found).children)]
        element.children = children


def _included(element: Element, file: Path, main: Path, reading: Reading) -> Path:
    try:
        return reading.assets.find(element.require("file"), main.parent, file.parent)
    except Unavailable as unavailable:
        raise refused(element.where, str(unavailable), code=508, fix=unavailable.fix) from unavailable


def _classes(root: Element) -> dict[str, dict[str, dict[str, str]]]:
    """Every class with the attributes of the classes round it below its own."""
    classes: dict[str, dict[str, dict[str, str]]] = {}
    waiting: list[tuple[Element, str]] = [(element, "") for element in reversed(root.all("default"))]
    while waiting:
        element, outer = waiting.pop()
        name = element.get("class") or ("main" if not outer else "")
        if not name:
            raise element.refusal("a default inside another needs a class", code=104)
        known = classes.setdefault(name, {tag: dict(given) for tag, given in classes.get(outer, {}).items()})
        for child in element:
            if child.tag == "default":
                continue
            tag = "general" if child.tag in _ACTUATORS else child.tag
            known.setdefault(tag, {}).update(child.attributes)
        waiting += [(child, name) for child in reversed(element.all("default"))]
    return classes
