"""`rck bench`: side by side with the peers that are installed."""

import sys

import click

from rck.cli.options import JSON


@click.command()
@click.argument("areas", nargs=-1)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    default=10.0,
    show_default=True,
    help="Duration of the load benchmarks.",
)
@JSON
def bench(areas: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Measure RCK and the installed peer libraries on the same work in one run."""
    import rck_bench

    unknown = [area for area in areas if area not in rck_bench.AREAS]
    if unknown:
        raise click.UsageError(f"unknown benchmark {unknown[0]!r}; known: {', '.join(rck_bench.AREAS)}")
    sys.exit(rck_bench.run(list(areas) or list(rck_bench.AREAS), as_json, seconds))
