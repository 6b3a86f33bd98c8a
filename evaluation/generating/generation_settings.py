"""Settings of a generation (system, model, passages, temperature, seeds) and their defaults."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from annotate.models import Question, Study, System
from annotate.web.errors import Refused
from evaluation.generating.systems.demonstrations import (
    Demonstration,
    DemonstrationError,
    Pair,
    digest_of,
    own_pairs,
    pool,
    read_demonstrations,
    read_pairs,
)
from evaluation.generating.systems.options import LIST, Options, with_options
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import AUTOAIS, RERANK, SystemSpec
from evaluation.generating.systems.writing import Decoding, uses_autoais
from evaluation.judges.entailment import DEFAULT_SCORER, ScorerError, scorer_spec
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.scores import MOST_SAMPLES
from evaluation.language_models.asking.server_apis import LOCAL
from evaluation.language_models.asking_models import MODEL, options_of
from evaluation.models import Connection

HOSTED, OPEN = Decoding(0.5), Decoding(1.0, 0.95)
"""The default decoding of a model behind a server, and of a model on this machine."""

ASKING = ("at_once", "per_minute", "most_tokens", "timeout", "tries", "effort")
"""The options of asking that judges also have."""

MOST_TOKENS = 300
"""The default limit of tokens that one call writes."""

MOST_SEEDS, MOST_CONTEXT = 10, 10_000_000
DECODING = ("temperature", "nucleus")


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """Settings as a row stores them. Empty values mean the default of system, paper or study."""

    system: str
    connection: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    """The system's own options and those of asking (`ASKING`), as they were typed."""

    passages_of: int | None = None
    """The system whose passages the questions have; none: those of all systems."""

    corpus: str = ""
    seeds: Sequence[int] = (1,)
    temperature: float | None = None
    nucleus: float | None = None
    context: int = 0
    afterwards: str = ""
    samples: int = 4
    scorer: str = DEFAULT_SCORER
    scorer_model: str | None = None
    examples: str = ""
    """The text of a file of examples."""

    questions: int | None = None
    simulated: bool = False
    """Whether answers are made by rule, without a model (the demo's)."""

    @classmethod
    def of(cls, study: Study, given: Mapping[str, Any]) -> "GenerationSettings":
        """Return the settings among the values of a form, a program or a command.

        There `passages_of` is a system's name.
        """
        found = {one.name: given[one.name] for one in fields(cls) if one.name in given}
        name = found.pop("passages_of", None)
        if not name:
            return cls(**found)
        source = System.objects.loaded().filter(study=study, name=name).first()
        if source is None:
            raise Refused(f"There is no system “{name}” in this study.")
        return cls(**found, passages_of=source.pk)

    def as_json(self) -> dict[str, Any]:
        """Return the settings as the database stores them."""
        return asdict(self)

    @property
    def spec(self) -> SystemSpec:
        if self.system not in SYSTEMS:
            raise Refused(f"There is no system “{self.system}”; there are {', '.join(SYSTEMS)}.")
        return SYSTEMS[self.system]

    @property
    def own(self) -> Options:
        """The system's own options."""
        given = {name: value for name, value in self.options.items() if name not in ASKING}
        try:
            return with_options(self.spec.usual, self.spec.takes, given)
        except ValueError as error:
            raise Refused(str(error)) from None

    @property
    def asking(self) -> JudgeSettings:
        """How to ask the model, as settings of a judge."""
        given = {name: value for name, value in self.options.items() if name in ASKING}
        options = {"most_tokens": str(MOST_TOKENS), **given}
        return JudgeSettings(MODEL, "", options=options, connection=self.connection)

    @property
    def scoring(self) -> JudgeSettings | None:
        """The scorer of answers or passages, if the system or the editing needs one."""
        usual = "alce" if self.spec.needs_answers else None
        judge = {RERANK: "alce", AUTOAIS: "autoais"}.get(self.afterwards, usual)
        return None if judge is None else JudgeSettings(judge, self.scorer, self.scorer_model)

    @property
    def answers_per_question(self) -> int:
        """How often each question is answered: samples of all seeds."""
        return len(self.seeds) * (self.samples if self.afterwards == RERANK else 1)

    @property
    def limits(self) -> tuple[str, ...]:
        """The limits that a signature names: context, number of questions, samples."""
        samples = self.samples if self.afterwards == RERANK else None
        named = {"context": self.context, "questions": self.questions, "samples": samples}
        return tuple(f"{name}:{value}" for name, value in named.items() if value)

    @property
    def uses_autoais(self) -> bool:
        """Whether entailment decides on the answer or passage."""
        return uses_autoais(self.afterwards)

    def decoding(self, mode: str) -> Decoding:
        """Return the decoding of the model behind a connection of this mode."""
        usual = OPEN if mode == LOCAL else HOSTED
        if self.spec.temperature is not None:
            usual = replace(usual, temperature=self.spec.temperature)
        if self.temperature is not None:
            usual = replace(usual, temperature=self.temperature)
        return usual if self.nucleus is None else replace(usual, nucleus=self.nucleus)

    def demonstrations(self) -> tuple[Demonstration, ...]:
        """Return the demonstrations of the file, or Attest's own."""
        if self.spec.examples != "demonstrations":
            return ()
        return self._read(read_demonstrations) if self.examples else pool(self.own.form)

    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs of the file, or Attest's own."""
        if self.spec.examples != "pairs":
            return ()
        return self._read(read_pairs) if self.examples else own_pairs()

    @property
    def named_examples(self) -> str:
        found = [*self.demonstrations(), *self.pairs()]
        return digest_of(found) if found else "none"

    def _read(self, read: Any) -> Any:
        try:
            return read(self.examples)
        except DemonstrationError as error:
            raise Refused(f"The file of examples cannot be read. {error}") from None

    @property
    def _draws(self) -> bool:
        """Whether each seed shows other examples."""
        own = self.own
        if self.spec.examples == "demonstrations":
            return own.shots > 0
        return self.spec.examples == "pairs" and own.pairs > 0 and own.pairs_by == "random"

    def _check_examples(self) -> None:
        """Refuse a file with fewer examples than the system shows."""
        spec, own = self.spec, self.own
        shown, pairs = self.demonstrations(), self.pairs()
        if spec.examples == "demonstrations" and len(shown) < own.shots:
            raise Refused(
                f"The file of examples has {len(shown)}, and {own.shots} are to be shown: set the "
                "option shots, or add some."
            )
        if spec.examples == "pairs" and own.pairs and not pairs:
            raise Refused("The file of examples has no pairs.")
        for number, one in enumerate(shown if spec.acts and own.shots else (), 1):
            if not getattr(one, spec.key):
                raise Refused(
                    f"{spec.title} is shown actions: expected a list of them as {spec.key} of "
                    f"demonstration {number} of the file of examples."
                )

    def _check_scorer(self) -> None:
        """Refuse a scorer that does not exist or that needs a connection."""
        try:
            connects = scorer_spec(self.scorer).connects
        except ScorerError as error:
            raise Refused(str(error)) from None
        if connects:
            raise Refused(
                f"The scorer “{self.scorer}” asks a server, and no connection leads to one here: "
                "choose a scorer of this machine."
            )

    def check(self) -> None:
        """Refuse impossible settings."""
        spec, _ = self.spec, self.own
        options_of(self.asking)
        if self.examples and spec.examples == "none":
            raise Refused(f"{spec.title} is shown no examples.")
        self._check_examples()
        if self.scoring is not None:
            self._check_scorer()
        if self.afterwards and self.afterwards not in spec.afterwards:
            listed = ", ".join(spec.afterwards)
            raise Refused(f"After {spec.title} there may be: {listed}; not “{self.afterwards}”.")
        if not self.seeds or len({*self.seeds}) != len(self.seeds) or len(self.seeds) > MOST_SEEDS:
            raise Refused(f"Expected one to {MOST_SEEDS} seeds, each another.")
        if not all(0 < seed < 1_000_000 for seed in self.seeds):
            raise Refused("Expected seeds from 1 to 999,999.")
        if not 2 <= self.samples <= MOST_SAMPLES:
            raise Refused(f"Expected 2 to {MOST_SAMPLES} samples.")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise Refused("Expected a temperature from 0 to 2.")
        if self.nucleus is not None and not 0 < self.nucleus <= 1:
            raise Refused("Expected a nucleus of more than 0 and at most 1.")
        if not 0 <= self.context <= MOST_CONTEXT:
            raise Refused(f"Expected a context of up to {MOST_CONTEXT:,} tokens; 0: not known.")
        if self.context and self.context <= options_of(self.asking)["most_tokens"]:
            raise Refused("Expected a context longer than what one call writes (most_tokens).")
        if self.temperature == 0 and (
            self.afterwards == RERANK or (len(self.seeds) > 1 and not self._draws)
        ):
            raise Refused(
                "At temperature 0 every sample is the same: leave rerank out, and seeds where no "
                "examples are drawn by them."
            )
        if self.questions is not None and self.questions < 1:
            raise Refused("Expected one question at least.")


