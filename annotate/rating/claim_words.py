"""Claims at the desk: the words to choose from, and the claim's place in the answer."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotate.content.written_claims import proposals
from annotate.models import Judgment, Unit
from annotate.protocol.dimensions import UnitKind, is_written
from annotate.text.claim_from_words import Place, places_in, runs_saying, words_of, written
from annotate.text.scripts import is_unspaced

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ShownMark:
    """The numbers of a group of citation marks. `is_own`: the claim is about this group."""

    numbers: tuple[int, ...]
    is_own: bool

    def __str__(self) -> str:
        text = "".join(f"[{number}]" for number in self.numbers)
        return f"⟦{text}⟧" if self.is_own else text


@dataclass(frozen=True, slots=True)
class ShownWord:
    """A word to choose, and the marks after it. `lit` is its place by `in_answer`."""

    text: str
    place: str
    lit: str
    is_chosen: bool
    marks: tuple[ShownMark, ...]
    unspaced: str
    """Its ends (`first`, `last`) that are characters of a script without spaces."""


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim in its sentence, with its place in the answer.

    `lit` are the places of its words, `signs` is the sentence's length, both by `in_answer`.
    `chips` are the keys of its citations.
    """

    key: str = ""
    lit: str = ""
    signs: int = 0
    chips: str = ""
    words: tuple[ShownWord, ...] = ()
    before: tuple[ShownMark, ...] = ()
    """Marks before the first word."""

    @property
    def marked(self) -> str:
        """The sentence with its marks. The claim's own marks are between ⟦ and ⟧."""
        said = "".join(map(str, self.before))
        joins = False
        for word in self.words:
            near = joins and "first" in word.unspaced
            said += ("" if near or not said else " ") + word.text + "".join(map(str, word.marks))
            joins = "last" in word.unspaced and not word.marks
        return said


class Claims:
    """The claims of a response as one judge sees them: the parser's, or the judge's own."""

    def __init__(
        self,
        units: Sequence[Unit],
        answers: Mapping[tuple[int, str], Judgment],
        writing: Collection[str],
        *,
        proposing: bool = False,
    ) -> None:
        self._units = {unit.pk: unit for unit in units}
        self._proposals = proposals(units) if proposing else {}
        self._whole = units[0].text if units else ""
        self._written: dict[int, Mapping[str, object]] = {
            unit: answer.claim for (unit, key), answer in answers.items() if key in writing
        }

    def text(self, claim: Unit) -> str:
        """Return the claim's text; empty if it is not written yet."""
        if not is_written(claim.key):
            return claim.text
        return str(self._claim_of(claim).get("text", ""))

    def places(self, claim: Unit) -> str:
        """Return the places of the judge's chosen words in the sentence."""
        spans = self._claim_of(claim).get("spans", [])
        assert isinstance(spans, list)
        return written(spans)

    def _claim_of(self, claim: Unit) -> Mapping[str, object]:
        return self._written.get(claim.pk, {})

    def shown(self, unit: Unit, *, to_choose: bool = False) -> ShownClaim:
        """Return the claim that a step is about, or whose citation it is about."""
        claim = unit if unit.kind == UnitKind.CLAIM else self._units.get(unit.parent_id or 0)
        sentence = self._units.get(claim.parent_id or 0) if claim is not None else None
        if claim is None or sentence is None or sentence.kind != UnitKind.STATEMENT:
            return ShownClaim()
        proposed = runs_saying(sentence.text, self._proposals.get(claim.pk, ""))
        runs = self._runs(claim, sentence)
        marks = self._marks(claim, sentence) if to_choose else {}
        chosen = runs or ([] if claim.pk in self._written else proposed)
        return ShownClaim(
            key=claim.key,
            lit=written(in_answer(sentence.text, run) for run in runs),
            signs=in_answer(sentence.text, (0, len(sentence.text)))[1],
            chips=" ".join(self._chips(unit, sentence)),
            words=tuple(
                ShownWord(
                    text=sentence.text[start:last],
                    place=written([(start, last)]),
                    lit=written([in_answer(sentence.text, (start, last))]),
                    is_chosen=any(a <= start and last <= b for a, b in chosen),
                    marks=tuple(marks.get(number, ())),
                    unspaced=" ".join(
                        end
                        for end, at in (("first", start), ("last", last - 1))
                        if is_unspaced(sentence.text[at])
                    ),
                )
                for number, (start, last) in enumerate(words_of(sentence.text), 1)
            )
            if to_choose
            else (),
            before=tuple(marks.get(0, ())),
        )

    def _runs(self, claim: Unit, sentence: Unit) -> list[Place]:
        if not is_written(claim.key):
            return runs_saying(sentence.text, claim.text)
        return places_in(self.places(claim))

    def _marks(self, claim: Unit, sentence: Unit) -> dict[int, list[ShownMark]]:
        """Return the sentence's groups of marks, by the number of words before them."""
        ends = []
        reached = sentence.start
        for start, end in words_of(sentence.text):
            word = _WORD.search(sentence.text, start, end)
            found = self._whole.find(word[0], reached, sentence.end) if word else -1
            reached = found + len(word[0]) if word and found >= 0 else reached
            ends.append(reached)
        marks: dict[int, list[ShownMark]] = {}
        for group in self._units.values():
            if group.parent_id == sentence.pk and is_written(group.key):
                before = sum(end <= group.end for end in ends)
                numbers = tuple(cited.number or 0 for cited in self._cited(group))
                marks.setdefault(before, []).append(ShownMark(numbers, group.pk == claim.pk))
        return marks

    def _cited(self, unit: Unit) -> list[Unit]:
        """Return the claim's citations, or the citation itself."""
        if unit.kind == UnitKind.CLAIM_CITATION:
            return [unit]
        return [u for u in self._units.values() if u.parent_id == unit.pk]

    def _chips(self, unit: Unit, sentence: Unit) -> list[str]:
        """Return the keys of the answer's marks that the claim cites."""
        own = {(cited.start, cited.end, cited.number) for cited in self._cited(unit)}
        return [
            u.key
            for u in self._units.values()
            if u.parent_id == sentence.pk
            and u.kind == UnitKind.CITATION
            and (u.start, u.end, u.number) in own
        ]


def in_answer(text: str, place: Place) -> Place:
    """Return a place in a sentence, counting only characters that are not white space.

    In the answer, marks and line breaks may interrupt the sentence.
    """
    start = len("".join(text[: place[0]].split()))
    return start, start + len("".join(text[slice(*place)].split()))
