"""Detection of the mesh format of a file by its content."""

import re
import zipfile
from pathlib import Path

from rck.importing.truncation import STL_HEAD, stl_size
from rck.importing.xml_file import opening_tags

ENDINGS = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".3mf", ".dae")

_VERTEX_LINE = re.compile(rb"^v([ \t]+[-+.\deE]+){3,}[ \t\r]*", re.MULTILINE)
_OBJ_WORDS = re.compile(rb"^[ \t]*(mtllib|usemtl|o|g|vn|vt|f)[ \t]+\S", re.MULTILINE)


def mesh_kind(path: Path, head: bytes) -> str | None:
    """Return the format, as a file extension without its dot, from the first bytes; None if it is not a mesh file."""
    if head.startswith(b"glTF"):
        return "glb"
    if head.startswith(b"ply") and head[3:4] in (b"\n", b"\r"):
        return None if is_cloud_ply(head) else "ply"
    if re.match(rb"\s*(#[^\n]*\n\s*)*(ST)?C?N?OFF\b", head):
        return "off"
    if head.startswith(b"PK\x03\x04"):
        return "3mf" if path.suffix.lower() == ".3mf" or _holds_3mf(path) else None
    if is_binary_stl(head, path.stat().st_size) or re.match(rb"\s*solid\b.*?\bfacet\s+normal\b", head, re.DOTALL):
        return "stl"
    if path.suffix.lower() == ".stl" and _may_begin_stl(head, path.stat().st_size):
        return "stl"
    if b"COLLADA" in head and opening_tags(head)[:1] == ["COLLADA"]:
        return "dae"
    if head.lstrip().startswith(b"{") and re.search(rb'"(asset|scenes?|buffers|meshes|accessors)"\s*:', head):
        return "gltf"
    if _VERTEX_LINE.search(head) or (path.suffix.lower() == ".obj" and _OBJ_WORDS.search(head)):
        return "obj"
    return None


def is_cloud_ply(head: bytes) -> bool:
    """Return True if the header of a PLY file declares points and no faces."""
    if not head.startswith(b"ply"):
        return False
    header, ended, _ = head.partition(b"end_header")
    faces = re.search(rb"^element\s+(?:face|tristrips)\s+(\d+)", header, re.MULTILINE)
    return bool(ended) and b"element vertex" in header and (faces is None or int(faces[1]) == 0)


def is_binary_stl(head: bytes, size: int) -> bool:
    """Return True if the triangle count in the header matches the size of the file."""
    return len(head) >= STL_HEAD and size == stl_size(head)


def _may_begin_stl(head: bytes, size: int) -> bool:
    """Return True if the file may be a truncated STL file; at least a thousandth of it must be present."""
    return head.lstrip().startswith(b"solid") or (len(head) >= STL_HEAD and size < stl_size(head) < 1000 * size)


def _holds_3mf(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.lower().endswith(".model") for name in archive.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False
