"""Materials and textures of MJCF: their images and finish for visuals, and all of them for exports to MJCF."""

from rck.importing.robot_reader import colour_of
from rck.importing.xml_file import Element
from rck.model import Colour, Texture
from rck_importers.mjcf.extension_data import rest, xml_of
from rck_importers.mjcf.source import Source


def material_of(element: Element, source: Source) -> Element | None:
    """Return the material of an element with the attributes of its class."""
    material = source.assets.get(("material", element.get("material")))
    return None if material is None else source.full(material, "")


def colour_of_material(element: Element, source: Source) -> Colour | None:
    """Return the colour of the material of an element."""
    material = material_of(element, source)
    return None if material is None else colour_of(material.numbers("rgba", 4, (1, 1, 1, 1)))


def image_of(material: Element, source: Source) -> tuple[Texture | None, bool]:
    """Return the image of a material, and whether the texture points of a mesh apply to it."""
    texture = _texture_of(material, source)
    if texture is None or not texture.get("file"):
        return None, False
    return source.image(texture), texture.get("type", "cube") == "2d"


def finish_of(material: Element, name: str) -> float | None:
    """Return the roughness or metalness of a material; MuJoCo takes negative values as unknown."""
    value = material.number(name, -1.0)
    return value if 0.0 <= value <= 1.0 else None


def kept_assets(source: Source) -> tuple[str, str]:
    """Return the materials and textures of a model as XML. The image of a file belongs to the visuals that show it."""
    materials, textures = [], []
    for (tag, name), asset in source.assets.items():
        full = source.full(asset, "")
        if tag == "material":
            materials.append(_named(full, name, source))
        elif tag == "texture" and _is_kept(full, name, source):
            textures.append(_named(full, name, source))
    return "".join(materials), "".join(textures)


def _named(element: Element, name: str, source: Source) -> str:
    """Return the XML of an element with the prefix of its model."""
    prefixed = {"name": f"{source.prefix}{name}"} if name else {}
    if element.get("texture"):
        prefixed["texture"] = f"{source.prefix}{element.get('texture')}"
    for child in element:
        child.attributes = {**child.attributes, "texture": f"{source.prefix}{child.get('texture')}"}
    return xml_of(element, rest(element, ()) | prefixed)


def _is_kept(texture: Element, name: str, source: Source) -> bool:
    if any(attribute.startswith("file") and attribute != "file" for attribute in texture.attributes):
        source.reading.report.left_out("a texture of several files", texture.where)
        return False
    if texture.get("file") and source.images.get(texture.where) is None:
        source.reading.report.left_out("an image that no shape of a body shows", texture.where)
        return False
    return True


def _texture_of(material: Element, source: Source) -> Element | None:
    name = material.get("texture")
    for layer in material.all("layer"):
        if layer.get("role") in ("rgb", "rgba"):
            name = layer.get("texture")
    texture = source.assets.get(("texture", name)) if name else None
    return None if texture is None else source.full(texture, "")
