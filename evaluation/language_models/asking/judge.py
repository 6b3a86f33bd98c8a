"""A language model that answers the questions of a study's form, as raters are asked them.

Attest's own. A question that hangs on another's answer is asked where the model gave that answer,
as it is with people, and what is asked of a claim that it writes is asked in the words that it
chose. What it says of its answers, and the words of passages that it points at, are kept beside
them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotate.protocol.answers import said
from annotate.text.claim_from_words import text_of
from evaluation.judges.figures import Figures
from evaluation.judges.items import Asked, Item, Verdict
from evaluation.judges.judge import Variant
from evaluation.judges.spec import Spec
from evaluation.language_models.asking.asker import ItemAsked, ModelAsker, why_not
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.replies import Answered
from evaluation.language_models.asking.scores import Outcome
from evaluation.language_models.asking.speech import Reply

VERSION = 2

Place = tuple[str, str, str]
"""An item, a unit of it, and a dimension."""


class ModelJudge:
    """Answers what a form asks about each item (`Item.asked`). `guidelines` says which ones the
    model is given, `varied` what is otherwise than with the plain judge, `family` whose model it
    is, where somebody said so; `writes` whether it judges claims of its own, not the parser's."""

    def __init__(
        self,
        model: ModelAsker,
        *,
        guidelines: str = "none",
        varied: Sequence[str] = (),
        family: str = "",
        writes: bool = False,
    ) -> None:
        self.asker = model
        self._guidelines = guidelines
        of_family = [f"family:{family}"] if family else []
        self._before = (*varied, *of_family, *(["claims:own"] if writes else []))

    @property
    def signature(self) -> str:
        """Names everything that could change a verdict but the questions themselves, of which each
        answer names the wording."""
        parts = (
            "model",
            *self._before,
            *self.asker.examples.signature,
            self.asker.scorer.fingerprint,
            f"style:{self.asker.style.signature}",
            *self.asker.scoring.signature,
            f"guidelines:{self._guidelines}",
            f"v:{VERSION}",
        )
        return "|".join(parts)

    def count(self, items: Sequence[Item]) -> int:
        """Count what will be asked at most; about how many tokens that is."""
        return self.asker.count(ItemAsked(item, one) for item in items for one in item.asked)

    def told(
        self, items: Sequence[Item], fingerprint: str
    ) -> list[tuple[Asked, Prompt, Reply | None]]:
        """What the model is told about each question, and what the one of this fingerprint
        answered, where it was asked."""
        questions = [ItemAsked(item, one) for item in items for one in item.asked]
        told = zip(questions, self.asker.told(questions, fingerprint), strict=True)
        return [(question.asked, prompt, reply) for question, (prompt, reply) in told]

    def judge(self, items: Iterable[Item]) -> list[Verdict]:
        """Answers in the order of the form; none to what is not asked. Items are looked at when it
        is their turn: what hangs on no answer is asked as they come, the rest afterwards."""
        order: list[Place] = []
        waiting: dict[Place, tuple[Item, Asked]] = {}
        found: dict[Place, Outcome | None] = {}
        asked: list[Place] = []
        mirrored: dict[Place, bool | None] = {}
        sentences: dict[Place, str] = {}

        def at_once() -> Iterator[ItemAsked]:
            for item in items:
                own = {_place(item, one): one for one in item.asked}
                order.extend(own)
                mirrored.update((place, one.mirrored) for place, one in own.items())
                sentences.update((place, one.text) for place, one in own.items() if one.marked)
                for place, one in own.items():
                    if any(need in own for need, _ in _needs(item, one)):
                        waiting[place] = (item, one)
                    else:
                        asked.append(place)
                        yield ItemAsked(item, one)

        def then() -> Iterator[ItemAsked]:
            ready = [
                place
                for place, (item, one) in waiting.items()
                if all(need not in waiting for need, _ in _needs(item, one))
            ]
            for place in ready:
                item, one = waiting.pop(place)
                found[place] = None
                if _is_asked(item, one, found):
                    asked.append(place)
                    yield ItemAsked(item, _about_its_claim(item, one, found))

        questions = at_once()
        while True:
            outcomes = self.asker.answer(questions)
            found.update(zip(asked, outcomes, strict=True))
            asked.clear()
            if not waiting:
                break
            questions = then()
        outcomes_of = ((place, found[place]) for place in order)
        return [
            replace(
                _verdict(place, outcome),
                mirrored=mirrored[place],
                claim=_claim(sentences.get(place, ""), outcome),
            )
            for place, outcome in outcomes_of
            if outcome is not None
        ]


def _place(item: Item, one: Asked) -> Place:
    return item.key, one.unit, one.dimension.key


def _needs(item: Item, one: Asked) -> Iterator[tuple[Place, tuple[str, ...]]]:
    for unit, key, values in one.needs:
        yield (item.key, unit, key), values


def _is_asked(item: Item, one: Asked, found: Mapping[Place, Outcome | None]) -> bool:
    """Whether the answers that it depends on are those that it needs; what the judge is not asked
    itself stands in nobody's way."""
    for need, values in _needs(item, one):
        if need not in found:
            continue
        answer = found[need]
        if not isinstance(answer, Answered) or said(answer.value).isdisjoint(values):
            return False
    return True


def _about_its_claim(item: Item, one: Asked, found: Mapping[Place, Outcome | None]) -> Asked:
    """The question in the words that the judge chose, where it wrote the claim that is asked about:
    until then the sentence stands there."""
    for need, _ in _needs(item, one):
        answer = found.get(need)
        if isinstance(answer, Answered) and answer.chosen:
            return replace(one, text=text_of(one.text, answer.chosen))
    return one


def _claim(sentence: str, outcome: Outcome) -> dict[str, Any]:
    if not isinstance(outcome, Answered) or not outcome.chosen:
        return {}
    spans = [[*run] for run in outcome.chosen]
    return {"text": text_of(sentence, outcome.chosen), "spans": spans, "proposal": ""}


def _verdict(place: Place, outcome: Outcome) -> Verdict:
    item, unit, key = place
    if not isinstance(outcome, Answered):
        return Verdict(item, unit, key, reason=why_not(outcome))
    quoted = tuple((one.passage, one.start, one.end) for one in outcome.quoted)
    value, reason = outcome.value, why_not(outcome)
    score = outcome.score if value else None
    return Verdict(item, unit, key, value, score, reason, outcome.reason, quoted)


def per_item(item: Item, verdicts: Sequence[Verdict], variant: Variant) -> Figures:
    """None: what it answers is counted as people's answers are."""
    return {}


def aggregate(items: Sequence[Item], each: Sequence[Figures], variant: Variant) -> Figures:
    """None, as of one response."""
    return {}


SPEC = Spec(
    key="model",
    title="Language model",
    about="the study's questions, asked as raters are asked",
    judge=ModelJudge,
    of_forms=True,
    metrics=(),
    per_item=per_item,
    aggregate=aggregate,
)
