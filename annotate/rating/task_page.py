"""A task as its page shows it: the steps with their choices, and the passages."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from operator import itemgetter

from annotate.content import shown_response
from annotate.content.highlights import Highlight, called, evidence_of, marked, of_pair, quoted
from annotate.content.shown_response import ShownAnswer
from annotate.content.units import Contents, claims_of, contents_of, texts_of
from annotate.models import (
    Assignment,
    Batch,
    BatchItem,
    Evidence,
    Flag,
    Judgment,
    Question,
    Response,
    Source,
    Study,
    Unit,
)
from annotate.protocol.answers import parse_spans
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.pairs import place_of
from annotate.protocol.protocol import Protocol
from annotate.protocol.steps import Answers, Step, unanswered
from annotate.protocol.study import StudyProtocol
from annotate.rating.answer_fields import choice_keys as choice_keys
from annotate.rating.answer_fields import fields_of
from annotate.rating.answering import answers_of, is_locked
from annotate.rating.claim_words import Claims
from annotate.rating.shown_steps import ShownSide, ShownStep, sides
from annotate.rating.task_steps import form_steps, steps_of
from annotate.text.quotes import ShownQuote
from annotate.text.shown_passages import Piece, Span, pieces, shared_words
from annotate.text.windows import LONG, Extract, extract, length


@dataclass(frozen=True, slots=True)
class DeskPassage:
    """A passage: its sentences, or the `extract` of a long one that is not shown whole.

    `words` is the length of a long passage, otherwise 0. `place` is its name on the page, `called`
    its name for people if that is not its number.
    """

    source: Source
    place: int
    called: str
    sentences: tuple[Piece, ...] = ()
    extract: Extract | None = None
    words: int = 0

    @property
    def title(self) -> str:
        return self.source.passage.title or "(no title)"


@dataclass(frozen=True, slots=True)
class ShownReference:
    """The texts of a reference answer, and its claims if the task asks about them."""

    texts: tuple[str, ...]
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskPage:
    batch: Batch
    item: BatchItem
    assignment: Assignment | None
    shown: ShownAnswer
    steps: tuple[ShownStep, ...]
    passages: tuple[DeskPassage, ...]
    missing: tuple[str, ...] = field(default=())
    sides: tuple[ShownSide, ...] = ()
    """Both answers of a pair, in the rater's order."""

    reference: ShownReference | None = None
    """Shown instead of a response."""

    @property
    def asked(self) -> tuple[ShownStep, ...]:
        return tuple(step for step in self.steps if step.is_asked)

    @property
    def is_single(self) -> bool:
        return len(self.steps) == 1

    @property
    def is_short(self) -> bool:
        """Whether there are too few steps for a review before finishing."""
        return len(self.steps) <= 2

    @property
    def first_blind(self) -> ShownStep | None:
        """The first open step that must be answered before passages are shown."""
        blind = (s for s in self.steps if s.step.dimension.sight == "nothing")
        return next((s for s in blind if s.name in self.missing), None)

    @property
    def first_open(self) -> ShownStep | None:
        return next((s for s in self.steps if s.name in self.missing), None)

    @property
    def latest(self) -> ShownStep | None:
        """The step with the newest answer."""
        answered = [(s.saved.created_at, s) for s in self.asked if s.saved is not None]
        return max(answered, key=itemgetter(0), default=(None, None))[1]

    def step(self, name: str) -> ShownStep | None:
        return next((s for s in self.steps if s.name == name), None)

    def passage(self, n: int) -> DeskPassage | None:
        return next((p for p in self.passages if p.place == n), None)


def task_of(assignment: Assignment, whole: AbstractSet[int] = frozenset()) -> TaskPage:
    """Return the task with its judge's answers. `whole` lists long passages to show whole."""
    judge = assignment.judge
    response = assignment.item.response_id
    about = {"judge": judge, "unit__response": response}
    flags = Flag.objects.filter(withdrawn_at__isnull=True, **about)
    return _task(
        assignment.batch,
        assignment.item,
        contents_of(response),
        None,
        assignment,
        answers_of(assignment),
        {flag.unit_id: flag for flag in flags},
        list(evidence_of(judge.pk, response)),
        whole,
    )


