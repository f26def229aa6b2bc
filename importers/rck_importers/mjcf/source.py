"""An MJCF file with its includes, its compiler settings and its default classes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from rck.importing.assets import Unavailable
from rck.importing.file_errors import refused
from rck.importing.robot_reader import Reading
from rck.importing.xml_file import Element
from rck.model import Texture
from rck.support.names import did_you_mean
from rck_importers.mjcf.compiler import CompilerSettings, compiler_of

_ACTUATORS = {
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
}  # fmt: skip


_KEYWORDS = frozenset({"class", "childclass", "type"})
"""The attributes that MuJoCo refuses if they are empty."""


@dataclass(frozen=True, eq=False)
class Source:
    """A model file with its includes resolved."""

    path: Path
    root: Element
    """Root element; includes are replaced by the children of the included files."""
    compiler: CompilerSettings
    classes: Mapping[str, Mapping[str, Mapping[str, str]]]
    """Attributes by class and tag, including those inherited from outer classes."""
    reading: Reading = field(repr=False)
    prefix: str = ""
    """The prefix of the names of an attached model."""
    images: dict[str, Texture | None] = field(default_factory=dict, repr=False)
    """The images that have been read, by the place of their texture in the file."""

    def sections(self, tag: str) -> list[Element]:
        """Return the children of all top-level elements with this tag; the tag may occur more than once."""
        return [child for section in self.root.all(tag) for child in section]

    @cached_property
    def assets(self) -> Mapping[tuple[str, str], Element]:
        """Assets by tag and name; an asset without a name uses the stem of its file name."""
        return {
            (asset.tag, asset.get("name") or PurePosixPath(asset.get("file").replace("\\", "/")).stem): asset
            for asset in self.sections("asset")
        }

    @cached_property
    def paired(self) -> frozenset[str]:
        """Names of the geoms in explicit contact pairs, which collide regardless of their masks."""
        pairs = [pair for pair in self.sections("contact") if pair.tag == "pair"]
        return frozenset(pair.get(end) for pair in pairs for end in ("geom1", "geom2"))

    def find(self, asset: Element, folder: str) -> Path:
        """Return the file of an asset; `folder` is that of the compiler settings for its kind."""
        name = asset.get("file").replace("\\", "/")
        if self.compiler.strip_path:
            name = PurePosixPath(name).name
        return self.reading.assets.find(name, self.path.parent / folder.replace("\\", "/"), self.path.parent)

    def file(self, asset: Element, folder: str) -> bytes:
        """Return the content of the file of an asset."""
        return self.reading.assets.read(self.find(asset, folder))

    def image(self, texture: Element) -> Texture | None:
        """Return the image file of a texture."""

        key = texture.where
        if key not in self.images:
            self.images[key] = self.reading.texture(texture, lambda: self.find(texture, self.compiler.texture_folder))
        return self.images[key]

    def full(self, element: Element, childclass: str, tag: str = "") -> Element:
        """Return the element with the attributes of its default class added; `tag` is the name of its default."""
        name = element.get("class") or childclass or "main"
        if name not in self.classes:
            if name == "main":
                return element
            raise element.refusal(f"there is no default class {name}{did_you_mean(name, self.classes)}", code=104)
        tag = tag or ("general" if element.tag in _ACTUATORS else element.tag)
        given = self.classes[name].get(tag)
        return element if not given else replace(element, attributes={**given, **element.attributes})


def load(path: Path, reading: Reading) -> Source:
    """Load a model file and all files that it includes."""
    root = reading.xml(path)
    if root.tag != "mujoco":
        raise root.refusal(f"the root is <{root.tag}>, not <mujoco>")
    _include(root, path, reading)
    _drop_empty_attributes(root)
    compiler = compiler_of(root.all("compiler"))
    return Source(path, root, compiler, _classes(root), reading)


def _drop_empty_attributes(root: Element) -> None:
    """Remove the attributes without text; MuJoCo treats them as absent."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if not all(text.strip() for text in element.attributes.values()):
            given = element.attributes.items()
            element.attributes = {name: text for name, text in given if text.strip() or name in _KEYWORDS}
        waiting += element.children


def _include(root: Element, path: Path, reading: Reading) -> None:
    """Replace every include, nested ones too, by the contents of its file."""
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
            reading.budget.count_include(child)
            pending += [(inner, found) for inner in reversed(reading.xml(found).children)]
        element.children = children


def _included(element: Element, file: Path, main: Path, reading: Reading) -> Path:
    try:
        return reading.assets.find(element.require("file"), main.parent, file.parent)
    except Unavailable as unavailable:
        raise refused(element.where, str(unavailable), code=508, fix=unavailable.fix) from unavailable


def _classes(root: Element) -> dict[str, dict[str, dict[str, str]]]:
    """Return the attributes of every default class, including those inherited from outer classes."""
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
