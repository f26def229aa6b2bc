"""The solver, collision backend, physics engine and viewer that the user has chosen, with their options."""

from dataclasses import dataclass, replace

from rck.collision.backend import DEFAULT


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine by name, and the options that the user has set."""

    name: str = ""
    """Empty for the default of its role."""
    settings: tuple[tuple[str, str], ...] = ()
    """Values as users type them, by the name of the option."""

    @property
    def given(self) -> dict[str, str]:
        """The options that are set."""
        return dict(self.settings)

    def with_setting(self, option: str, value: str) -> "Engine":
        """Return the engine with an option set; an empty value restores the default."""
        settings = {**self.given, option: value}
        return replace(self, settings=tuple((name, text) for name, text in settings.items() if text))


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines that are chosen for this session."""

    solver: Engine = Engine()
    collision: Engine = Engine(DEFAULT)
    physics: Engine = Engine()
    viewer: Engine = Engine()
    """The last viewer that was opened."""
