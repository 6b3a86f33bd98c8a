"""Outputs divided into statements, each with the passages that it cites."""

from annotate.segment.all_lines import marked_text, spans_of
from annotate.segment.cleaning import Cleaned, clean_output
from annotate.segment.given import SentenceNotFoundError, segment_given
from annotate.segment.languages import is_language
from annotate.segment.listed import listed_sources
from annotate.segment.marks import find_marks, insert_marks, strip_marks
from annotate.segment.positions import has_positional_citation
from annotate.segment.segmentation import division_signature, segment, signature_of
from annotate.segment.sources import Citable
from annotate.segment.splitters import (
    DEFAULT_SPLITTER,
    SPLITTERS,
    Splitter,
    SplitterError,
    available_splitters,
    splitter_signature,
)
from annotate.segment.types import (
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
    is_by_blocks,
)
from annotate.segment.words import count_words, word_starts
