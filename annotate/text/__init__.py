"""Divide an answer into statements and citations, find words in passages, show an answer.

Pure: no Django, no database.
"""

from annotate.text.all_lines import marked_text, spans_of
from annotate.text.cleaning import Cleaned, clean_output
from annotate.text.file_division import SentenceNotFoundError, segment_given
from annotate.text.languages import is_language
from annotate.text.marks import find_marks, insert_marks, strip_marks
from annotate.text.segmentation import division_signature, segment, signature_of
from annotate.text.sources import Citable
from annotate.text.splitters import (
    DEFAULT_SPLITTER,
    SPLITTERS,
    Splitter,
    SplitterError,
    available_splitters,
    splitter_signature,
)
from annotate.text.structure import listed_sources
from annotate.text.types import (
    Citation,
    Division,
    Flood,
    Group,
    Lines,
    Mark,
    Mode,
    NotJudged,
    Reading,
    Segmentation,
    Span,
    Statement,
    Stripped,
    has_positional_citation,
    is_by_blocks,
)
from annotate.text.words import count_words, word_starts
