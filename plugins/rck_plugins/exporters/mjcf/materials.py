"""Materials and textures of MJCF: those that were kept, and those of other visuals."""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from PIL import Image

from rck.exporting import ExportShape, MeshAssets
from rck.exporting.file_text import Value, add
from rck.model import Colour, Robot, Visual
from rck.support.names import legal_name, unique_names
from rck_plugins.exporters.mjcf.names import data_of, xml_in
from rck_plugins.exporters.mjcf.numbers import exact

Finish = tuple[str, float | None, float | None]
"""The image, the roughness and the metalness of a visual."""


@dataclass(frozen=True, eq=False)
class Materials:
    """The materials of a model."""

    kept: Mapping[str, Element]
    """Materials of the file that the robot comes from, by name."""
    textures: Mapping[str, Element]
    """Textures of that file by name."""
    images: Mapping[str, str]
    """The image files of these textures, by name."""
    made: Mapping[Finish, str]
    """The names of materials for other visuals."""

    def name_of(self, shape: ExportShape) -> str:
        """Return the name of the material of a shape; empty if it only has a colour."""
        named = data_of(shape.source.extensions).get("material", "")
        return named if named in self.kept else self.made.get(_finish(shape), "")

    def paints(self, name: str, colour: Colour) -> bool:
        """Return True if a kept material has this colour, so that its geoms need not state one."""
        material = self.kept.get(name)
        if material is None:
            return False
        try:
            rgba = tuple(float(number) for number in material.get("rgba", "1 1 1 1").split())
        except ValueError:
            return False
        return rgba == colour

    def remove_unknown(self, element: Element) -> None:
        """Remove the material of an element if it is no longer in the model."""
        if element.get("material", "") not in self.kept:
            element.attrib.pop("material", None)

    def add_to(self, assets: Element) -> None:
        """Add the textures and materials to the assets of a file."""
        usable = {name for name, one in self.textures.items() if not one.get("file") or name in self.images}
        for name, texture in self.textures.items():
            if name in usable:
                if texture.get("file"):
                    texture.set("file", self.images[name])
                assets.append(texture)
        for material in self.kept.values():
            for holder in (material, *material):
                if holder.get("texture", "") not in usable:
                    holder.attrib.pop("texture", None)
            for layer in [one for one in material if "texture" not in one.attrib]:
                material.remove(layer)
            assets.append(material)
        file_of: dict[str, str] = {}
        for (image, roughness, metallic), name in self.made.items():
            attributes: dict[str, Value] = {"name": name}
            if image and image not in file_of:
                file_of[image] = name
                add(assets, "texture", name=name, type="2d", file=png_path(image))
            if image:
                attributes["texture"] = file_of[image]
            finish = {"roughness": roughness, "metallic": metallic}
            attributes |= {key: exact([value]) for key, value in finish.items() if value is not None}
            add(assets, "material", **attributes)


def materials_of(robot: Robot, shapes: MeshAssets) -> Materials:
    """Return the materials that the shapes of a robot need, and those that it has kept."""
    kept = {one.get("name", ""): one for one in xml_in(robot.extensions, "material")}
    textures = {one.get("name", f"//{n}"): one for n, one in enumerate(xml_in(robot.extensions, "texture"))}
    images: dict[str, str] = {}
    others: list[Finish] = []
    for shape in (one for of_item in shapes.of_item for one in of_item):
        name = data_of(shape.source.extensions).get("material", "")
        if name in kept:
            if shape.image:
                images |= dict.fromkeys(_shown_by(kept[name]), png_path(shape.image))
        elif any(_finish(shape)) and _finish(shape) not in others:
            others.append(_finish(shape))
    wanted = [legal_name(image.rpartition("/")[2].rpartition(".")[0] or "material") for image, _, _ in others]
    names = unique_names(wanted, wanted, "_", {*kept, *textures})
    return Materials(kept, textures, images, dict(zip(others, names, strict=True)))


def _shown_by(material: Element) -> Iterator[str]:
    """Yield the name of the texture that gives a material its colours."""
    named = [one.get("texture", "") for one in material if one.get("role") in ("rgb", "rgba")]
    yield from named or [material.get("texture", "")]


def _finish(shape: ExportShape) -> Finish:
    source = shape.source
    return (shape.image, source.roughness, source.metallic) if isinstance(source, Visual) else ("", None, None)


def png_path(image: str) -> str:
    """Return the path of an image as PNG, the only common format that all versions of MuJoCo read."""
    return f"{image.rpartition('.')[0]}.png"


def as_png(content: bytes) -> bytes:
    """Return an image as PNG."""
    if content.startswith(b"\x89PNG"):
        return content
    written = io.BytesIO()
    with Image.open(io.BytesIO(content)) as image:
        image.convert("RGB").save(written, "PNG")
    return written.getvalue()
