"""The links of a world sorted into what stands by itself: robots, and loose objects."""

from collections.abc import Sequence
from dataclasses import dataclass

from rck.exporting.links import Link, LinkTree
from rck.model.world import split


@dataclass(frozen=True, eq=False)
class LinkModel:
    """One robot, or one loose object, of a world."""

    name: str
    """Legal, and different from those of the other models."""
    links: tuple[int, ...]
    """Numbers of links, parents first."""
    loose: bool
    """Whether it is a loose object, with neither joints nor frames."""

    def roots(self, tree: LinkTree) -> Sequence[Link]:
        """Its links that hang on nothing; more than one where joints of several trees follow one another."""
        return [tree.links[number] for number in self.links if tree.links[number].parent is None]


def models_of(tree: LinkTree) -> tuple[LinkModel, ...]:
    """The models of a world; a robot that is alone has its own name, the others have those of their first roots."""
    world = split(tree.robot)
    parts = [(robot.items, False) for robot in world.robots] + [((item,), True) for item in world.objects]
    link_of_item = {placed.item.name: number for number, link in enumerate(tree.links) for placed in link.items}
    models = []
    for items, loose in parts:
        links = tuple(sorted({link_of_item[item.name] for item in items}))
        name = tree.name if len(parts) == 1 else tree.links[links[0]].name
        models.append(LinkModel(name, links, loose))
    return tuple(models)
