"""Materials: preview surfaces with textures, and the friction of surfaces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from rck.exporting import ExportShape, MeshAssets, legal_names
from rck.model import Robot, Subitem, Texture, Visual
from rck.model.colours import to_linear
from rck_plugins.exporters.usd.prims import Prim, rel, single, vectors

LOOKS = "Looks"
"""The scope with the materials."""


@dataclass(frozen=True, eq=False)
class Looks:
    """The materials of a robot, and the images that they use."""

    scope: Prim
    path: str
    """The path of the scope."""
    of_shape: Mapping[str, str]
    """The name of the material of each shape that has one."""
    of_friction: Mapping[float, str]
    """The name of the physics material of each coefficient of friction."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Image files, by path relative to the main file."""

    def bindings(self, shape: ExportShape, of_item: float | None) -> tuple[list[str], list[str]]:
        """Return the schemas and properties that bind a shape to its materials."""
        bound = []
        if shape.name in self.of_shape:
            bound.append(rel("material:binding", [f"{self.path}/{self.of_shape[shape.name]}"]))
        friction = friction_of(shape, of_item)
        if shape.solid and friction is not None:
            bound.append(rel("material:binding:physics", [f"{self.path}/{self.of_friction[friction]}"]))
        return (["MaterialBindingAPI"] if bound else []), bound


def looks_of(robot: Robot, shapes: MeshAssets, path: str, folder: str) -> Looks:
    """Return the materials of a robot, in a scope at a path; images go to a folder next to the main file."""
    kinds: dict[tuple[object, ...], list[ExportShape]] = {}
    for shape in (shape for of_item in shapes.of_item for shape in of_item):
        if isinstance(shape.source, Visual) and _has_look(shape.source):
            kinds.setdefault(_key(shape.source), []).append(shape)
    firsts = [same[0] for same in kinds.values()]
    images = _images([image for shape in firsts if (image := image_of(shape)) is not None], folder)
    found = {
        friction_of(shape, item.friction)
        for item, of_item in zip(robot.items, shapes.of_item, strict=True)
        for shape in of_item
        if shape.solid
    }
    frictions = sorted(friction for friction in found if friction is not None)
    wanted = [_title(shape) for shape in firsts]
    names = legal_names([*wanted, *(f"friction-{value:g}" for value in frictions)], identifiers=True)
    scope = Prim("Scope", LOOKS)
    of_shape: dict[str, str] = {}
    for name, same in zip(names, kinds.values(), strict=False):
        scope.children.append(_material(name, same[0], f"{path}/{name}", images))
        of_shape |= dict.fromkeys((shape.name for shape in same), name)
    of_friction = dict(zip(frictions, names[len(kinds) :], strict=True))
    scope.children += [_rough_material(name, value) for value, name in of_friction.items()]
    return Looks(scope, path, of_shape, of_friction, {file: content for content, file in images.items()})


def image_of(shape: ExportShape) -> Texture | None:
    """Return the image on a shape; None if it has none, or no points that map it."""
    visual = shape.source
    return visual.texture if isinstance(visual, Visual) and visual.texture_points is not None else None


def friction_of(shape: ExportShape, of_item: float | None) -> float | None:
    """Return the coefficient of friction of a shape; None if unknown."""
    own = shape.source.friction if isinstance(shape.source, Subitem) else None
    return of_item if own is None else own


def _has_look(visual: Visual) -> bool:
    """Return True unless the display colour says it all."""
    return bool(visual.material or visual.texture) or (visual.roughness, visual.metallic) != (None, None)


def _key(visual: Visual) -> tuple[object, ...]:
    image = None if visual.texture is None or visual.texture_points is None else visual.texture.content
    return visual.material, visual.colour, visual.roughness, visual.metallic, image


def _title(shape: ExportShape) -> str:
    return (shape.source.material if isinstance(shape.source, Visual) else "") or f"{shape.name}-look"


def _images(textures: Sequence[Texture], folder: str) -> dict[bytes, str]:
    """Return the path of each image; equal images are written once."""
    first = {texture.content: PurePath(texture.name) for texture in textures}
    stems = legal_names([name.stem for name in first.values()], any_case=True)
    return {
        content: f"{folder}/{stem}{name.suffix.lower()}"
        for stem, (content, name) in zip(stems, first.items(), strict=True)
    }


def _material(name: str, shape: ExportShape, path: str, images: Mapping[bytes, str]) -> Prim:
    """Return a material with a preview surface."""
    visual, image = shape.source, image_of(shape)
    assert isinstance(visual, Visual)
    made = Prim("Material", name, title=visual.material)
    made.properties.append(f"token outputs:surface.connect = <{path}/surface.outputs:surface>")
    *colour, opacity = to_linear(shape.colour)
    surface = Prim("Shader", "surface", properties=['uniform token info:id = "UsdPreviewSurface"'])
    if image is not None:
        surface.properties.append(f"color3f inputs:diffuseColor.connect = <{path}/image.outputs:rgb>")
        made.children = [surface, *_textured(path, images[image.content], colour)]
    else:
        surface.properties.append(single("color3f", "inputs:diffuseColor", colour))
        made.children = [surface]
    surface.properties.append(single("float", "inputs:opacity", opacity))
    # The defaults of the schema are not the values of a surface whose finish is unknown.
    for finish, value in (("roughness", visual.roughness), ("metallic", visual.metallic)):
        if value is not None:
            surface.properties.append(single("float", f"inputs:{finish}", value))
    surface.properties.append("token outputs:surface")
    return made


def _textured(path: str, file: str, colour: Sequence[float]) -> list[Prim]:
    """Return the nodes that look up an image, multiplied by a colour."""
    image = Prim("Shader", "image", properties=[
        'uniform token info:id = "UsdUVTexture"',
        f"asset inputs:file = @./{file}@",
        single("float4", "inputs:scale", [*colour, 1.0]),
        'token inputs:sourceColorSpace = "sRGB"',
        f"float2 inputs:st.connect = <{path}/points.outputs:result>",
        'token inputs:wrapS = "repeat"',
        'token inputs:wrapT = "repeat"',
        "float3 outputs:rgb",
    ])  # fmt: skip
    points = Prim("Shader", "points", properties=[
        'uniform token info:id = "UsdPrimvarReader_float2"',
        'string inputs:varname = "st"',
        "float2 outputs:result",
    ])  # fmt: skip
    return [image, points]


def texture_points(visual: Visual) -> list[str]:
    """Return the property that maps the corners of a mesh to its image."""
    assert visual.texture_points is not None
    return [f'texCoord2f[] primvars:st = {vectors(visual.texture_points)} ( interpolation = "faceVarying" )']


def _rough_material(name: str, friction: float) -> Prim:
    made = Prim("Material", name, ["PhysicsMaterialAPI"])
    made.properties = [single("float", f"physics:{kind}Friction", friction) for kind in ("dynamic", "static")]
    return made
