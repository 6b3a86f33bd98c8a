"""Find repeated keys of a file in little memory: keys are kept as short hashes."""

from hashlib import blake2b

from annotate.formats.records import Problem, ResponseRecord, Where

_PLACE_BYTES = 16


def _hash(*parts: str) -> bytes:
    """Return sixteen bytes for some texts. ("ab", "c") and ("a", "bc") differ."""
    joined = "\0".join(parts)  # accepted texts have no NUL
    return blake2b(joined.encode(), digest_size=_PLACE_BYTES).digest()


class SeenKeys:
    """Where each key was first seen. A place is a line number or an index."""

    def __init__(self) -> None:
        self._places: dict[bytes, int | str] = {}

    def first(self, where: Where, *parts: str) -> Where | None:
        """Return the place of an earlier record with this key; remember a new key."""
        place = where.line if where.line is not None and not where.index else where.index
        earlier = self._places.setdefault(_hash(*parts), place or 0)
        if earlier == place:
            return None
        return Where(line=earlier) if isinstance(earlier, int) else Where(index=earlier)


class ResponseRepeats:
    """Find second responses to one question, and question ids with two texts."""

    def __init__(self) -> None:
        self._responses = SeenKeys()
        self._texts: dict[bytes, bytes] = {}

    def problem(self, record: ResponseRecord) -> Problem | None:
        """Return the problem with a record that is valid in itself."""
        where, question = record.where, record.question
        if question.external_id and question.text:
            text = _hash(question.text)
            if self._texts.setdefault(_hash(question.external_id), text) != text:
                return Problem(
                    where,
                    "one text for each question id",
                    f"another text for the id {question.external_id!r} than before",
                )
        key = ("id", question.external_id) if question.external_id else ("text", question.text)
        system = record.system.strip()
        if earlier := self._responses.first(where, system, record.run, *key):
            return Problem(
                where,
                "one response for each question, system and run",
                f"a second one; the first is at {earlier}",
                "Give the runs different names, or remove one.",
            )
        return None
