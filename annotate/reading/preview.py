"""The first responses of a file that is not loaded yet, as they will look."""

from dataclasses import dataclass

from annotate.formats import Limits, ResponseRecord, Where
from annotate.formats.attest import response
from annotate.models import Upload
from annotate.reading.answer import ShownAnswer, of_record
from annotate.services.uploads.dividing import divide


@dataclass(frozen=True, slots=True)
class PreviewedAnswer:
    record: ResponseRecord
    shown: ShownAnswer


def answers(upload: Upload) -> list[PreviewedAnswer]:
    """What the check kept to show. A response that cannot be divided is among the errors."""
    study = upload.study
    previews = []
    for line in upload.findings.get("preview", []):
        record = response(line, Where(), [], Limits())
        if record is None:
            continue
        try:
            division = upload.chosen_division
            found = divide(study, record, division)
            shown = of_record(record, found, study.citation_cap, division.language)
        except ValueError:
            continue
        previews.append(PreviewedAnswer(record, shown))
    return previews
