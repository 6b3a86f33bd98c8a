"""Reading what a corpus is made of: passages as they are, or documents, divided into passages."""

from annotate.formats.corpora.reading import CorpusReading, opened
