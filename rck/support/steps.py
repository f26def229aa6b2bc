"""Functions in steps: generators that yield their slow work, so that the caller chooses the thread that runs it.

A step is a function without arguments, of which the generator gets the result, or None to let others go on.
"""

from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")
Step: TypeAlias = Callable[[], Any] | None
Steps: TypeAlias = Generator[Step, Any, Result]


def run_steps(steps: Steps[Result]) -> Result:
    """Run all steps in this thread and return the result."""
    value: Any = None
    while True:
        try:
            step = steps.send(value)
        except StopIteration as end:
            result: Result = end.value
            return result
        value = None if step is None else step()
