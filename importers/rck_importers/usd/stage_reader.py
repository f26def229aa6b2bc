"""Reading of USD with its own library, in a child process: the library cannot be cancelled and may crash.

The functions return dictionaries of plain values and arrays; :mod:`rck_importers.usd.stage` gives them types.
"""

import os
import re
from pathlib import Path
from typing import Any

_LONGEST_LIST = 64
"""Longest array of an attribute that is kept without being interpreted."""
_GEOMETRY = frozenset({
    "points", "faceVertexCounts", "faceVertexIndices", "holeIndices", "indices", "primvars:displayColor",
    "primvars:displayColor:indices", "primvars:displayOpacity", "primvars:displayOpacity:indices",
})  # fmt: skip
"""The long arrays that are read, besides those of textures."""
_TEXTURE_TYPES = frozenset({"texCoord2f[]", "texCoord2d[]", "texCoord2h[]", "float2[]", "double2[]", "half2[]"})
_PARSE_ERROR = re.compile(r":(\d+):\d+: parse error")
_IMAGES = frozenset({".png", ".jpg", ".jpeg"})


class Refusal(Exception):
    """A file that is not read; the arguments are code, message, fix and, if it is another file, where."""


def read_stage(_job: object, path: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of a file, or under `refused` the arguments of the refusal.

    `given` has the limits `elements`, `includes`, `bytes` and `triangles`, the folder `home` that must contain all
    files (empty for none), the path `prim` to read only what is below it, and `variants`: the selections by set.
    """
    try:
        return _Reader(path, given).contents()
    except Refusal as refusal:
        return {"refused": list(refusal.args)}


class _Reader:
    """One file with the files that it refers to."""

    def __init__(self, path: str, given: dict[str, Any]) -> None:
        self.path = path
        self.given = given
        self.missing: list[list[str]] = []
        """Files that do not exist, each with the file that refers to it."""
        self.arrays: dict[str, Any] = {}
        self.textures: dict[str, dict[str, Any]] = {}
        self.materials: dict[str, dict[str, Any]] = {}
        self.triangles = 0

    def contents(self) -> dict[str, Any]:
        """Return the whole stage."""
        from pxr import Usd, UsdGeom, UsdPhysics

        self._open(self.path)
        self._check_layers()
        stage = Usd.Stage.Open(self.path)
        self._select_variants(stage)
        self.time = Usd.TimeCode.EarliestTime()
        self.poses = UsdGeom.XformCache(self.time)
        prims = [self._prim(prim) for prim in self._prims(stage)]
        default = stage.GetDefaultPrim()
        return {
            "metres": UsdGeom.GetStageMetersPerUnit(stage),
            "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
            "up": str(UsdGeom.GetStageUpAxis(stage)),
            "default": default.GetName() if default else "",
            "prims": prims,
            "arrays": self.arrays,
            "materials": self.materials,
            "textures": self.textures,
            "missing": self.missing,
        }

    def _prims(self, stage: Any) -> list[Any]:
        from pxr import Usd

        root = stage.GetPseudoRoot()
        wanted = self.given["prim"]
        if wanted:
            root = stage.GetPrimAtPath(wanted) if wanted.startswith("/") else None
            if not root:
                known = ", ".join(str(child.GetPath()) for child in stage.GetPseudoRoot().GetChildren())
                raise Refusal(104, f"there is no prim {wanted!r}", f"name a prim below {known}")
        found = []
        for prim in Usd.PrimRange(root, Usd.TraverseInstanceProxies()):
            if prim.IsPseudoRoot():
                continue
            found.append(prim)
            if len(found) > self.given["elements"]:
                message = f"has more than {self.given['elements']} prims"
                raise Refusal(509, message, "raise the limit with the option most-elements")
        return found

    def _select_variants(self, stage: Any) -> None:
        wanted = dict(self.given["variants"])
        unused = set(wanted)
        known: dict[str, list[str]] = {}
        with_session = stage.GetSessionLayer()
        stage.SetEditTarget(with_session)
        for prim in list(stage.Traverse()):
            sets = prim.GetVariantSets()
            for name in sets.GetNames():
                choices = sorted(sets.GetVariantSet(name).GetVariantNames())
                known.setdefault(name, []).extend(one for one in choices if one not in known.get(name, ()))
                if wanted.get(name) in choices:
                    sets.SetSelection(name, wanted[name])
                    unused.discard(name)
        if unused:
            name = min(unused)
            listed = "; ".join(f"{one}: {', '.join(choices)}" for one, choices in known.items()) or "none"
            raise Refusal(104, f"there is no variant {name}={wanted[name]}", f"use one of the variants ({listed})")

    # Files

    def _open(self, name: str) -> Any:
        """Return a layer; refuse one that is damaged."""
        from pxr import Sdf, Tf

        try:
            layer = Sdf.Layer.FindOrOpen(name)
        except Tf.ErrorException as error:
            found = _PARSE_ERROR.search(str(error))
            where = f"{Path(name).name}:{found[1]}" if found else Path(name).name
            raise Refusal(505, "is not a valid USD file", "download or export it again", where) from error
        if layer is None:
            raise Refusal(505, "is damaged, or is not a USD file", "download or export it again", Path(name).name)
        return layer

    def _check_layers(self) -> None:
        """Refuse layers outside the folder, and too many or too large ones, before any of them is composed."""
        waiting = [self.path]
        seen: set[str] = set()
        size = 0
        while waiting:
            layer = self._open(waiting.pop())
            if layer.identifier in seen:
                continue
            seen.add(layer.identifier)
            if len(seen) > self.given["includes"] + 1:
                message = f"refers to more than {self.given['includes']} files"
                raise Refusal(509, message, "raise the limit with the option most-includes")
            if layer.realPath and Path(layer.realPath).exists():
                size += Path(layer.realPath).stat().st_size
                if size > self.given["bytes"]:
                    message = f"has more than {self.given['bytes'] / 1e6:g} MB, with the files that it refers to"
                    raise Refusal(509, message, "raise the limit with the option most-megabytes")
            for asset in layer.GetCompositionAssetDependencies():
                if asset:
                    waiting += self._checked(asset, layer)

    def _checked(self, asset: str, layer: Any) -> list[str]:
        from pxr import Ar, Sdf

        whole = Sdf.ComputeAssetPathRelativeToLayer(layer, asset)
        resolved = str(Ar.GetResolver().Resolve(whole))
        if not resolved:
            self.missing.append([asset, Path(layer.GetDisplayName()).name])
            return []
        if not self._may_read(resolved):
            message = f"{asset} is outside {Path(self.given['home']).name}"
            raise Refusal(508, message, "allow it with the option allow-outside")
        return [whole]

    def _may_read(self, resolved: str) -> bool:
        """Return True if the file, or the package that it is in, is in the folder."""
        home = self.given["home"]
        package = resolved.partition("[")[0] if resolved.endswith("]") else resolved
        return not home or Path(os.path.realpath(package)).is_relative_to(home)

    # Prims

    def _prim(self, prim: Any) -> dict[str, Any]:
        from pxr import UsdGeom

        imageable = UsdGeom.Imageable(prim)
        made: dict[str, Any] = {
            "path": str(prim.GetPath()),
            "type": str(prim.GetTypeName()),
            # Schemas without a plugin are missing in the list of applied schemas.
            "apis": [str(api) for api in prim.GetPrimTypeInfo().GetAppliedAPISchemas()],
            "display": prim.GetDisplayName(),
            "matrix": [list(row) for row in self.poses.GetLocalToWorldTransform(prim)],
            "purpose": str(imageable.ComputePurpose()) if imageable else "default",
            "visible": not imageable or imageable.ComputeVisibility(self.time) != "invisible",
            "rck": _plain_data(prim.GetCustomDataByKey("rck") or {}),
        }
        source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        made["source"] = str(source.GetPath())
        made["values"], made["types"], made["exact"], made["moving"] = self._attributes(prim, made["source"])
        made["targets"] = {
            str(rel.GetName()): [str(path) for path in rel.GetForwardedTargets()]
            for rel in prim.GetAuthoredRelationships()
        }
        if prim.IsA(UsdGeom.Gprim) or prim.IsA(UsdGeom.Subset):
            made["material"], made["physics_material"] = self._bound(prim)
        if made["type"] == "PhysicsCollisionGroup":
            made["members"] = _members(prim)
        return made

    def _attributes(self, prim: Any, source: str) -> tuple[dict[str, Any], dict[str, str], dict[str, Any], bool]:
        values: dict[str, Any] = {}
        types: dict[str, str] = {}
        exact: dict[str, Any] = {}
        moving = False
        for attribute in prim.GetAuthoredAttributes():
            if not attribute.HasAuthoredValue():
                continue
            name, kind = str(attribute.GetName()), str(attribute.GetTypeName())
            if not self._is_read(prim, name, kind, attribute):
                continue
            value = attribute.Get(self.time)
            moving = moving or attribute.GetNumTimeSamples() > 1
            types[name] = ("custom " if attribute.IsCustom() else "") + (
                f"uniform {kind}" if str(attribute.GetVariability()) == "Sdf.VariabilityUniform" else kind
            )
            values[name] = self._value(value, f"{source}.{name}")
            if name.startswith("primvars:") and attribute.GetMetadata("interpolation"):
                values[f"{name}:interpolation"] = str(attribute.GetMetadata("interpolation"))
            given = attribute.GetCustomDataByKey("rck:exact")
            if given is not None:
                exact[name] = _plain(given)
        if "faceVertexCounts" in values:
            self._count_triangles(prim)
        return values, types, exact, moving

    def _is_read(self, prim: Any, name: str, kind: str, attribute: Any) -> bool:
        if not kind.endswith("[]") or name in _GEOMETRY or (kind in _TEXTURE_TYPES and name.startswith("primvars:")):
            return True
        if name.startswith("primvars:") and name.endswith(":indices"):
            return True
        value = attribute.Get(self.time)
        return value is not None and len(value) <= _LONGEST_LIST

    def _value(self, value: Any, key: str) -> Any:
        plain = _plain(value)
        if hasattr(plain, "shape") and plain.size > _LONGEST_LIST:
            # Instances share the arrays of their prototype.
            self.arrays.setdefault(key, plain)
            return {"array": key}
        return plain

    def _count_triangles(self, prim: Any) -> None:
        counts = prim.GetAttribute("faceVertexCounts").Get(self.time)
        self.triangles += max(sum(counts) - 2 * len(counts), 0)
        if self.triangles > self.given["triangles"]:
            message = f"has more than {self.given['triangles']} triangles"
            raise Refusal(509, message, "raise the limit with the option most-triangles")

    # Materials

    def _bound(self, prim: Any) -> tuple[str, str]:
        from pxr import UsdPhysics, UsdShade

        binding = UsdShade.MaterialBindingAPI(prim)
        material = binding.ComputeBoundMaterial()[0]
        path = ""
        if material:
            path = str(material.GetPath())
            if path not in self.materials:
                self.materials[path] = self._material(material)
        physics = binding.ComputeBoundMaterial("physics")[0]
        has_physics = physics and physics.GetPrim().HasAPI(UsdPhysics.MaterialAPI)
        return path, str(physics.GetPath()) if has_physics else ""

    def _material(self, material: Any) -> dict[str, Any]:
        """Return the look of a material: the inputs of its surface shader, and the images that they come from."""
        prim = material.GetPrim()
        made: dict[str, Any] = {"name": prim.GetDisplayName() or prim.GetName(), "shader": "", "inputs": {}}
        for context in ("", "mdl", "mtlx"):
            shader = material.ComputeSurfaceSource(context)[0]
            if shader:
                made["shader"] = _shader_id(shader)
                for port in shader.GetInputs():
                    made["inputs"][str(port.GetBaseName())] = self._input(port)
                break
        return made

    def _input(self, port: Any) -> dict[str, Any]:
        """Return the value of an input of a shader, or the texture that it is connected to."""
        from pxr import UsdShade

        for attribute in port.GetValueProducingAttributes():
            shader = UsdShade.Shader(attribute.GetPrim())
            if attribute.GetName().startswith("outputs:") and shader:
                return self._texture(shader, str(attribute.GetName()).removeprefix("outputs:"))
            value = attribute.Get(self.time)
            return {"value": self._asset(attribute, value) if hasattr(value, "resolvedPath") else _plain(value)}
        return {}

    def _texture(self, shader: Any, output: str) -> dict[str, Any]:
        made: dict[str, Any] = {"node": _shader_id(shader), "output": output}
        for port in shader.GetInputs():
            name = str(port.GetBaseName())
            for attribute in port.GetValueProducingAttributes():
                source = _shader_of(attribute)
                if str(attribute.GetName()).startswith("outputs:") and source:
                    made[name] = {"node": _shader_id(source), **_constants(source, self.time)}
                else:
                    value = attribute.Get(self.time)
                    made[name] = self._asset(attribute, value) if hasattr(value, "resolvedPath") else _plain(value)
        return made

    def _asset(self, attribute: Any, value: Any) -> dict[str, Any]:
        """Return the name of an image, and keep its content if it may be read."""
        from pxr import Ar

        name = Path(value.path.replace("\\", "/")).name
        resolved = str(value.resolvedPath)
        key = resolved or value.path
        if key not in self.textures:
            image: dict[str, Any] = {"name": name, "problem": "", "content": b""}
            if not resolved:
                image["problem"] = f"{value.path} does not exist"
            elif Path(name).suffix.lower() not in _IMAGES:
                image["problem"] = f"{name} is neither PNG nor JPEG"
            elif not self._may_read(resolved):
                image["problem"] = f"{value.path} is outside the folder of the file"
            else:
                opened = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(resolved))
                if opened is None or opened.GetSize() > self.given["bytes"]:
                    image["problem"] = f"{name} cannot be read, or is too large"
                else:
                    image["content"] = bytes(opened.GetBuffer())
            self.textures[key] = image
        return {"image": key}


def _shader_of(attribute: Any) -> Any:
    """Return the shader that an attribute belongs to."""
    from pxr import UsdShade

    return UsdShade.Shader(attribute.GetPrim())


def _constants(shader: Any, time: Any) -> dict[str, Any]:
    found = {}
    for port in shader.GetInputs():
        attributes = port.GetValueProducingAttributes()
        value = attributes[0].Get(time) if attributes else None
        if not hasattr(value, "resolvedPath"):
            found[str(port.GetBaseName())] = _plain(value)
    return found


def _shader_id(shader: Any) -> str:
    """Return the identifier of a shader: that of the registry, or the name of its MDL function."""
    identifier = shader.GetIdAttr().Get()
    if identifier:
        return str(identifier)
    return str(shader.GetSourceAssetSubIdentifier("mdl") or shader.GetPrim().GetName())


def _members(prim: Any) -> list[str]:
    from pxr import Usd, UsdPhysics

    query = UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI().ComputeMembershipQuery()
    paths = Usd.CollectionAPI.ComputeIncludedPaths(query, prim.GetStage(), Usd.TraverseInstanceProxies())
    return sorted(str(path) for path in paths)


def _plain_data(data: Any) -> dict[str, Any]:
    return {str(name): _plain_data(value) if isinstance(value, dict) else _plain(value) for name, value in data.items()}


def _plain(value: Any) -> Any:
    """Return a value of the library as None, a number, a text, a list or an array."""
    import numpy as np

    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "resolvedPath"):
        return f"@{value.path}@"
    kind = type(value).__name__
    if kind.startswith("Quat") and not kind.endswith("Array"):
        return [float(value.GetReal()), *map(float, value.GetImaginary())]
    if kind.startswith("Matrix") and not kind.endswith("Array"):
        return [[float(number) for number in row] for row in value]
    if kind.startswith(("Vec", "Range")) and not kind.endswith("Array"):
        return [float(number) for number in value] if kind.startswith("Vec") else str(value)
    if kind.endswith("Array"):
        if kind.startswith(("Quat", "Matrix")):
            return [_plain(one) for one in value]
        array = np.array(value)
        return array if array.dtype.kind in "biuf" else [str(one) for one in value]
    return str(value)
