"""Passages on a disk, and an index that finds them: neither is ever wholly in memory.

A folder holds both. It is built in one pass over the passages and one over the parts of the index,
and only ever read afterwards.
"""

from annotate.text.corpus.index import CorpusBuilding, CorpusIndex, RepeatedKey, Unsearchable
from annotate.text.corpus.passages import CorpusPassage
