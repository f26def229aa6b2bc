"""What every viewer must do: run :func:`check_viewer` on yours."""

from collections.abc import Mapping

from rck.hooks.kinds import Page, Viewer
from rck.hooks.options import read_options
from rck.model.robot import build_robot
from rck.testing.robots import planar_arm

_NOWHERE = ("/no-such-file", "/../page.html", "/../../etc/passwd", "//etc/passwd", "/\x00", "")


def check_viewer(viewer: Viewer, *, given: Mapping[str, str] | None = None) -> None:
    """It serves a page and nothing beside it, or shows robots and comes back, also one that has nothing to show.

    Give a viewer that waits for its user the options with which it does not.
    """
    values = read_options(viewer.options, given or {})
    if viewer.page is not None:
        check_page(viewer.page)
        return
    for robot in (planar_arm(2), build_robot("nothing", []).unwrap()):
        viewer.show(robot, values)


def check_page(page: Page) -> None:
    """`/` is a page of HTML, the same each time; paths that lead elsewhere lead nowhere."""
    found = page("/")
    assert found is not None, "there is nothing at /"
    kind, content = found
    assert kind.startswith("text/html"), f"/ is {kind}, not text/html"
    assert isinstance(content, bytes), f"/ is {type(content).__name__}, not bytes"
    assert content, "the page is empty"
    assert page("/") == found, "the second time the page is another"
    for path in _NOWHERE:
        assert page(path) is None, f"it serves {path!r}"
