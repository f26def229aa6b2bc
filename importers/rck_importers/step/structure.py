"""Assembly structure: which product contains which, under what name and where, and the solids of each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import identity
from rck.support.names import nearest_name, unique_names
from rck_importers.step.geometry import GeometryReader
from rck_importers.step.part21 import Exchange, Record, Ref, StepError
from rck_importers.step.topology import SHEETS, SOLIDS
from rck_importers.step.units import MILLIMETRE, context_units

_GENERIC = re.compile(r"\s*(NAUO\d*|=>\[.*|\d*|COMPONENT\d*|Placement|NONE)\s*", re.IGNORECASE)
"""Names that writers make up for occurrences."""
_MOST_DEPTH = 60
_REPRESENTATIONS = (
    "SHAPE_REPRESENTATION",
    "ADVANCED_BREP_SHAPE_REPRESENTATION",
    "FACETED_BREP_SHAPE_REPRESENTATION",
    "MANIFOLD_SURFACE_SHAPE_REPRESENTATION",
)


@dataclass(frozen=True, slots=True)
class PlacedSolid:
    """A solid or sheet of a component."""

    number: int
    """Its instance."""
    metres: float
    """The unit of its lengths."""
    degree: float
    """The unit of its angles, in radians."""
    matrix: Floats
    """Component from solid, in metres. Shape (4, 4)."""
    containers: tuple[int, ...] = ()
    """Instances from which it takes its colour if it has none: its representation, and mapped items."""


@dataclass(frozen=True, eq=False)
class Component:
    """An occurrence of a product in the assembly."""

    path: tuple[str, ...]
    """Its name after those of the assemblies that contain it."""
    matrix: Floats
    """World from component, in metres. Shape (4, 4)."""
    solids: tuple[PlacedSolid, ...]
    occurrences: tuple[int, ...]
    """Instances of the occurrences that lead to it, the outermost first."""


@dataclass(frozen=True, eq=False)
class _Child:
    name: str
    product: int | None
    """Product definition; None for a representation without one."""
    representation: int | None
    matrix: Floats
    occurrence: int
    container: int = 0


@dataclass(eq=False)
class Structure:
    """The products of a file."""

    exchange: Exchange
    most_components: int
    notes: list[str] = field(default_factory=list)
    _representations: dict[int, list[int]] = field(default_factory=dict)
    """By product definition."""
    _owner: dict[int, int] = field(default_factory=dict)
    """Product definition of each representation."""
    _links: dict[int, list[int]] = field(default_factory=dict)
    """Representations in the same coordinates."""
    _usages: dict[int, list[Record]] = field(default_factory=dict)
    """Occurrences by the product definition that contains them."""
    _relations: dict[int, Record] = field(default_factory=dict)
    """Representation relationship by occurrence."""
    _units: dict[int, tuple[float, float]] = field(default_factory=dict)
    _count: int = 0

    def __post_init__(self) -> None:
        """Collect the relations between products and representations."""
        self.geometry = GeometryReader(self.exchange)
        related = set()
        for record in self.exchange.of_kind("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"):
            shape = self.exchange.get(record.ref(1))
            relation = self.exchange.get(record.ref(0))
            related.add(relation.number)
            self._relations.setdefault(shape.ref(2).number, relation)
        for record in self.exchange.of_kind("SHAPE_REPRESENTATION_RELATIONSHIP", "REPRESENTATION_RELATIONSHIP"):
            if record.number not in related and not record.has("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION"):
                kind = "REPRESENTATION_RELATIONSHIP" if len(record.parts) > 1 else ""
                one, other = (record.ref(place, kind).number for place in (2, 3))
                self._links.setdefault(one, []).append(other)
                self._links.setdefault(other, []).append(one)
        for record in self.exchange.of_kind("NEXT_ASSEMBLY_USAGE_OCCURRENCE"):
            self._usages.setdefault(record.ref(3).number, []).append(record)
        for record in self.exchange.of_kind("SHAPE_DEFINITION_REPRESENTATION"):
            self._define(record)

    def _define(self, record: Record) -> None:
        shape = self.exchange.get(record.ref(0))
        meant = shape.value(2)
        if not isinstance(meant, Ref) or self.exchange.get(meant).has("NEXT_ASSEMBLY_USAGE_OCCURRENCE"):
            return
        group = self._linked(record.ref(1).number)
        found = self._representations.setdefault(meant.number, [])
        found += [number for number in group if number not in found]
        for number in group:
            self._owner.setdefault(number, meant.number)

    def _linked(self, number: int) -> list[int]:
        """Return the representations in the coordinates of this one, and it."""
        found = [number]
        for one in found:
            found += [other for other in dict.fromkeys(self._links.get(one, ())) if other not in found]
        return found

    def components(self) -> list[Component]:
        """Return the components with solids, in the order of the file, under unique names."""
        contained = {usage.ref(4).number for usages in self._usages.values() for usage in usages}
        products = [product for product in self._representations if product not in contained]
        products += [product for product in self._usages if product not in contained and product not in products]
        if self._usages and not products:
            raise StepError("every product is contained in another: its assemblies form a cycle")
        roots = [_Child(self._product_name(one), one, None, identity(), 0) for one in products]
        found = list(self._expanded(roots, (), identity(), (), ()))
        if not found:
            loose = self._loose_representations()
            found = list(self._expanded(loose, (), identity(), (), ()))
        if (
            len(roots) == 1
            and len({component.path for component in found}) > 1
            and all(len(one.path) > 1 for one in found)
        ):
            # The name of the whole assembly would be in every name.
            found = [Component(one.path[1:], one.matrix, one.solids, one.occurrences) for one in found]
        return found

    def _loose_representations(self) -> list[_Child]:
        """Return the representations of solids that belong to no product."""
        return [
            _Child(record.text(0), None, record.number, identity(), 0)
            for record in self.exchange.of_kind(*_REPRESENTATIONS)
            if self._items(record, SOLIDS + SHEETS)
        ]

    def _expanded(
        self,
        children: Sequence[_Child],
        path: tuple[str, ...],
        matrix: Floats,
        occurrences: tuple[int, ...],
        above: tuple[int, ...],
    ) -> Iterator[Component]:
        names = [nearest_name(child.name, "part") for child in children]
        for child, name in zip(children, unique_names([child.name for child in children], names, "-"), strict=True):
            self._count += 1
            if self._count > self.most_components:
                raise StepError(f"it has more than {self.most_components:,} components")
            key = child.product or child.representation or 0
            if key in above or len(above) > _MOST_DEPTH:
                raise StepError(f"its assemblies form a cycle at {name}")
            placed = matrix @ child.matrix
            within = (*occurrences, child.occurrence) if child.occurrence else occurrences
            representations = (
                self._representations.get(child.product, [])
                if child.product is not None
                else self._linked(child.representation or 0)
            )
            solids = [one for number in representations for one in self._solids(number, child.container)]
            if solids:
                yield Component((*path, name), placed, tuple(solids), within)
            inner = self._children(child.product, representations)
            yield from self._expanded(inner, (*path, name), placed, within, (*above, key))

    def _solids(self, representation: int, container: int) -> list[PlacedSolid]:
        record = self.exchange.get(representation)
        solids = self._items(record, SOLIDS) or self._items(record, SHEETS)
        if not solids:
            return []
        metres, degree = self._units_of(record)
        containers = (representation, container) if container else (representation,)
        return [PlacedSolid(solid.number, metres, degree, identity(), containers) for solid in solids]

    def _items(self, representation: Record, kinds: Sequence[str]) -> list[Record]:
        kind = "REPRESENTATION" if len(representation.parts) > 1 else ""
        try:
            refs = representation.refs(1, kind)
        except StepError:
            return []
        return [record for ref in refs if (record := self.exchange.get(ref)).has(*kinds)]

    def _units_of(self, representation: Record) -> tuple[float, float]:
        kind = "REPRESENTATION" if len(representation.parts) > 1 else ""
        number = representation.ref(2, kind).number
        if number not in self._units:
            length, degree = context_units(self.exchange, self.exchange.get(number))
            if length is None:
                self.notes.append("the file states no unit of length; mm was assumed")
            self._units[number] = (length or MILLIMETRE, degree)
        return self._units[number]

    def _children(self, product: int | None, representations: Sequence[int]) -> list[_Child]:
        mapped = [
            record for number in representations for record in self._items(self.exchange.get(number), ("MAPPED_ITEM",))
        ]
        children = []
        placed = set()
        for usage in self._usages.get(product, ()) if product is not None else ():
            child = usage.ref(4).number
            relation = self._relations.get(usage.number)
            if relation is not None:
                matrix = self._relation_matrix(relation, child)
                placed.add(child)
            else:
                item = next((one for one in mapped if self._owner.get(self._mapped(one)) == child), None)
                if item is None:
                    self.notes.append(f"{usage.label} has no placement; its component is at the origin of its assembly")
                    matrix = identity()
                else:
                    mapped.remove(item)
                    matrix = self._mapped_matrix(item, representations[0])
            stated = [usage.text(place) for place in (1, 5, 2)]
            name = next((text for text in stated[:2] if not _GENERIC.fullmatch(text)), "") or self._product_name(child)
            children.append(_Child(name, child, None, matrix, usage.number))
        for item in mapped:
            representation = self._mapped(item)
            owner = self._owner.get(representation)
            if owner is not None and owner in placed:
                continue
            matrix = self._mapped_matrix(item, representations[0])
            stated_name = "" if _GENERIC.fullmatch(item.text(0)) else item.text(0)
            other = owner if owner is not None and owner != product else None
            name = stated_name or (self._product_name(other) if other else "")
            children.append(_Child(name, other, representation, matrix, 0, item.number))
        return children

    def _mapped(self, item: Record) -> int:
        return self.exchange.get(item.ref(1)).ref(1).number

    def _mapped_matrix(self, item: Record, container: int) -> Floats:
        source = self.exchange.get(item.ref(1))
        inner, _ = self._units_of(self.exchange.get(source.ref(1)))
        outer, _ = self._units_of(self.exchange.get(container))
        return self._placement(item.ref(2), outer) @ np.linalg.inv(self._placement(source.ref(0), inner))

    def _relation_matrix(self, relation: Record, child: int) -> Floats:
        """Return the placement of a component in its assembly, in metres."""
        if not relation.has("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION"):
            return identity()
        is_simple = len(relation.parts) == 1
        kind = "" if is_simple else "REPRESENTATION_RELATIONSHIP"
        first, second = (relation.ref(place, kind).number for place in (2, 3))
        operator = relation.ref(4) if is_simple else relation.ref(0, "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")
        record = self.exchange.get(operator)
        units = [self._units_of(self.exchange.get(number))[0] for number in (first, second)]
        is_inverse = self._owner.get(first) != child and self._owner.get(second) == child
        if not record.has("ITEM_DEFINED_TRANSFORMATION"):
            matrix = self._placement(operator, units[0 if is_inverse else 1])
            return np.asarray(np.linalg.inv(matrix) if is_inverse else matrix)
        one, other = (self._placement(record.ref(place), unit) for place, unit in ((2, units[0]), (3, units[1])))
        return np.asarray(one @ np.linalg.inv(other) if is_inverse else other @ np.linalg.inv(one))

    def _placement(self, ref: Ref, metres: float) -> Floats:
        matrix = self.geometry.placement(ref).copy()
        matrix[:3, 3] *= metres
        return matrix

    def _product_name(self, definition: int | None) -> str:
        """Return the name of the product of a definition; empty if it has none."""
        try:
            product = self.exchange.get(self.exchange.get(self.exchange.get(definition or 0).ref(2)).ref(2))
        except StepError:
            return ""
        return product.text(1).strip() or product.text(0).strip()