def preview_of(batch: Batch, item: BatchItem, whole: AbstractSet[int] = frozenset()) -> TaskPage:
    """Return the task without answers, for researchers."""
    return _task(batch, item, contents_of(item.response_id), None, None, {}, {}, [], whole)


def form_for(
    study: Study, response: Response, dimensions: Sequence[Dimension], protocol: Protocol
) -> TaskPage:
    """Return a form that a study may use, about one of its responses, without a batch."""
    batch = Batch(study=study, dimensions=[dimension.key for dimension in dimensions])
    steps = form_steps(response.pk, study, dimensions, protocol)
    item, found = BatchItem(batch=batch, response=response), contents_of(response.pk)
    return _task(batch, item, found, steps, None, {}, {}, [], set())


def _task(
    batch: Batch,
    item: BatchItem,
    found: Contents,
    steps: Sequence[Step] | None,
    assignment: Assignment | None,
    answers: Answers,
    flags: dict[int, Flag],
    evidence: Sequence[Evidence],
    whole: AbstractSet[int],
) -> TaskPage:
    mirrored = assignment is not None and bool(assignment.mirrored)
    every = steps_of(batch, item, found) if steps is None else steps
    steps = [step.as_seen(mirrored=mirrored) for step in _in_reach(every, answers)]
    units = found.units
    places = {source: place_of(source, step.unit) for step in steps for source in step.sources}
    response = shown_response.of_response(
        item.response, units, batch.study.citation_cap, batch.study.language, found.sources
    )
    writing = batch.study.protocol.writing
    proposing = batch.claims_from == Batch.ClaimsFrom.PARSER
    claims = Claims(units, answers, writing, proposing=proposing)
    quotes = {step.name: _quotes(step, response) for step in steps}
    lit = {s.name: _lit(s, evidence, quotes[s.name], mirrored=mirrored) for s in steps}
    asked = {step.key for step in steps}
    kept = {step.name: _kept(step, lit[step.name], answers) for step in steps}
    extracts = {
        place: _extract(source, place, steps, units, claims, kept)
        for source, place in places.items()
        if length(source.passage.text) > LONG
    }
    shown = [
        replace(
            _shown_step(step, batch, answers, flags.get(step.unit.pk), units, claims, extracts),
            quotes=quotes[step.name],
            lit=lit[step.name],
            is_settled=assignment is not None
            and is_locked(assignment, step)
            and step.answer(answers) is not None,
            contradicted=_by(step, asked, 0),
            proposed_by=_by(step, asked, 1) if batch.proposes_support and step.is_only else "",
            claim=claims.shown(step.unit, to_choose=step.dimension.writes),
            about="" if step.written is None else claims.places(step.written),
        )
        for step in steps
    ]
    pair = next((step.unit for step in steps if step.unit.kind == UnitKind.PAIR), None)
    names = {} if pair is None else {n: called(n, mirrored=mirrored) for n in places.values()}
    passages = _passages(places, names, extracts, whole)
    return TaskPage(
        batch=batch,
        item=item,
        assignment=assignment,
        shown=response,
        steps=tuple(shown),
        passages=passages,
        missing=tuple(step.name for step in unanswered(steps, answers)),
        sides=() if pair is None else sides(batch.study, pair, passages, mirrored=mirrored),
        reference=reference_of(item.response.question, [(s.unit, s.dimension) for s in steps]),
    )


def reference_of(
    question: Question, asked: Iterable[tuple[Unit, Dimension]]
) -> ShownReference | None:
    """Return the reference that is shown instead of a response, or None."""
    kinds = {unit.kind for unit, dimension in asked if dimension.sees_reference}
    if not kinds:
        return None
    claims = claims_of(question.references) if UnitKind.RESPONSE in kinds else ()
    return ShownReference(tuple(texts_of(question.references)), tuple(claims))


def _in_reach(steps: Sequence[Step], answers: Answers) -> list[Step]:
    """Return the steps that can be asked.

    A step that depends on a dimension outside the task needs that answer from elsewhere.
    """
    here = {step.key for step in steps}
    return [
        step
        for step in steps
        if all(need.key in here or need.is_met(answers) for need in step.needs)
    ]


