"""Which judge is to judge and with which scorer, as commands, forms and stored runs say it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from evaluation.claims import Parser
from evaluation.judges import VARIANTS, AutomaticJudge, Spec, Variant, load_judge, spec_of
from evaluation.judges.entailment import (
    Asker,
    Cache,
    Door,
    Scorer,
    check_options,
    load_connected,
    load_scorer,
    option_from_text,
    scorer_spec,
)

NO_CAP: Literal["none"] = "none"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ScorerSettings:
    scorer: str
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None

    def asker(self, cache: Cache | None = None, *, progress: Progress | None = None) -> Asker:
        """The scorer that answers, wrapped so that nothing is asked twice."""
        return Asker(self.load(), cache, threshold=self.threshold, progress=progress)

    def load(self, door: Door | None = None) -> Scorer:
        """The scorer itself; one that asks a server, through a door if there is one."""
        if door is None:
            return load_scorer(self.scorer, **self._options())
        return load_connected(self.scorer, door, **self._options())

    def check(self) -> None:
        """Refuse options that the scorer would refuse, without loading anything. To look at the
        options of one that loads a model is to import its library: that is left to the worker. The
        address of one that asks a server comes from a connection."""
        spec = scorer_spec(self.scorer)
        if not spec.loads_model:
            address = {"url": ""} if spec.connects else {}
            check_options(self.scorer, address | self._options())

    def _options(self) -> dict[str, Any]:
        """Those that were written as text are read as the scorer takes them."""
        options = {
            key: option_from_text(self.scorer, key, value) if isinstance(value, str) else value
            for key, value in self.options.items()
        }
        if self.model is not None:
            options["model"] = self.model
        return options


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What makes a judge. Empty: as the judge, the scorer or the study has it."""

    judge: str
    scorer: str
    model: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    threshold: float | None = None
    variant: Variant = "released"
    cap: int | Literal["none"] | None = None
    level: str = ""
    parser: str = ""
    connection: str = ""
    style: str = ""
    dimensions: Sequence[str] = ()
    """Of a language model: how it is asked (`evaluation/language_models/asking/styles`), and what;
    empty: the plain way, and all that people are asked."""

    examples: int | None = None
    guideline_examples: bool | None = None
    shown: str = ""
    """Of a language model: how many examples drawn from people's labels stand in its prompt,
    whether those of the guidelines do, and the digest of what a run shows."""

    def as_json(self) -> dict[str, Any]:
        """As the database keeps them."""
        return asdict(self)

    @property
    def spec(self) -> Spec:
        return spec_of(self.judge)

    @property
    def asks(self) -> bool:
        """Whether the judge asks an entailment scorer."""
        return self.spec.asks

    @property
    def asked(self) -> ScorerSettings:
        return ScorerSettings(self.scorer, self.model, self.options, self.threshold)

    @property
    def wants_a_gpu(self) -> bool:
        """Whether its work belongs to machines that have one."""
        return self.asks and scorer_spec(self.scorer).wants_gpu

    @property
    def calls_outside(self) -> bool:
        """Whether it asks another machine, which may be silent for long."""
        return self.spec.of_forms or (self.asks and scorer_spec(self.scorer).connects)

    @property
    def called(self) -> str:
        """What asks the other machine: the scorer, or the judge itself."""
        judge = f"The judge “{self.judge}”"
        return judge if self.spec.of_forms else f"The scorer “{self.scorer}”"

    def check_options(self) -> None:
        """Refuse options that the scorer would refuse."""
        if self.asks:
            self.asked.check()

    def make(
        self, asker: Asker | None, *, splitter: str, parser: Callable[[str], Parser]
    ) -> AutomaticJudge:
        """The judge itself; `splitter` is the study's, and `parser` loads the one asked for."""
        known = self.spec.takes
        chosen: dict[str, Any] = {}
        if "variant" in known or self.variant != VARIANTS[0]:
            chosen["variant"] = self.variant
        if self.cap is not None:
            chosen["cap"] = None if self.cap == NO_CAP else self.cap
        if self.level:
            chosen["level"] = self.level
        if "splitter" in known:
            chosen["splitter"] = splitter
        if "parser" in known and self.level in ("", "claims"):
            chosen["parser"] = parser(self.parser)
        if "model" in known and self.model:
            chosen["model"] = self.model
        return load_judge(self.judge, asker=asker if self.asks else None, **chosen)
