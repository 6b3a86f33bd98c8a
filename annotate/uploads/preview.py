"""The first responses of a file that is not loaded yet, as they will look."""

from dataclasses import dataclass

from annotate.content.shown_response import ShownAnswer, of_record
from annotate.formats import Limits, ResponseRecord, Where
from annotate.formats.attest import response
from annotate.formats.fields import Fields
from annotate.models import Upload
from annotate.uploads.dividing import divide


@dataclass(frozen=True, slots=True)
class PreviewedAnswer:
    record: ResponseRecord
    shown: ShownAnswer


def answers(upload: Upload) -> list[PreviewedAnswer]:
    """What the check kept to show. A response that cannot be divided is among the errors."""
    lines = upload.findings.get("preview", [])
    records = (response(Fields(line, Where(), []), Limits()) for line in lines)
    return [found for each in records if (found := shown(upload, each))]


def shown(upload: Upload, record: ResponseRecord) -> PreviewedAnswer | None:
    """One response of a file as it will look, where it can be divided."""
    division = upload.chosen_division
    try:
        found = divide(record, division, has_statements=upload.study.has_statements)
        answer = of_record(record, found, upload.study.citation_cap, division.language)
    except ValueError:
        return None
    return PreviewedAnswer(record, answer)