def _by(step: Step, asked: AbstractSet[str], which: int) -> str:
    """Return the whole-text step with its lowest or highest answer, for the page's script.

    Empty if the task does not ask it.
    """
    return f"{step.whole}={step.extremes[which]}" if step.whole in asked else ""


def _quotes(step: Step, response: ShownAnswer) -> tuple[ShownQuote, ...]:
    """Return what the step's citations quote from its passages."""
    in_sight = {source.n for source in step.sources}
    return tuple(
        quote
        for passage in response.passages
        for quote in passage.quotes
        if passage.n in in_sight
        and (quote.unit == step.unit.key or quote.unit.startswith(f"{step.unit.key}."))
    )


def _lit(
    step: Step, evidence: Sequence[Evidence], quotes: Sequence[ShownQuote], *, mirrored: bool
) -> tuple[Highlight, ...]:
    """Return a step's highlights: its judge's marks and the answer's quotations."""
    about = (step.unit.pk, step.dimension.key)
    own = [mark for mark in evidence if (mark.unit_id, mark.dimension) == about]
    if step.unit.kind == UnitKind.PAIR:
        return of_pair(marked(own), mirrored=mirrored)
    return (*marked(own), *quoted(quotes))


def _kept(step: Step, lit: Sequence[Highlight], answers: Answers) -> list[tuple[int, Span]]:
    """Return the spans that an extract must show: highlights and the answer's marked words."""
    found = [(one.n, one.span) for one in lit if one.n is not None]
    saved = step.answer(answers)
    if step.dimension.answer == "spans" and saved is not None and saved.value:
        found += [(span.passage, (span.start, span.end)) for span in parse_spans(saved.value)]
    return found


def _extract(
    source: Source,
    place: int,
    steps: Sequence[Step],
    units: Sequence[Unit],
    claims: Claims,
    kept: Mapping[str, Sequence[tuple[int, Span]]],
) -> Extract:
    own = [step for step in steps if source in step.sources]
    return extract(
        source.passage.text,
        {step.name: _sought(step, source, units, claims) for step in own},
        {step.name: [span for n, span in kept[step.name] if n == place] for step in own},
    )


def _sought(step: Step, source: Source, units: Sequence[Unit], claims: Claims) -> str:
    """Return the text that an extract should match: the judged text, or the pair's answer."""
    pair = step.unit
    if pair.kind == UnitKind.PAIR:
        of = pair.response if pair.response_id == source.response_id else pair.other
        return "" if of is None else of.text
    return _quoted(pair, units, claims) or pair.text


def _passages(
    places: Mapping[Source, int],
    names: Mapping[int, str],
    extracts: Mapping[int, Extract],
    whole: AbstractSet[int],
) -> tuple[DeskPassage, ...]:
    """Return the passages by number; for a pair, those of the other answer last."""
    return tuple(
        _passage(source, n, names.get(n, ""), extracts.get(n), is_whole=n in whole)
        for source, n in sorted(places.items(), key=lambda one: (one[1] < 0, one[0].n))
    )


def _passage(
    source: Source, place: int, called: str, found: Extract | None, *, is_whole: bool
) -> DeskPassage:
    words = 0 if found is None else length(source.passage.text)
    if found is not None and not is_whole:
        return DeskPassage(source, place, called, extract=found, words=words)
    return DeskPassage(source, place, called, tuple(pieces(source.passage.text, [])), words=words)


def shown_step(step: Step, assignment: Assignment, saved: Judgment | None) -> ShownStep:
    """Return a step after saving, with what the page does not know yet."""
    answers = {} if saved is None else {(saved.unit_id, saved.dimension): saved}
    claims = Claims([], answers, assignment.batch.study.protocol.writing)
    return _shown_step(step, assignment.batch, answers, None, [], claims, {})


