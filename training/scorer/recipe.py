"""What is trained on, for how long and how fast: a recipe is data, and is kept with the weights."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from training.scorer.pairs import Contribution

TARGETS = ("ab-*", "wice", "xquad-qa", "fever")
"""What is watched on dev while training: what looks like statements that cite passages, and
the sources that the gate asks about."""

CALIBRATED = (
    "ab-*", "wice", "begin-*", "fm2-passage", "climate-fever-passage", "xquad-qa", "fever",
)  # fmt: skip
"""What temperature, threshold and combination are fitted on."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One run of the learning rate up and down again."""

    name: str
    shares: tuple[Contribution, ...]
    passes: float
    rate: float
    tokens: int
    """A row has no more; longer premises are read in windows."""
    dropout: float
    neighbours: float = 0.0
    """The part of short pairs that get other premises around theirs."""
    evaluations: int = 4
    resting: int = 0
    """Lowest layers that learn nothing, nor what is below them; 0: all learn."""
    even: bool = False
    """Whether both labels of a source count alike, however rare one is."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Stages one after the other."""

    stages: tuple[Stage, ...]
    seed: int = 1
    data: str = ""
    """A hash of the pairs: a training goes on with those that it began with."""
    start: str = ""
    """Which trained weights it begins with; none: the base as it is."""
    batch: int = 32
    warm_up: float = 0.06
    decay: float = 0.01
    """Of the weights, as AdamW does it; none for norms and biases."""
    longest: float = 1.0
    """A gradient that is longer is shortened to this."""
    patience: int = 5
    """Evaluations without a better one, after which a stage ends."""
    watched: int = 600
    """Pairs of dev that are scored at each evaluation."""
    short: tuple[str, ...] = (
        "fever", "fever-symmetric", "fm2", "sanli-wiki", "vitaminc", "climate-fever", "scitail",
    )  # fmt: skip

    def described(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    def lasting(self, *passes: float) -> "Recipe":
        """The same with other numbers of passes."""
        if len(passes) != len(self.stages):
            raise ValueError(
                f"Expected {len(self.stages)} numbers of passes, one for each stage; "
                f"found {len(passes)}."
            )
        stages = (
            replace(stage, passes=count) for stage, count in zip(self.stages, passes, strict=True)
        )
        return replace(self, stages=tuple(stages))


MIX = (
    *(
        Contribution(source=name, most=1_000)
        for name in ("litl", "snli", "snli-cad", "mnli", "sanli-wiki", "scitail", "rte")
    ),
    *(
        Contribution(source=name, most=500)
        for name in (
            "climate-fever",
            "climate-fever-passage",
            "covidfact",
            "healthver",
            "fm2-passage",
        )
    ),
    Contribution(source="summedits-*", most=50),
    Contribution(source="fever", most=2_000),
    Contribution(source="fm2", most=1_000),
    Contribution(source="ab-*", times=3),
    Contribution(source="wice", times=3),
    Contribution(source="xquad-qa", times=2),
    Contribution(source="expertqa", times=2),
)
"""A little of everything, and of answers that cite passages all, several times."""

MADE_OF = (
    "ab-*", "wice", "expertqa", "fever", "fm2*", "climate-fever-passage", "vitaminc", "sanli-wiki",
)  # fmt: skip
"""Of whose entailed pairs hard negatives are made."""

CITED = (
    Contribution(source="ab-*", times=4),
    Contribution(source="wice", times=3),
    Contribution(source="expertqa", times=2),
    *(
        Contribution(source=f"made-{what}", most=most)
        for what, most in (
            ("number", 600),
            ("date", 600),
            ("name", 500),
            ("roles", 300),
            ("denied", 300),
            ("clause", 900),
            ("passage", 500),
        )
    ),
    *(
        Contribution(source=name, most=300)
        for name in ("xquad-qa", "fever", "fm2*", "vitaminc", "climate-fever-passage", "covidfact")
    ),
    Contribution(source="summedits-*", most=30),
    Contribution(source="*", most=150),
)
"""What people said of citations, as often as all else together; and against forgetting a little of
the rest."""

RECIPE = Recipe(
    stages=(
        Stage(
            name="short pairs",
            shares=(
                Contribution(source="litl", most=25_000),
                *(
                    Contribution(source=name)
                    for name in ("snli", "snli-cad", "mnli", "sanli-wiki", "fever")
                ),
            ),
            passes=3,
            rate=1.5e-4,
            tokens=96,
            dropout=0.0,
            evaluations=4,
        ),
        Stage(
            name="the whole mix",
            shares=(*MIX, Contribution(source="made-*", most=1_000), Contribution(source="*")),
            passes=3,
            rate=1e-4,
            tokens=128,
            dropout=0.0,
            neighbours=0.15,
            evaluations=6,
        ),
        Stage(
            name="cited answers",
            shares=CITED,
            passes=3,
            rate=3e-5,
            tokens=128,
            dropout=0.1,
            neighbours=0.15,
            evaluations=6,
            even=True,
        ),
    )
)

_LAST = RECIPE.stages[-1]
FURTHER = replace(
    RECIPE,
    stages=(replace(_LAST, passes=1, rate=5e-5, dropout=0.0, evaluations=2, resting=3),),
)
"""Where weights are given that were trained already: the last stage alone, half of the layers."""

STUDY = "study"
"""The source of a study's own pairs."""

FROM_STUDY = Recipe(
    stages=(
        Stage(
            name="the study's pairs",
            # Of other data a little, where there is any, against forgetting.
            shares=(Contribution(source=STUDY, times=4), Contribution(source="*", most=100)),
            passes=2.0,
            rate=5e-5,
            tokens=128,
            dropout=0.1,
            evaluations=4,
        ),
    )
)
