"""Read and write files: every published format gives the same records and problems."""

from annotate.formats.attest import SCHEMA_PATH, response_schema
from annotate.formats.judgment_fields import COLUMNS as JUDGMENT_COLUMNS
from annotate.formats.judgment_fields import STANDING_COLUMNS
from annotate.formats.limits import Limits
from annotate.formats.reader import Reader, read
from annotate.formats.reading import Beginning, Format
from annotate.formats.recognition import FORMATS, formats_listed, recognise, unrecognised
from annotate.formats.records import (
    CapturedRow,
    GivenStatement,
    JudgeKind,
    JudgmentRecord,
    JudgmentRow,
    PassageRecord,
    Problem,
    QuestionRecord,
    QuestionRow,
    ReferenceRow,
    ResponseRecord,
    Where,
)
from annotate.formats.unit_keys import unit_kind
from annotate.formats.writing import (
    judgments_csv_header,
    write_judgment_csv,
    write_judgment_jsonl,
    write_question,
    write_response,
)
