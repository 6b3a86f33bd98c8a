"""How often the intervals hold the truth, in made-up studies of which the truth is known.

A simulation makes one study after the other, each by its own random numbers, and says what Attest
would print: a number, its 95 % interval, and whether a warning stands beside it. A row of the table
says how often the interval held the true value, over the studies whose interval was printed without
a warning. That share must be .93 to .97; with few studies it is itself unsure, and two of its
standard errors are allowed for. Rows of intervals that are printed second, or no more, are there to
compare with, and need not hold it.

    python -m bench.coverage --studies 1000 --only kappa
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from bench.figures import keep

MODULES: tuple[str, ...] = (
    "bench.coverage_people",
    "bench.coverage_agreement",
    "bench.coverage_systems",
    "bench.coverage_variance",
    "bench.coverage_raters",
    "bench.coverage_means",
    "bench.coverage_judges",
    "bench.coverage_answers",
    "bench.coverage_models",
    "bench.coverage_powered",
    "bench.coverage_pairs",
    "bench.coverage_thresholds",
)
"""Each has `SIMULATIONS: tuple[Simulation, ...]`, the rows that it adds to the table."""

STUDIES = 400
LEAST, MOST = 0.93, 0.97
"""The coverage that is asked for."""


@dataclass(frozen=True, slots=True)
class Said:
    """What would be printed of one study. `low` and `high` are None where there is no interval,
    `value` where there is no number."""

    true: float
    value: float | None
    low: float | None
    high: float | None
    warned: bool = False


@dataclass(frozen=True, slots=True)
class Simulation:
    """A number in a design. `study` makes one study and says what would be printed of it."""

    number: str
    design: str
    study: Callable[[np.random.Generator], Said]
    held: bool = True
    """Whether it must cover; rows to compare with need not."""

    most: float = MOST
    """1 where it may cover more often, as several intervals at once do."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table."""

    simulation: Simulation
    true: float
    mean: float
    covered: int
    printed: int
    """Studies with an interval and without a warning."""

    warned: int
    without: int
    """Studies without an interval."""

    width: float

    @property
    def coverage(self) -> float:
        return self.covered / self.printed if self.printed else float("nan")

    @property
    def fails(self) -> bool:
        """Outside of what is asked for, by more than the number of studies explains."""
        if not (self.simulation.held and self.printed):
            return False
        return not (
            LEAST - 2 * _unsure(LEAST, self.printed)
            <= self.coverage
            <= self.simulation.most + 2 * _unsure(self.simulation.most, self.printed)
        )


def _unsure(share: float, studies: int) -> float:
    return float(np.sqrt(share * (1 - share) / studies))


def row(simulation: Simulation, studies: int) -> Row:
    """The same studies whenever it is asked for: study n is made by the random numbers of n."""
    every = [simulation.study(np.random.default_rng([7, n])) for n in range(studies)]
    values = _known([one.value for one in every])
    printed = [one for one in every if one.low is not None and not one.warned]
    return Row(
        simulation,
        true=float(np.mean([one.true for one in every])),
        mean=float(values.mean()) if len(values) else float("nan"),
        covered=sum(_holds(one) for one in printed),
        printed=len(printed),
        warned=sum(one.warned for one in every),
        without=sum(one.low is None and not one.warned for one in every),
        width=float(np.mean([_width(one) for one in printed])) if printed else float("nan"),
    )


def _holds(one: Said) -> bool:
    return one.low is not None and one.high is not None and one.low <= one.true <= one.high


def _width(one: Said) -> float:
    return (one.high or 0.0) - (one.low or 0.0)


def _known(values: list[float | None]) -> NDArray[np.float64]:
    return np.array([value for value in values if value is not None], dtype=np.float64)


def simulations(only: str = "") -> Iterator[Simulation]:
    """Of all modules, those whose number or design has these words."""
    for module in MODULES:
        for one in import_module(module).SIMULATIONS:
            if only.casefold() in f"{one.number} {one.design}".casefold():
                yield one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=STUDIES, help="studies of each row")
    parser.add_argument("--only", default="", help="rows whose number or design has these words")
    options = parser.parse_args()
    print(f"{options.studies} studies of each; coverage of intervals printed without a warning")
    print(
        f"{'number':34} {'design':36} {'true':>6} {'mean':>6} {'coverage':>8} {'width':>6}"
        f" {'warned':>6} {'none':>5}"
    )
    failed = 0
    for simulation in simulations(options.only):
        found = row(simulation, options.studies)
        failed += found.fails
        named = f"{simulation.number}, {simulation.design}"
        keep(f"{named}: coverage", found.coverage, "covered")
        keep(f"{named}: width", found.width, "of the scale")
        print(
            f"{simulation.number:34} {simulation.design:36} {found.true:6.3f} {found.mean:6.3f}"
            f" {found.coverage:8.3f} {found.width:6.3f} {found.warned:6} {found.without:5}"
            f"{'' if simulation.held else '   to compare'}{'   OUTSIDE' if found.fails else ''}",
            flush=True,
        )
    if failed:
        sys.exit(f"{failed} intervals hold the truth less or more often than .93 to .97.")


if __name__ == "__main__":
    main()
