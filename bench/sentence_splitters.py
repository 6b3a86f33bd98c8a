"""How well sentence splitters find the boundaries of a treebank's sentences.

Run as `python -m bench.sentence_splitters DEV.conllu.gz`. Precision, recall and F1 count the
boundaries inside paragraphs; a paragraph's own start counts for nobody.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from annotate.text import SPLITTERS, Splitter, available_splitters, find_marks, strip_marks
from annotate.text.statement_starts import repaired_starts, strict_starts
from bench.treebank_text import MARKINGS, Paragraph, paragraphs
from evaluation.claims.parsing import SMALL, load_parser

GUM_PROSE = ("academic", "bio", "interview", "news", "textbook", "voyage")
CORPORA: dict[str, Callable[[str], bool]] = {
    "GUM prose": lambda document: document.startswith(tuple(f"GUM_{g}_" for g in GUM_PROSE)),
    "EWT": lambda document: not document.startswith("GUM_"),
}


class Found(NamedTuple):
    """Boundaries found rightly, wrongly, and not at all."""

    right: int
    wrong: int
    missed: int

    def precision(self) -> float:
        """Share of the boundaries found that are right."""
        return self.right / max(1, self.right + self.wrong)

    def recall(self) -> float:
        """Share of the true boundaries that were found."""
        return self.right / max(1, self.right + self.missed)

    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def other_splitters() -> Iterator[tuple[str, Splitter]]:
    """Splitters to compare with, where their packages are installed."""
    try:
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError:
        pass
    else:
        bare = PunktSentenceTokenizer()
        yield "punkt without parameters", lambda t: [a for a, _ in bare.span_tokenize(t)]
    try:
        import pysbd
    except ImportError:
        pass
    else:
        pragmatic = pysbd.Segmenter(language="en", clean=False, char_span=True)
        yield "pysbd", lambda t: [span.start for span in pragmatic.segment(t)]
    try:
        import spacy
    except ImportError:
        pass
    else:
        blank = spacy.blank("en")
        blank.add_pipe("sentencizer")
        yield "spaCy sentencizer", lambda t: [span.start_char for span in blank(t).sents]
        trees = load_parser(SMALL).nlp
        yield SMALL, lambda t: [span.start_char for span in trees(t).sents]


def _at_ink(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def score(texts: Sequence[Paragraph], split: Splitter, *, in_place: bool) -> Found:
    """Compare boundaries; `in_place` splits the text with its marks, as the strict reading does."""
    right = wrong = missed = 0
    for text, gold_starts in texts:
        if in_place:
            starts = strict_starts(text, find_marks(text), split)
        else:
            starts = repaired_starts(strip_marks(text), split)
        first = {_at_ink(text, 0)}
        gold = {_at_ink(text, start) for start in gold_starts} - first
        found = {_at_ink(text, start) for start in starts} - first - {len(text)}
        right += len(gold & found)
        wrong += len(found - gold)
        missed += len(gold - found)
    return Found(right, wrong, missed)


def show_errors(texts: Sequence[Paragraph], split: Splitter) -> None:
    """Print each wrong (+) and missed (-) boundary with what stands around it."""
    for text, gold_starts in texts:
        found = {_at_ink(text, start) for start in repaired_starts(strip_marks(text), split)}
        gold = {_at_ink(text, start) for start in gold_starts}
        for start in sorted(found ^ gold):
            if start > _at_ink(text, 0):
                sign = "+" if start in found else "-"
                print(sign, f"{text[max(0, start - 50) : start]} ¦ {text[start : start + 40]}")


def main() -> None:
    """Print one Markdown table for each corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank", type=Path, help="a gzipped CoNLL-U file")
    parser.add_argument("--errors", choices=CORPORA, help="show where `rules` errs in this corpus")
    options = parser.parse_args()
    if options.errors:
        show_errors(paragraphs(options.treebank, CORPORA[options.errors]), SPLITTERS["rules"])
        return
    compared = [(name, SPLITTERS[name]) for name in available_splitters()]
    compared += other_splitters()
    for corpus, wanted in CORPORA.items():
        made = {name: paragraphs(options.treebank, wanted, how) for name, how in MARKINGS.items()}
        boundaries = sum(len(starts) - 1 for _, starts in made["no marks"])
        print(f"\n{corpus}: {boundaries} boundaries\n")
        placements = list(MARKINGS)[1:]
        columns = [*placements, *(f"{name} in place" for name in placements)]
        print(f"| splitter | P | R | F1 | {' | '.join(columns)} | s |")
        print("|" + "---|" * (len(columns) + 5))
        for name, split in compared:
            started = time.perf_counter()
            plain = score(made["no marks"], split, in_place=False)
            seconds = time.perf_counter() - started
            cells = [plain.precision(), plain.recall(), plain.f1()]
            for in_place in (False, True):
                cells += [score(made[p], split, in_place=in_place).f1() for p in placements]
            figures = " | ".join(f"{cell:.3f}" for cell in cells)
            print(f"| {name} | {figures} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
