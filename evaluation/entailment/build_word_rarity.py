"""Makes `word_rarity.tsv`: how rare English words are, counted in the texts that it is given.

    python -m evaluation.entailment.build_word_rarity NLI.jsonl.gz TREEBANK.conllu.gz

The table that is shipped was counted in the training portions of the entailment data and of the
treebank that are described in docs/entailment.md. It holds words and how rare they are, in steps,
and nothing from which a sentence could be made again.
"""

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from evaluation.entailment.premises import sentences
from evaluation.entailment.words import RARITY, WORD, folded, rarity_of_count

LEAST = 4
"""In how many sentences a word must stand to be listed."""

CAPTIONS = ("snli", "litl", "sanli")
"""Pictures described, and sentences made up from others: not the language of encyclopedias."""


def texts(path: Path) -> Iterator[str]:
    """The distinct texts of a file of pairs, or the sentences of a treebank."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        if ".conllu" in path.name:
            yield from (line[9:].strip() for line in lines if line.startswith("# text = "))
            return
        seen: set[str] = set()
        for line in lines:
            pair = json.loads(line)
            if not pair["source"].startswith(CAPTIONS):
                for text in (pair["premise"], pair["hypothesis"]):
                    if text not in seen:
                        seen.add(text)
                        yield text


def table(paths: list[Path]) -> str:
    """Words by rarity, the most frequent first."""
    counts: Counter[str] = Counter()
    total = 0
    for path in paths:
        for text in texts(path):
            for start, end in sentences(text):
                counts.update({folded(word) for word in WORD.findall(text[start:end])})
                total += 1
    by_rarity: defaultdict[float, list[str]] = defaultdict(list)
    for word, count in counts.items():
        if count >= LEAST and word.isalpha():
            by_rarity[rarity_of_count(total, count)].append(word)
    lines = [f"# {total} sentences; words that stand in at least {LEAST} of them"]
    lines += [f"{step}\t{' '.join(sorted(by_rarity[step]))}" for step in sorted(by_rarity)]
    lines.append(f"{rarity_of_count(total, 1)}\t")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the table beside the code that reads it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    RARITY.write_text(table(parser.parse_args().files), encoding="utf-8")


if __name__ == "__main__":
    main()
