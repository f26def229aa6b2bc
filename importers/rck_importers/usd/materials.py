"""Looks of materials: preview surfaces, OmniPBR, and MaterialX surfaces."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rck.importing.import_report import Report
from rck.importing.robot_reader import colour_of
from rck.model import Colour, Texture
from rck.model.colours import from_linear
from rck_importers.usd.stage import Prim, Stage

_PREVIEW = {"colour": "diffuseColor", "opacity": "opacity", "roughness": "roughness", "metallic": "metallic"}
_OMNIVERSE = {
    "colour": "diffuse_color_constant",
    "texture": "diffuse_texture",
    "opacity": "opacity_constant",
    "roughness": "reflection_roughness_constant",
    "metallic": "metallic_constant",
}
_STANDARD = {"colour": "base_color", "opacity": "opacity", "roughness": "specular_roughness", "metallic": "metalness"}
_INPUTS: Mapping[str, Mapping[str, str]] = {
    "UsdPreviewSurface": _PREVIEW,
    "ND_UsdPreviewSurface_surfaceshader": _PREVIEW,
    "OmniPBR": _OMNIVERSE,
    "OmniPBR_ClearCoat": _OMNIVERSE,
    "OmniPBR_Opacity": _OMNIVERSE,
    "OmniGlass": {"colour": "glass_color", "roughness": "frosting_roughness"},
    "ND_standard_surface_surfaceshader": _STANDARD,
    "ND_open_pbr_surface_surfaceshader": {**_STANDARD, "metallic": "base_metalness"},
}
"""By shader: the names of its inputs."""
_DEFAULTS = {
    "UsdPreviewSurface": 0.18,
    "ND_UsdPreviewSurface_surfaceshader": 0.18,
    "OmniPBR": 0.2,
    "ND_standard_surface_surfaceshader": 0.8,
}
"""The diffuse colour of shaders without one, in linear light."""
_TEXTURE_NODES = frozenset({"UsdUVTexture", "ND_image_color3", "ND_UsdUVTexture"})


@dataclass(frozen=True, slots=True)
class Look:
    """The appearance of a surface."""

    colour: Colour | None = None
    roughness: float | None = None
    metallic: float | None = None
    texture: Texture | None = None
    coordinates: str = "st"
    """The name of the texture coordinates."""
    name: str = ""


def look_of(path: str, shape: Prim, stage: Stage, report: Report) -> Look:
    """Return the look of a material that is bound to a shape."""
    material = stage.materials.get(path)
    if material is None:
        return Look()
    shader, inputs = material["shader"], material["inputs"]
    names = _INPUTS.get(shader)
    if names is None:
        report.left_out(f"surface shader {shader or 'missing'}", shape.where)
        return Look(name=material["name"])
    texture, coordinates = None, "st"
    plain = _DEFAULTS.get(shader, 1.0)
    tint = [plain] * 3
    diffuse = inputs.get(names["colour"], {})
    image = inputs.get(names.get("texture", ""), {}).get("value")
    if diffuse.get("node") in _TEXTURE_NODES:
        image = diffuse.get("file")
        tint = list(diffuse.get("scale") or (1.0, 1.0, 1.0))[:3]
        coordinates = _coordinates(diffuse, shape, report)
        if any(diffuse.get("bias") or ()):
            report.left_out("bias of a texture", shape.where)
    elif "node" in diffuse:
        report.left_out(f"{diffuse['node']} node of a material", shape.where)
    elif _is_colour(diffuse.get("value")):
        tint = list(diffuse["value"])
    if isinstance(image, dict):
        texture = _texture(image["image"], shape, stage, report)
        tint = [1.0] * 3 if texture is not None and "node" not in diffuse and "value" not in diffuse else tint
    for name, given in inputs.items():
        if "image" in (given.get("file") or {}) and name != names["colour"]:
            report.left_out(f"texture of the {name} of a material", shape.where)
    colour = from_linear(colour_of(np.array([*tint, _number(inputs, names.get("opacity"), 1.0)])))
    return Look(
        colour,
        _number(inputs, names.get("roughness"), None),
        _number(inputs, names.get("metallic"), None),
        texture,
        coordinates,
        material["name"],
    )


def _is_colour(value: Any) -> bool:
    return isinstance(value, list) and len(value) >= 3 and bool(np.isfinite(value).all())


def _number(inputs: Mapping[str, Any], name: str | None, default: Any) -> Any:
    value = inputs.get(name or "", {}).get("value")
    value = value[0] if isinstance(value, list) and value else value
    return float(np.clip(value, 0.0, 1.0)) if isinstance(value, (int, float)) and np.isfinite(value) else default


def _coordinates(node: Mapping[str, Any], shape: Prim, report: Report) -> str:
    source = node.get("st") or node.get("texcoord") or {}
    if isinstance(source, dict):
        if source.get("node") == "UsdTransform2d":
            report.left_out("transform of texture coordinates", shape.where)
        name = source.get("varname")
        return name if isinstance(name, str) and name else "st"
    return "st"


def _texture(key: str, shape: Prim, stage: Stage, report: Report) -> Texture | None:
    image = stage.images[key]
    if image.problem:
        report.warn(508, shape.where, f"{image.problem}; the texture was ignored", kind=f"texture {key}")
    return stage.texture(key)
