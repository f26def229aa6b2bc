"""Eye and target in numbers, with Change and Revert."""

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from rck.model import RckError
from rck.model.units import format_fixed, parse_quantity
from rck.render.camera import Camera

_FIELDS = tuple(f"{what}-{axis}" for what in ("eye", "target") for axis in "xyz")


class CameraDialog(ModalScreen[Camera]):
    """Six numbers in the assembly's unit of length; Enter goes to the next, in the last one it changes the camera."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave")]

    def __init__(self, camera: Camera, unit: str) -> None:
        super().__init__()
        self._camera = camera
        self._unit = unit

    def compose(self) -> ComposeResult:
        """Two rows of three fields, and the buttons."""
        with Vertical(id="ask"):
            for what in ("eye", "target"):
                with Horizontal(classes="camera-row"):
                    yield Static(what, classes="field-label")
                    for axis in "xyz":
                        yield Input(id=f"{what}-{axis}", compact=True, classes="camera-field")
                    yield Static(self._unit, classes="camera-unit")
            yield Static("", id="camera-reason")
            with Horizontal(id="ask-buttons"):
                yield Button("Change", id="change", variant="primary", compact=True)
                yield Button("Revert", id="revert", compact=True)

    def on_mount(self) -> None:
        """Show the camera as it is."""
        self._revert()

    @on(Button.Pressed, "#revert")
    def _revert(self) -> None:
        values = (*self._camera.eye, *self._camera.target)
        for name, value in zip(_FIELDS, values, strict=True):
            self.query_one(f"#{name}", Input).value = format_fixed(value, "length", self._unit, 1)
        self.query_one("#camera-reason", Static).update("")
        self.query_one("#eye-x", Input).focus()

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        place = _FIELDS.index(event.input.id or "eye-x") + 1
        if place < len(_FIELDS):
            self.query_one(f"#{_FIELDS[place]}", Input).focus()
        else:
            self._change()

    @on(Button.Pressed, "#change")
    def _change(self) -> None:
        try:
            texts = [self.query_one(f"#{name}", Input).value for name in _FIELDS]
            numbers = [parse_quantity(text, "length", self._unit) for text in texts]
            ex, ey, ez, tx, ty, tz = numbers
            self.dismiss(replace(self._camera, eye=(ex, ey, ez), target=(tx, ty, tz)))
        except RckError as error:
            self.query_one("#camera-reason", Static).update(str(error))