def _shown_step(
    step: Step,
    batch: Batch,
    answers: Answers,
    flag: Flag | None,
    units: Sequence[Unit],
    claims: Claims,
    extracts: Mapping[int, Extract],
) -> ShownStep:
    saved = step.answer(answers)
    stored = answers.get((step.unit.pk, step.dimension.key))
    quoted = "" if step.dimension.writes else _quoted(step.unit, units, claims)
    texts = _texts(step, units)
    return ShownStep(
        step=step,
        place=_place(step.unit, step.dimension),
        quoted=quoted,
        fields=fields_of(step.dimension, "" if saved is None else saved.value, texts),
        saved=saved,
        edit="" if stored is None else stored.edit,
        is_asked=step.is_asked(answers),
        flag=flag,
        shared=_shared(step, quoted, extracts) if batch.study.shared_words and units else {},
        needs=" ".join(need.said for need in step.needs),
        judged=_judged(step, units) if _is_judged_apart(step, quoted) else "",
        texts=texts,
        is_own=step.dimension.key in batch.study.protocol.own,
    )


def _texts(step: Step, units: Sequence[Unit]) -> dict[int, str]:
    """Return the texts in which the answer's words are marked."""
    if step.dimension.answer != "spans":
        return {}
    if step.dimension.marks == "passages":
        return {source.n: source.passage.text for source in step.sources}
    return {0: _judged(step, units)}


def _judged(step: Step, units: Sequence[Unit]) -> str:
    about = _about(step.unit, units)
    return step.unit.judged_text if about is None else about.text


def _is_judged_apart(step: Step, quoted: str) -> bool:
    """Whether words are marked in a text that the step does not quote.

    That is the whole answer, or the sentence of a claim that its judge wrote.
    """
    if step.dimension.answer == "spans" and step.dimension.marks == "text":
        return step.written is not None or not quoted
    if step.unit.kind == UnitKind.PAIR:
        return False
    return not quoted and bool(step.sources) and step.written is None


def _quoted(unit: Unit, units: Sequence[Unit], claims: Claims) -> str:
    """Return the text that a step is about; for a citation, its statement or claim."""
    about = None if unit.kind == UnitKind.RESPONSE else _about(unit, units)
    return "" if about is None else claims.text(about)


def _about(unit: Unit, units: Sequence[Unit]) -> Unit | None:
    """Return the unit whose text a step is about, or None if it is not among `units`."""
    if unit.kind in {UnitKind.CITATION, UnitKind.CLAIM_CITATION}:
        return next((u for u in units if u.pk == unit.parent_id), None)
    return unit


def _place(unit: Unit, dimension: Dimension) -> str:
    """Return a unit's name: s2.c1 is the first citation of the second statement."""
    if unit.key == "r" and dimension.sees_reference:
        return "The whole reference answer"
    words = {"s": "statement", "c": "citation", "a": "claim", "g": "claim"}
    if unit.key == "r":
        return "The whole answer"
    if unit.kind == UnitKind.PAIR:
        return "Both answers"
    if unit.kind == UnitKind.REFERENCE_CLAIM:
        return f"Claim {unit.ordinal} of the reference answer"
    text = ", ".join(f"{words[part[0]]} {part[1:]}" for part in unit.key.split("."))
    return text[0].upper() + text[1:]


def _shared(
    step: Step, quoted: str, extracts: Mapping[int, Extract]
) -> dict[str, list[tuple[int, int]]]:
    """Return the words that the quoted text (`q`) shares with each passage, by passage number.

    Places in a long passage are those in its extract.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    own: set[tuple[int, int]] = set()
    for source in step.sources:
        text, part = source.passage.text, extracts.get(source.n)
        in_quoted, in_passage = (
            shared_words(quoted, text) if part is None else part.shared(step.name, quoted, text)
        )
        own.update(in_quoted)
        found[str(source.n)] = list(in_passage)
    return {"q": sorted(own), **found} if quoted else {}


def preview_form(
    study: Study, response: Response, protocol: StudyProtocol, asked: Sequence[str], key: str
) -> tuple[TaskPage, str]:
    """Return the form about a response, and the first step that asks a dimension.

    The step is empty if no step asks it.
    """
    page = form_for(study, response, protocol.of(asked), protocol)
    return page, next((one.name for one in page.steps if one.step.dimension.key == key), "")