THINKING = 4_000
"""The tokens that a model with an effort may write in addition to its answer."""


def with_proposals(
    study: Study, settings: GenerationSettings, connection: Connection | None
) -> GenerationSettings:
    """Return the settings with the proposed options added."""
    found = proposed(study, settings, connection)
    whole = replace(settings, options={**settings.options, **found})
    whole.check()
    return whole


def proposed(
    study: Study, settings: GenerationSettings, connection: Connection | None
) -> Mapping[str, str]:
    """Return options that were not given and whose default does not suit the data."""
    spec, said = settings.spec, settings.options
    found: dict[str, str] = {}
    if "form" in spec.takes and "form" not in said and _has_lists(study):
        found["form"] = LIST
    form = found.get("form") or settings.own.form
    most = spec.writes(form) + (THINKING if said.get("effort") else 0)
    if "most_tokens" not in said and most != MOST_TOKENS:
        found["most_tokens"] = str(most)
    context = min(filter(None, (settings.context, _reads(connection))), default=0)
    if "ndoc" not in said and spec.of_context and context:
        ndoc = max(many for least, many in spec.of_context if least <= context)
        if ndoc != settings.own.ndoc:
            found["ndoc"] = str(ndoc)
    return found


def _has_lists(study: Study) -> bool:
    """Whether the questions' references are lists of answers, as QAMPARI's.

    That is so if most name several answers and nothing else.
    """
    known = Question.objects.filter(study=study).exclude(references={})
    if known.filter(references__has_any_keys=["qa_pairs", "claims"]).exists():
        return False
    several = known.filter(references__answers__1__isnull=False)
    return several.count() * 2 > known.count()


def _reads(connection: Connection | None) -> int:
    """Return how many tokens a model of this machine reads by its config; 0 if unknown."""
    if connection is None or connection.mode != LOCAL:
        return 0
    try:
        told = json.loads((Path(connection.url) / "config.json").read_text("utf-8"))
        return max(0, int(told.get("max_position_embeddings") or 0))
    except (OSError, ValueError, OverflowError, AttributeError, TypeError):
        return 0
