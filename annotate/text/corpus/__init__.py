"""Passages on disk, and an index that finds them. Neither is ever completely in memory.

A folder holds both. It is built in one pass over the passages and one over the parts of the index,
and is read-only afterwards.
"""

from annotate.text.corpus.index import CorpusBuilder, CorpusIndex, RepeatedKey, Unsearchable
from annotate.text.corpus.passages import CorpusPassage
