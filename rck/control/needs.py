"""What control from outside cannot do without."""

from rck.hooks.needs import Need, refuse_missing


def refuse_without_websockets() -> None:
    """Say that websockets are missing before any work is done."""
    refuse_missing("external control", Need("websockets", "pip install 'rck[control]'"))
