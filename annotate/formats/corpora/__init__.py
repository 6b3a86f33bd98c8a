"""Read a corpus: passages from tables, and documents divided into passages."""

from annotate.formats.corpora.reading import CorpusReading, opened
