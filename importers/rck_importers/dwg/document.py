"""DWG files as documents of ezdxf, so that they are imported like DXF drawings."""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rck.hooks import Job
from rck.importing.file_errors import refused
from rck.importing.import_options import ImportLimits
from rck.importing.work_budget import memory_limit, raise_limit, time_limit
from rck.model import Finding, Severity
from rck.support.worker import WorkerError, run_in_child
from rck_importers.dwg.decoding import decode_dwg
from rck_importers.dxf.document import Opened
from rck_importers.dxf.names import readable

if TYPE_CHECKING:
    from ezdxf.document import Drawing

_MODEL = 2
"""Space of the entities of the model; 1 is that of the paper, and 0 that of the owner."""
_SPLINE_FRAME = 16
"""Flag of the vertices of a smooth polyline that are its control points."""
_PARTS_OF_OTHERS = frozenset({"ATTDEF", "ATTRIB", "BLOCK", "ENDBLK", "SEQEND", "VIEWPORT"})
"""Types that are not reported: they have no geometry of their own."""

Data = Mapping[str, Any]


def open_dwg(limits: ImportLimits, path: Path, largest: float, partly: bool, job: Job) -> Opened:
    """Open the drawing in a DWG file of at most `largest` bytes; raise an error if it cannot be read."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise refused(path.name, f"cannot be read: {error.strerror}") from error
    if size > largest:
        message = f"{size / 1e6:.4g} MB exceed the limit of {largest / 1e6:.4g} MB"
        raise refused(path.name, message, code=509, fix="raise the option most-megabytes if you trust the file")
    if find_spec("ezdwg") is None:
        raise refused(
            path.name,
            "this is a DWG drawing, and ezdwg is not installed",
            code=510,
            fix="pip install 'rck[dwg]', or save the drawing as DXF",
        )
    try:
        content = run_in_child(
            decode_dwg, str(path), library="ezdwg", subject=path.name, job=job.part(0.0, 0.3, "decoding"),
            time_limit=time_limit(limits, size), memory_limit=memory_limit(limits, size),
        )  # fmt: skip
    except WorkerError as error:
        fix = raise_limit(error.reason) or "open it in a CAD program with RECOVER and save it as DXF"
        raise refused(path.name, f"this DWG drawing cannot be read: {error}", fix=fix) from error
    return _Converter(path.name, content).opened()


class _Converter:
    """Builder of a document from what ezdwg has decoded."""

    def __init__(self, where: str, content: Data) -> None:
        import ezdxf

        self.where = where
        self.content = content
        self.document: Drawing = ezdxf.new("R2018", units=int(content["insunits"] or 0))
        # The default of a new document is no statement of the file.
        self.document.header.hdrvars.pop("$MEASUREMENT", None)
        self.layers = {int(layer["handle"]): str(layer["name"]) for layer in content["layers"]}
        self.blocks = {int(handle): str(name) for handle, name in content["blocks"]}
        self.attributes: dict[int, list[Data]] = {}
        self.failed: dict[str, int] = {}
        self.ignored: dict[str, int] = {}

    def opened(self) -> Opened:
        """Return the document, with a finding about everything that was dropped."""
        self._add_layers()
        layouts = self._layouts()
        for kind, _, _, owner, data in self.content["entities"]:
            if kind == "ATTRIB":
                self.attributes.setdefault(int(owner), []).append(data)
        for kind, handle, mode, owner, data in self.content["entities"]:
            layout = layouts.get(int(owner)) if mode == 0 else layouts[0] if mode == _MODEL else None
            if layout is not None:
                self._add(layout, str(kind), int(handle), data)
        return Opened(self.document, {}, tuple(self._findings()))

    def _findings(self) -> list[Finding]:
        findings = []
        for counts, why in ((self.content["missing"], "not read by ezdwg"), (self.failed, "damaged")):
            if counts:
                message = f"dropped, because {why}: {_listed(counts)}"
                fix = "save the drawing as DXF if they are needed"
                findings.append(Finding(503, Severity.WARNING, self.where, message, fix))
        if self.ignored:
            findings.append(Finding(503, Severity.NOTE, self.where, f"ignored: {_listed(self.ignored)}"))
        return findings

    def _add_layers(self) -> None:
        for data in self.content["layers"]:
            name = str(data["name"])
            layer = self.document.layers.get(name) if self.document.layers.has_entry(name) else None
            layer = layer or self.document.layers.add(name)
            layer.color = int(data["color"] or 7)
            if data["true_color"] is not None:
                layer.dxf.true_color = int(data["true_color"])
            if data["linetype"]:
                layer.dxf.linetype = str(data["linetype"])
            if data["on"] is False:
                layer.off()
            if data["frozen"]:
                layer.freeze()

    def _layouts(self) -> dict[int, Any]:
        """Return the model space, 0, and the blocks by handle."""
        space = self.document.modelspace()
        layouts: dict[int, Any] = {0: space}
        made: dict[str, Any] = {}
        for handle, name in self.blocks.items():
            lower = name.lower()
            if lower.startswith("*paper_space"):
                continue
            if lower.startswith("*model_space"):
                layouts[handle] = space
                continue
            if lower not in made:
                base = self.content["bases"].get(name, (0.0, 0.0, 0.0))
                made[lower] = self.document.blocks.new(name, base_point=tuple(base))
            layouts[handle] = made[lower]
        return layouts

    def _add(self, layout: Any, kind: str, handle: int, data: Data) -> None:
        add = _ADDERS.get(kind)
        look = self._look(data)
        try:
            if kind in ("3DSOLID", "BODY", "REGION"):
                self._add_acis(layout, kind, handle, look)
            elif kind in ("INSERT", "MINSERT"):
                self._add_insert(layout, handle, data, look)
            elif add is not None:
                add(layout, data, look)
            elif kind not in _PARTS_OF_OTHERS:
                self.ignored[kind] = self.ignored.get(kind, 0) + 1
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            self.failed[kind] = self.failed.get(kind, 0) + 1

    def _look(self, data: Data) -> dict[str, Any]:
        look: dict[str, Any] = {"layer": self.layers.get(int(data.get("layer_handle") or 0), "0")}
        if data.get("color_index") is not None:
            look["color"] = int(data["color_index"])
        if data.get("true_color") is not None:
            look["true_color"] = int(data["true_color"])
        if data.get("invisible"):
            look["invisible"] = 1
        if data.get("linetype"):
            look["linetype"] = str(data["linetype"])
        if data.get("thickness"):
            look["thickness"] = float(data["thickness"])
        if data.get("extrusion"):
            look["extrusion"] = tuple(data["extrusion"])
        return look

    def _add_acis(self, layout: Any, kind: str, handle: int, look: dict[str, Any]) -> None:
        entity = layout.new_entity(kind, _plain(look))
        data = self.content["acis"].get(str(handle), b"")
        if data[:4] in (b"ACIS", b"ASM "):
            entity.sab = bytes(data)
        elif data:
            entity.sat = bytes(data).decode("cp1252", "replace").splitlines()

    def _add_insert(self, layout: Any, handle: int, data: Data, look: dict[str, Any]) -> None:
        names = ("xscale", "yscale", "zscale", "rotation", "row_count", "column_count", "row_spacing", "column_spacing")
        values = {name: data[name] for name in names if data.get(name) is not None}
        look.pop("thickness", None)
        insert = layout.add_blockref(str(data.get("name") or ""), tuple(data["insert"]), dxfattribs={**look, **values})
        for attribute in self.attributes.get(handle, ()):
            tag, text = str(attribute.get("tag") or ""), str(attribute.get("text") or "")
            insert.add_attrib(tag, text, tuple(attribute.get("insert") or (0, 0, 0)))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {readable(kind)}" for kind, count in sorted(counts.items()))


def _plain(look: dict[str, Any]) -> dict[str, Any]:
    """Return attributes for types without thickness and object coordinates."""
    return {name: value for name, value in look.items() if name not in ("thickness", "extrusion")}


def _line(layout: Any, data: Data, look: dict[str, Any]) -> None:
    layout.add_line(tuple(data["start"]), tuple(data["end"]), dxfattribs=look)


def _arc(layout: Any, data: Data, look: dict[str, Any]) -> None:
    layout.add_arc(tuple(data["center"]), data["radius"], data["start_angle"], data["end_angle"], dxfattribs=look)


def _circle(layout: Any, data: Data, look: dict[str, Any]) -> None:
    layout.add_circle(tuple(data["center"]), data["radius"], dxfattribs=look)


def _ellipse(layout: Any, data: Data, look: dict[str, Any]) -> None:
    look.pop("thickness", None)
    layout.add_ellipse(
        tuple(data["center"]),
        major_axis=tuple(data["major_axis"]),
        ratio=data["axis_ratio"],
        start_param=data["start_angle"],
        end_param=data["end_angle"],
        dxfattribs=look,
    )


def _point(layout: Any, data: Data, look: dict[str, Any]) -> None:
    layout.add_point(tuple(data["location"]), dxfattribs=look)


def _spline(layout: Any, data: Data, look: dict[str, Any]) -> None:
    spline = layout.add_spline(dxfattribs=_plain(look))
    spline.dxf.degree = int(data["degree"])
    if data["control_points"]:
        spline.control_points = [tuple(point) for point in data["control_points"]]
        spline.knots = data["knots"]
        if data["weights"]:
            spline.weights = data["weights"]
    else:
        spline.fit_points = [tuple(point) for point in data["fit_points"]]
    spline.closed = bool(data["closed"])


def _lwpolyline(layout: Any, data: Data, look: dict[str, Any]) -> None:
    rows = [(x, y, bulge) for (x, y, _), bulge in zip(data["points"], data["bulges"], strict=True)]
    entity = layout.add_lwpolyline(rows, format="xyb", close=bool(data["closed"]), dxfattribs=look)
    entity.dxf.elevation = float(data.get("elevation") or 0.0)


def _polyline_2d(layout: Any, data: Data, look: dict[str, Any]) -> None:
    flags = data.get("vertex_flags") or [0] * len(data["points"])
    rows = [
        (point[0], point[1], bulge)
        for point, bulge, flag in zip(data["points"], data["bulges"], flags, strict=True)
        if not int(flag) & _SPLINE_FRAME
    ]
    entity = layout.add_lwpolyline(rows, format="xyb", close=bool(data["closed"]), dxfattribs=look)
    entity.dxf.elevation = float(data.get("elevation") or (data["points"][0][2] if data["points"] else 0.0))


def _polyline_3d(layout: Any, data: Data, look: dict[str, Any]) -> None:
    layout.add_polyline3d(
        [tuple(point) for point in data["points"]], close=bool(data["closed"]), dxfattribs=_plain(look)
    )


def _polymesh(layout: Any, data: Data, look: dict[str, Any]) -> None:
    rows, columns = int(data["m_vertex_count"]), int(data["n_vertex_count"])
    points = [tuple(point) for point in data["points"]]
    if rows * columns != len(points) or rows < 2 or columns < 2:
        raise ValueError("the number of points differs from that of the grid")
    flags = int(data.get("flags") or 0)
    faces = []
    for i in range(rows if flags & 1 else rows - 1):
        for j in range(columns if flags & 32 else columns - 1):
            k, m = (i + 1) % rows, (j + 1) % columns
            faces.append([i * columns + j, k * columns + j, k * columns + m, i * columns + m])
    _mesh(layout, points, faces, look)


def _polyface(layout: Any, data: Data, look: dict[str, Any]) -> None:
    points = [tuple(point) for point in data["vertices"]]
    faces = [[abs(int(number)) - 1 for number in face if int(number)] for face in data["faces"]]
    _mesh(layout, points, [face for face in faces if len(face) > 2], look)


def _mesh(layout: Any, points: Sequence[Any], faces: Sequence[Sequence[int]], look: dict[str, Any]) -> None:
    mesh = layout.add_mesh(dxfattribs=_plain(look))
    with mesh.edit_data() as content:
        content.vertices, content.faces = list(points), list(faces)


def _face(layout: Any, data: Data, look: dict[str, Any]) -> None:
    layout.add_3dface([tuple(point) for point in data["points"]], dxfattribs=_plain(look))


def _solid(layout: Any, data: Data, look: dict[str, Any]) -> None:
    layout.add_solid([tuple(point) for point in data["points"]], dxfattribs=look)


def _text(layout: Any, data: Data, look: dict[str, Any]) -> None:
    values = {"insert": tuple(data["insert"]), "height": float(data.get("height") or 1.0)}
    layout.add_text(str(data.get("text") or ""), dxfattribs={**_plain(look), **values})


_ADDERS: dict[str, Callable[[Any, Data, dict[str, Any]], None]] = {
    "3DFACE": _face,
    "ARC": _arc,
    "CIRCLE": _circle,
    "ELLIPSE": _ellipse,
    "LINE": _line,
    "LWPOLYLINE": _lwpolyline,
    "POINT": _point,
    "POLYLINE_2D": _polyline_2d,
    "POLYLINE_3D": _polyline_3d,
    "POLYLINE_MESH": _polymesh,
    "POLYLINE_PFACE": _polyface,
    "SOLID": _solid,
    "SPLINE": _spline,
    "TEXT": _text,
    "TRACE": _solid,
}
