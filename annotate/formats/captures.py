"""Texts for sources without one: captured pages by address, or texts by id."""

from annotate.formats.fields import Fields
from annotate.formats.json_records import first_record, json_records, records_of
from annotate.formats.passages_file import TEXTS, checked_key, passage_of
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import CapturedRow
from annotate.formats.repeats import SeenKeys
from annotate.formats.tables.guessing import NAMES


def records(reading: Reading) -> Records:
    """Yield one text per record."""
    repeats = SeenKeys()

    def row(fields: Fields) -> CapturedRow | None:
        members = fields.rest()
        key = checked_key(fields)
        if fields.problems:
            return None
        if earlier := repeats.first(fields.where, key):
            fields.complain("", "each id or address once", f"it again, as at {earlier}")
        return CapturedRow(fields.where, passage_of(key, members))

    return records_of(json_records(reading.source), reading.limits, row)


def _begins_so(beginning: Beginning) -> bool:
    """Accept texts by address. Texts in rows with an answer are passages of a table."""
    keys = first_record(beginning).keys()
    answers = {"question", *NAMES["outputs"]["output"]}
    return "url" in keys and bool({*TEXTS} & keys) and not answers & keys


FORMAT = Format(
    key="captures",
    title="Captured pages",
    extensions=(".jsonl", ".json"),
    kind="captures",
    description="Texts by address or id, for sources that the study has without a text.",
    example=example_of("captures.jsonl"),
    begins_so=_begins_so,
    records=records,
)
