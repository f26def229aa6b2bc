"""Closed regions of a flat drawing and their roles: plate, hole, counterbore, sheet border, view, title block."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.geometry.contour import ring_area
from rck_importers.dxf.arrangement import Boundary, Component, components_of, opened
from rck_importers.dxf.openings import Opening, circle_of, is_rectangle, opening_of, slot_of
from rck_importers.dxf.outlines import Outlines, drawn_loops
from rck_importers.dxf.pictorial_views import is_isometric
from rck_importers.dxf.planes import DrawnPath

PART, HOLE, COUNTERBORE, POCKET = "plate", "hole", "counterbore", "pocket"
SHEET, VIEW, TITLE_BLOCK, SCRAP, IGNORED = "sheet border", "view", "title block", "cut away", "ignored"
GROUP = "group"
"""Role of an outline that other lines divide into several regions."""
STATED = "the import recipe states it"

_OPENING_WIDTH = 5e-6
"""Width in metres to which a boundary is opened where it touches itself."""
_CONCENTRIC = 0.02
"""Maximum distance of the centres of a hole and its counterbore, relative to the hole."""
_LARGEST_COUNTERBORE = 0.65
"""Maximum size of a counterbore relative to the width of its plate."""
_LARGEST_POCKET_HOLE = 0.2
"""Maximum diameter of the holes of a pocket relative to its width."""
_CUTTER_SHARE = 0.5
"""Maximum area of a loop that cuts another outline, relative to that outline."""
_PAPER_SIZES = ((1189, 841), (841, 594), (594, 420), (420, 297), (297, 210), (210, 148), (279.4, 215.9), (431.8, 279.4))
"""Sides of sheets of paper in millimetres: A0 to A5, letter and tabloid."""
_SHEET_LAYERS = re.compile(r"(BORDER|FRAME|PAPER|RAHMEN|SHEET|STOCK|BLATT|CADRE|MARCO)", re.IGNORECASE)
_LEAST_OF_SHEET = 0.6
"""Minimum size of the field of a sheet without its title block, and of a border in another, relative to the outer."""
_LEAST_FILLED = 0.3
"""Minimum share of a sheet that its parts fill if they could be pockets as well."""
_FEWEST_CELLS = 4
_LEAST_OF_CELLS = 0.6
"""Minimum share of the fields of a title block that are rectangles."""
_ALIGNED = 0.004
"""Maximum difference between the extents of two views, relative to the larger one."""


@dataclass(eq=False)
class Region:
    """A closed region in the coordinates of its plane."""

    points: Floats
    """Ring, shape (N, 2)."""
    coarse: Bools
    sources: list[DrawnPath]
    """Curves of the ring in drawing order."""
    role: str
    why: str = ""
    """Reason for a role that is not obvious; empty otherwise."""
    children: list["Region"] = field(default_factory=list)
    name: str = ""
    """Unique in the drawing; independent of the roles of all regions."""
    is_countersink: bool = False
    """True if the drawing says that a step is conical."""
    hidden_step: float = 0.0
    """Diameter of a step on the other side of a hole, drawn as a hidden circle; 0 without one."""

    @cached_property
    def opening(self) -> Opening:
        """Shape of a hole with this ring."""
        return opening_of(self.points, self.coarse)

    @property
    def area(self) -> float:
        """Area inside the ring in m2."""
        return abs(ring_area(self.points))

    @property
    def size(self) -> Floats:
        """Width and height. Shape (2,)."""
        return np.asarray(np.ptp(self.points, axis=0))

    def descendants(self) -> Iterable["Region"]:
        """Yield the region and all regions inside it."""
        yield self
        for child in self.children:
            yield from child.descendants()


@dataclass(eq=False)
class _Node:
    """A component of the arrangement in the tree of nested components."""

    component: Component
    inside: list[list["_Node"]]
    """Components nested directly in each face."""

    @property
    def children(self) -> list["_Node"]:
        return [child for nodes in self.inside for child in nodes]

    @property
    def is_leaf(self) -> bool:
        return len(self.component.faces) == 1 and not self.inside[0]

    @property
    def centre(self) -> Floats:
        return np.asarray((self.component.outer.low + self.component.outer.high) / 2)

    @property
    def size(self) -> Floats:
        return self.component.outer.size

    def is_round(self) -> bool:
        outer = self.component.outer
        return circle_of(outer.points, outer.coarse) is not None


@dataclass(frozen=True, eq=False)
class Roles:
    """Names of the boundaries of a drawing, and the roles that the user states for some of them."""

    names: Mapping[int, str]
    """Name by the id of a boundary; the two boundaries of a component with one face have the same name."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """Role by name pattern."""

    def stated_for(self, ring: Boundary) -> str:
        """Return the role that the user states for a boundary; empty if there is none."""
        name = self.names[id(ring)]
        if name in self.stated:
            return self.stated[name]
        return next((role for pattern, role in self.stated.items() if fnmatchcase(name, pattern)), "")


def named_roles(planes: Iterable[Outlines], stated: Mapping[str, str]) -> Roles:
    """Return the names of all boundaries of a drawing: `region2`, and `region2-1` for a face of several.

    The names depend on the order in which the curves are drawn, but not on the roles.
    """
    components = []
    for outlines in planes:
        for component in outlines.components:
            order = min((path.order for path in outlines.sources_of(component.outer)), default=0)
            components.append((order, outlines, component))
    names: dict[int, str] = {}
    for number, (_, outlines, component) in enumerate(sorted(components, key=lambda one: one[0]), 1):
        names[id(component.outer)] = f"region{number}"
        if len(component.faces) == 1:
            names[id(component.faces[0])] = f"region{number}"
            continue
        first = [min((path.order for path in outlines.sources_of(face)), default=0) for face in component.faces]
        for place, index in enumerate(np.argsort(first, kind="stable").tolist(), 1):
            names[id(component.faces[index])] = f"region{number}-{place}"
    return Roles(names, stated)


def regions_of(
    outlines: Outlines, labels: Floats, gap: float, roles: Roles, *, recognise: bool, has_annotations: bool
) -> list[Region]:
    """Return the outermost regions with those nested in them.

    `labels` are the positions of texts, shape (N, 2). Without `recognise`, no region is a sheet border, view, title
    block, counterbore or pocket, unless the user states it. Views are recognised if the drawing has annotations:
    dimensions or hidden lines.
    """
    classifier = _Classifier(outlines, labels, gap, roles, recognise, has_annotations, drawn_loops(outlines, gap))
    return classifier.roots(_nested(outlines.components))


def _nested(components: Sequence[Component]) -> list[_Node]:
    """Return the outermost components of the tree of nested ones."""
    if not components:
        return []
    nodes = [_Node(component, [[] for _ in component.faces]) for component in components]
    samples = np.array([component.outer.points[0] for component in components])
    areas = np.array([component.area for component in components])
    best = np.full(len(nodes), np.inf)
    parent: list[list[_Node] | None] = [None] * len(nodes)
    for number, node in enumerate(nodes):
        for face, boundary in enumerate(node.component.faces):
            maybe = np.flatnonzero((areas < boundary.area) & (boundary.area < best))
            maybe = maybe[maybe != number]
            for inner in maybe[boundary.encloses(samples[maybe])].tolist():
                best[inner] = boundary.area
                parent[inner] = node.inside[face]
    roots: list[_Node] = []
    for node, place in zip(nodes, parent, strict=True):
        (roots if place is None else place).append(node)
    return roots


@dataclass(eq=False)
class _Classifier:
    outlines: Outlines
    labels: Floats
    gap: float
    stated: Roles
    recognise: bool
    has_annotations: bool
    loops: dict[int, frozenset[int]]

    def roots(self, nodes: Sequence[_Node]) -> list[Region]:
        """Return the regions of nodes that no material surrounds."""
        regions: list[Region] = []
        loose: list[_Node] = []
        views = self._views(nodes) if self.recognise else {}
        for node in nodes:
            stated = self.stated.stated_for(node.component.outer)
            frame = self._sheet(node) if self.recognise and not stated and id(node) not in views else ""
            if frame:
                regions.append(self._region(node.component.outer, SHEET, frame, self.roots(node.children)))
            elif stated and stated != PART:
                regions.append(self._stated_component(node, stated))
            else:
                loose.append(node)
        for node in loose:
            is_open = self.recognise and not self.stated.stated_for(node.component.outer)
            why = self._title_block(node) if is_open else ""
            role = TITLE_BLOCK if why else VIEW
            why = why or (views.get(id(node), "") if is_open else "")
            if why:
                regions.append(self._left_out(node.component.outer, role, why, node.children))
            else:
                regions += self.solid(node)
        return regions

    def _stated_component(self, node: _Node, role: str) -> Region:
        """Return a component with a stated role; a face keeps a role that is stated for it alone."""
        if len(node.component.faces) == 1:
            return self._outside(node.component.outer, role, node.children)
        children = [
            self._plate(face, inside) if self.stated.stated_for(face) else self._outside(face, role, inside)
            for face, inside in zip(node.component.faces, node.inside, strict=True)
        ]
        return self._region(node.component.outer, role, STATED, children)

    def _outside(self, ring: Boundary, role: str, inside: Sequence[_Node]) -> Region:
        """Return a region that no material surrounds, and that is no plate, with a stated role."""
        if role in (SHEET, HOLE):
            return self._region(ring, role, STATED, self.roots(inside))
        return self._left_out(ring, role, STATED, inside)

    def solid(self, node: _Node) -> list[Region]:
        """Return the plates that the faces of a component outline; several are in a group."""
        component = node.component
        if len(component.faces) == 1:
            return self._plates(node)
        if self.stated.stated_for(component.outer) == PART:
            width = float(node.size.min())
            children = [one for child in node.children for one in self._void(child, width)]
            return [self._region(component.outer, PART, STATED, children)]
        plates = self._plates(node)
        why = f"lines divide it into {len(plates)} regions"
        return [self._region(component.outer, GROUP, why, plates)] if len(plates) > 1 else plates

    def _plates(self, node: _Node) -> list[Region]:
        """Return a plate for each face of a component."""
        cut = self._cut_faces(node.component)
        faces = zip(node.component.faces, node.inside, strict=True)
        return [
            self._plate(face, inside, cut.get(id(face), "")) for face, inside in faces if not _is_sliver(face, self.gap)
        ]

    def _plate(self, face: Boundary, inside: Sequence[_Node], cut: str = "") -> Region:
        """Return the plate of a face, unless another role is stated; `cut` says why it is cut from a larger outline."""
        stated = self.stated.stated_for(face)
        if stated and stated != PART:
            return self._outside(face, stated, inside)
        if cut and not stated:
            return self._region(face, SCRAP, cut, [one for child in inside for one in self.solid(child)])
        width = float(face.size.min())
        voids = [one for child in inside for one in self._void(child, width)]
        return self._region(face, PART, STATED if stated else "", voids)

    def _void(self, node: _Node, width: float) -> list[Region]:
        """Return the regions of a component inside a plate of this width."""
        ring = node.component.outer
        if -ring.area <= self.gap * float(np.hypot(*ring.size)):
            return []
        role = self.stated.stated_for(ring)
        if role == PART:
            return self.solid(node)
        if role in (HOLE, SHEET):
            return [self._region(ring, HOLE, STATED, self.roots(node.children))]
        step = None if role else self._step(node, width) if self.recognise and node.children else None
        if role or step is not None:
            role, why = (role, STATED) if step is None else step
            children = [one for child in node.children for one in self._void(child, width)]
            return [self._region(ring, role, why, children)]
        return [self._region(ring, HOLE, "", [one for child in node.children for one in self.solid(child)])]

    def _step(self, node: _Node, width: float) -> tuple[str, str] | None:
        """Return role and reason of a step round holes that are not loose parts; None for a hole."""
        if len(node.component.faces) != 1:
            return None
        children = node.inside[0]
        if len(children) == 1:
            (child,) = children
            away = float(np.hypot(*(node.centre - child.centre)))
            small = float(node.size.max()) <= _LARGEST_COUNTERBORE * width
            drilled = (
                _is_round_or_slot(child.component.outer) if child.is_leaf else self._step(child, width) is not None
            )
            if drilled and small and away <= _CONCENTRIC * float(child.size.min()):
                return COUNTERBORE, "it is concentric with a hole"
            return None
        least = float(node.size.min())
        if all(
            child.is_leaf and child.is_round() and float(child.size.max()) <= _LARGEST_POCKET_HOLE * least
            for child in children
        ):
            return POCKET, "only small round holes lie in it"
        return None

    def _region(self, ring: Boundary, role: str, why: str, children: Sequence[Region]) -> Region:
        points, coarse = opened(ring, _OPENING_WIDTH), ring.coarse
        if ring.area < 0:
            points, coarse = points[::-1], coarse[::-1]
        name = self.stated.names[id(ring)]
        return Region(points, coarse, self.outlines.sources_of(ring), role, why, list(children), name)

    def _left_out(self, ring: Boundary, role: str, why: str, inside: Sequence[_Node]) -> Region:
        """Return a region that is not a part, with all inside it for which the user states no other role."""
        children: list[Region] = []
        for node in inside:
            if self.stated.stated_for(node.component.outer):
                children += self.roots([node])
                continue
            for face, nodes in zip(node.component.faces, node.inside, strict=True):
                keeps_role = not self.stated.stated_for(face)
                children.append(self._left_out(face, role, why, nodes) if keeps_role else self._plate(face, nodes))
        return self._region(ring, role, why, children)

    # Cuts across outlines.

    def _cut_faces(self, component: Component) -> dict[int, str]:
        """Return the faces of a component that smaller loops cut out of a larger outline, by id, with the reason."""
        if len(component.faces) == 1:
            return {}
        edges = self.outlines.edges
        numbers = sorted({number for face in component.faces for number, _ in face.walk})
        loops = {
            loop
            for number in numbers
            for source in edges[number].sources
            if (loop := self.loops.get(source)) is not None
        }
        cut: dict[int, str] = {}
        for loop in loops:
            own = [number for number in numbers if edges[number].sources <= loop]
            whole = [number for number in numbers if edges[number].sources & loop]
            if not own:
                continue
            rings = components_of(edges, whole)
            area = sum(ring.area for ring in rings)
            if not rings or area > _CUTTER_SHARE * component.area:
                continue
            inner = [
                face
                for face in component.faces
                if any(ring.outer.encloses(_inside(face)[None]).any() for ring in rings)
            ]
            gone = set(own)
            rest = components_of(edges, [number for number in numbers if number not in gone])
            held = [
                face
                for face in inner
                if any(other.encloses(_inside(face)[None]).any() for one in rest for other in one.faces)
            ]
            if held and len(inner) < len(component.faces):
                cut.update({id(face): "a smaller outline cuts it from a larger one" for face in inner})
        return cut if len(cut) < len(component.faces) else {}

    # Regions that are not parts.

    def _sheet(self, node: _Node) -> str:
        """Return why a component is a border round several parts; empty if it is none."""
        largest = int(np.argmax([face.area for face in node.component.faces]))
        face, inside = node.component.faces[largest], node.inside[largest]
        outer = node.component.outer
        if not inside or not (
            is_rectangle(face.points, face.coarse)
            or (face.area > _LEAST_OF_SHEET * abs(outer.area) and is_rectangle(outer.points, outer.coarse))
        ):
            return ""
        (only,) = inside if len(inside) == 1 else (None,)
        if only is not None and float((only.size / node.size).min()) > _LEAST_OF_SHEET and self._sheet(only):
            return "it surrounds a sheet border"
        if self._has_title_block(node, face):
            return "it has a title block"
        layers = {path.look.layer for path in self.outlines.sources_of(face)}
        if any(_SHEET_LAYERS.search(layer) for layer in layers):
            return "its layer names a sheet"
        width = float(face.size.min())
        parts = [child for child in inside if child.children and self._step(child, width) is None]
        if len(parts) >= 2:
            return f"{len(parts)} outlines with holes lie in it"
        blanks = [child for child in inside if self._is_drilled_part(child, width)]
        if len(blanks) >= 2 and len(blanks) == len(inside):
            filled = sum(abs(child.component.area) for child in blanks)
            if filled > _LEAST_FILLED * face.area:
                return f"{len(blanks)} outlines with holes fill it"
        sides = np.sort(face.size * 1000)[::-1]
        if any(np.abs(sides - paper).max() < 1.0 for paper in _PAPER_SIZES) and len(inside) > 1 and len(self.labels):
            return "it has the size of a sheet of paper"
        if len(parts) == 1:
            # The border of one part with drilled holes, rather than a plate with a window round another.
            inner = parts[0].children
            bores = [one for one in inner if one.is_leaf and one.is_round()]
            small = all(float(one.size.max()) < 0.5 * float(parts[0].size.min()) for one in bores)
            if bores and small and not any(one.children for one in inner):
                return "an outline with holes lies in it"
        return ""

    def _has_title_block(self, node: _Node, field: Boundary) -> bool:
        """Return True if the faces of a component, apart from its largest one, are cells with texts."""
        cells = [one for one in node.component.faces if one is not field]
        rectangles = sum(is_rectangle(one.points, one.coarse) for one in cells)
        if len(cells) < 2 or rectangles < _LEAST_OF_CELLS * len(cells) or not len(self.labels):
            return False
        return sum(int(one.encloses(self.labels).sum()) for one in cells) >= 2

    def _is_drilled_part(self, node: _Node, width: float) -> bool:
        """Return True for an outline with holes, which is either a part or a pocket."""
        step = self._step(node, width)
        return len(node.children) > 1 and step is not None and step[0] == POCKET

    def _title_block(self, node: _Node) -> str:
        """Return why a component is a table of text; empty if it is none."""
        faces = node.component.faces
        cells = [face for face in faces if is_rectangle(face.points, face.coarse)]
        if len(faces) < _FEWEST_CELLS or len(cells) < _LEAST_OF_CELLS * len(faces):
            return ""
        texts = int(node.component.outer.encloses(self.labels).sum()) if len(self.labels) else 0
        if texts >= 2 or len(cells) >= 3 * _FEWEST_CELLS:
            return f"it is a table of {len(faces)} cells" + (f" with {texts} texts" if texts else "")
        return ""

    def _views(self, nodes: Sequence[_Node]) -> dict[int, str]:
        """Return the components that are further views of the largest one, by id, with the reason.

        Views are aligned with the main view, outside its extent. A drawing of views has dimensions or hidden lines.
        """
        if len(nodes) < 2 or not self.has_annotations:
            return {}
        edges = self.outlines.edges
        views = {id(node): "it is an isometric view" for node in nodes if is_isometric(node.component, edges)}
        flat = [node for node in nodes if id(node) not in views]
        if not flat:
            return {}
        main = max(flat, key=lambda node: float(np.prod(node.size)))
        low, high = main.component.outer.low, main.component.outer.high
        for node in flat:
            if node is main or self._congruent(node, main):
                continue
            own_low, own_high = node.component.outer.low, node.component.outer.high
            for axis in (0, 1):
                across = 1 - axis
                same = max(abs(own_low[axis] - low[axis]), abs(own_high[axis] - high[axis]))
                apart = own_low[across] >= high[across] or own_high[across] <= low[across]
                if same <= _ALIGNED * float(high[axis] - low[axis]) and apart:
                    views[id(node)] = "it is aligned with the largest outline, as another view of it"
        for node in nodes:
            # Features drawn separately inside a view, and views that lie in the box of another.
            if node is not main and id(node) not in views and self._in_view(node, nodes, views):
                views[id(node)] = "it belongs to another view"
        return views

    def _in_view(self, node: _Node, nodes: Sequence[_Node], views: dict[int, str]) -> bool:
        low, high = node.component.outer.low, node.component.outer.high
        return any(
            id(other) in views
            and (other.component.outer.low - self.gap <= low).all()
            and (high <= other.component.outer.high + self.gap).all()
            for other in nodes
        )

    def _congruent(self, one: _Node, other: _Node) -> bool:
        return abs(one.component.area - other.component.area) < 1e-3 * other.component.area and len(
            one.children
        ) == len(other.children)


def _is_round_or_slot(ring: Boundary) -> bool:
    return circle_of(ring.points, ring.coarse) is not None or slot_of(ring.points) is not None


def _is_sliver(face: Boundary, gap: float) -> bool:
    """Return True if the face is narrower than the gap within which ends are joined."""
    perimeter = float(np.hypot(*(np.roll(face.points, -1, axis=0) - face.points).T).sum())
    return face.area <= gap * perimeter / 2


def _inside(face: Boundary) -> Floats:
    return point_inside(face.points)


def point_inside(flat: Floats) -> Floats:
    """Return a point inside the ring: the middle of the widest interval at a height without corners."""
    heights = np.unique(flat[:, 1])
    gaps = np.diff(heights)
    height = float(heights[gaps.argmax()] + gaps.max() / 2) if len(gaps) else float(heights[0])
    a, b = flat, np.roll(flat, -1, axis=0)
    crossing = (a[:, 1] > height) != (b[:, 1] > height)
    a, b = a[crossing], b[crossing]
    if not len(a):
        return np.asarray(flat.mean(axis=0))
    places = np.sort(a[:, 0] + (height - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]))
    stretches = places[1::2] - places[::2]
    widest = int(stretches.argmax())
    return np.array([places[2 * widest] + stretches[widest] / 2, height])
