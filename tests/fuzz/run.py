"""Read thousands of mutated files and report every problem: `python tests/fuzz/run.py --files 20000`.

The same seed and number give the same file. Files with problems are kept, to be read again with `--only NUMBER`.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mutations import mutated
from sandbox import Case, Outcome, run
from seeds import Seed, all_seeds

from rck.parts.assets import Asset, is_asset_name

_BATCH = 200


def case_of(number: int, seed: int, seeds: Sequence[Seed], wheel: Sequence[int]) -> Case:
    """Return a mutated file; it depends on the number and the seed only."""
    chance = random.Random(f"{seed}/{number}")
    one = seeds[wheel[number % len(wheel)]]
    content, neighbours = one.content, dict(one.neighbours)
    # Files that are referred to are damaged sometimes, too.
    assets = [name for name in sorted(neighbours) if is_asset_name(Path(name).name)]
    others = assets or (sorted(neighbours) if one.target == "import" else [])
    if others and chance.random() < (0.7 if assets else 0.2):
        name = chance.choice(others)
        damaged = mutated(neighbours.pop(name), chance)
        if assets:
            # The name is the hash of the content, as in the document of an attacker.
            old, asset = Path(name), Asset.of(damaged, name.rpartition(".")[2])
            name = str(old.with_name(asset.name))
            content = content.replace(old.name.encode(), asset.name.encode())
        neighbours[name] = damaged
    else:
        content = mutated(content, chance)
    return replace(whole_case(number, one), content=content, neighbours=neighbours)


def whole_case(number: int, seed: Seed) -> Case:
    """Return a seed as it is."""
    return Case(number, seed.name, seed.content, seed.target, dict(seed.options), dict(seed.neighbours))


def wheel_of(seeds: Sequence[Seed]) -> list[int]:
    """Return indexes of the seeds, each as often as its weight, in a mixed order."""
    wheel = [index for index, one in enumerate(seeds) for _ in range(one.weight)]
    random.Random(0).shuffle(wheel)
    return wheel


def outcomes(cases: Sequence[Case], jobs: int) -> Iterator[Outcome]:
    """Yield the outcomes of cases, which run in several processes."""
    batches = [cases[start : start + _BATCH] for start in range(0, len(cases), _BATCH)]
    with get_context("fork").Pool(jobs) as pool:
        for found in pool.imap(_run_batch, batches):
            yield from found


def _run_batch(cases: Sequence[Case]) -> list[Outcome]:
    return list(run(cases))


def main() -> int:
    """Run the fuzzer; return 1 if there are problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seed", type=int, default=int(time.time()) // 86_400, help="default: the day")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, action="append", help="numbers of the files to read")
    parser.add_argument("--kind", help="only seeds whose file name or target contains this")
    parser.add_argument("--unchanged", action="store_true", help="read the valid files; a refusal is a problem")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"), help="folder for files with problems")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rck-fuzz-settings-") as folder:
        for variable in ("RCK_CONFIG", "RCK_DATA", "RCK_CACHE"):
            os.environ.setdefault(variable, f"{folder}/{variable.lower()}")
        return _fuzz(given, Path(folder))


def _fuzz(given: argparse.Namespace, folder: Path) -> int:
    import readers

    (folder / "seeds").mkdir()
    seeds = all_seeds(folder / "seeds")
    if given.kind:
        seeds = [one for one in seeds if given.kind in one.name or given.kind == one.target]
    wheel = wheel_of(seeds)
    readers.plugins().load_all()
    numbers = given.only or range(given.start, given.start + given.files)
    cases = [case_of(number, given.seed, seeds, wheel) for number in numbers]
    if given.unchanged:
        cases = [whole_case(number, one) for number, one in enumerate(seeds)]
    started, count, problems, refused = time.monotonic(), 0, 0, 0
    slowest, largest = 0.0, 0.0
    for outcome in outcomes(cases, given.jobs):
        count += 1
        refused += bool(outcome.refusal)
        if given.unchanged and outcome.refusal:
            outcome = replace(outcome, problem=outcome.problem or f"is refused: {outcome.refusal}")
        slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.megabytes)
        if given.only or given.unchanged:
            sys.stdout.write(f"{outcome.case.number} {outcome.case.name}: {outcome.refusal or 'read'}\n")
        if outcome.problem:
            problems += 1
            kept = given.keep / f"{given.seed}-{outcome.case.number}"
            kept.mkdir(parents=True, exist_ok=True)
            (kept / outcome.case.name).write_bytes(outcome.case.content)
            (kept / "problem.txt").write_text(outcome.problem, encoding="utf-8")
            last = outcome.problem.strip().splitlines()[-1]
            sys.stdout.write(f"--seed {given.seed} --only {outcome.case.number} ({outcome.case.name}): {last}\n")
            sys.stdout.flush()
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{count} of {len(cases)} files, {problems} problems")
    seconds = time.monotonic() - started
    sys.stdout.write(
        f"{count} files, {refused} refused, {problems} problems; slowest {slowest:.1f} s, most memory {largest:.0f} MB;"
        f" {seconds:.0f} s\n"
    )
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
