"""The dialog that sets the camera's eye and target as numbers."""

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from rck.model import RckError
from rck.rendering.camera import Camera
from rck.support.units import format_fixed, parse_quantity

_FIELDS = tuple(f"{what}-{axis}" for what in ("eye", "target") for axis in "xyz")


class CameraDialog(ModalScreen[Camera]):
    """Six fields in the assembly's length unit; Enter moves to the next field, and in the last one applies them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, camera: Camera, unit: str) -> None:
        super().__init__()
        self._camera = camera
        self._unit = unit

    def compose(self) -> ComposeResult:
        """Add two rows of three fields, and the buttons."""
        with Vertical(id="ask"):
            for what in ("eye", "target"):
                with Horizontal(classes="camera-row"):
                    yield Static(what, classes="field-label")
                    for axis in "xyz":
                        yield Input(id=f"{what}-{axis}", compact=True, classes="camera-field")
                    yield Static(self._unit, classes="camera-unit")
            yield Static("", id="camera-reason")
            with Horizontal(id="ask-buttons"):
                yield Button("Apply", id="change", variant="primary", compact=True)
                yield Button("Revert", id="revert", compact=True)

    def on_mount(self) -> None:
        """Show the current camera."""
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
        number = _FIELDS.index(event.input.id or "eye-x") + 1
        if number < len(_FIELDS):
            self.query_one(f"#{_FIELDS[number]}", Input).focus()
        else:
            self._apply()

    @on(Button.Pressed, "#change")
    def _apply(self) -> None:
        try:
            texts = [self.query_one(f"#{name}", Input).value for name in _FIELDS]
            ex, ey, ez, tx, ty, tz = (parse_quantity(text, "length", self._unit) for text in texts)
            self.dismiss(replace(self._camera, eye=(ex, ey, ez), target=(tx, ty, tz)))
        except RckError as error:
            self.query_one("#camera-reason", Static).update(str(error))
