"""A corpus on a disk ranks as one index in memory does, and as the formula says."""

import json
import math
import random
import re
from pathlib import Path

import bm25s
import numpy as np
import pytest
from bm25s.stopwords import STOPWORDS_EN

from annotate.text.corpus import (
    CorpusBuilder,
    CorpusIndex,
    CorpusPassage,
    RepeatedKey,
    Unsearchable,
)

CLASSICS = Path(__file__).parents[2] / "fixtures" / "corpus" / "passages.jsonl"
ASKED = [
    "a new nation conceived in liberty",
    "all men are created equal",
    "darkness upon the face of the deep waters",
    "sleep of death, what dreams may come",
    "To be, or not to be",
    "eternal summer",
    "God saw the light, that it was good light",
    "a time of war and a time of peace",
    "king of kings",
    "zebra",
]


def classics() -> list[CorpusPassage]:
    lines = CLASSICS.read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    return [CorpusPassage(one["id"], one["text"], one["title"]) for one in told]


def built(folder, passages, **how) -> CorpusIndex:
    CorpusBuilder(folder / "corpus", **how).build(passages)
    return CorpusIndex(folder / "corpus", "test")


def in_parts(folder, passages) -> CorpusIndex:
    return built(folder, passages, most_tokens=60)


def words(text: str) -> list[str]:
    return [word for word in re.findall(r"\b\w\w+\b", text.lower()) if word not in STOPWORDS_EN]


def by_formula(passages: list[CorpusPassage], query: str) -> list[tuple[str, float]]:
    """BM25 by plain loops: keys and scores of what has a word of the query, best first."""
    texts = [words(f"{passage.title} {passage.text}") for passage in passages]
    mean = sum(map(len, texts)) / len(texts)
    found = []
    for passage, text in zip(passages, texts, strict=True):
        score = 0.0
        for word in words(query):
            df = sum(word in other for other in texts)
            tf = text.count(word)
            if tf:
                idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
                score += idf * tf / (1.5 * (1 - 0.75 + 0.75 * len(text) / mean) + tf)
        if score:
            found.append((passage.key, score))
    return sorted(found, key=lambda each: -each[1])


def test_a_corpus_ranks_as_the_formula_says(tmp_path):
    passages = classics()
    index = in_parts(tmp_path, passages)
    for query, found in zip(ASKED, index.search(ASKED, 100), strict=True):
        expected = by_formula(passages, query)
        assert [one.key for one in found] == [key for key, _ in expected], query
        assert [one.score for one in found] == pytest.approx([score for _, score in expected])
    assert index.search(["zebra", "the"], 5) == [[], []]


def test_parts_score_to_the_last_bit_as_one_index_of_bm25s(tmp_path):
    """Many words, some of them in nearly every passage, some of it empty, and queries with a word
    twice."""
    chance = random.Random(22)
    vocabulary = [f"w{n}é" for n in range(400)]
    often = [1 / (n + 1) for n in range(400)]
    texts = [
        " ".join(chance.choices(vocabulary, often, k=chance.randrange(60))) for _ in range(900)
    ]
    queries = [" ".join(chance.choices(vocabulary, k=6)) for _ in range(40)] + ["w0é w0é w3é"]
    passages = (CorpusPassage(str(n), text) for n, text in enumerate(texts))
    index = built(tmp_path, passages, most_tokens=999)
    assert len(list((tmp_path / "corpus").glob("segment-*"))) > 10
    whole = bm25s.BM25(method="lucene")
    whole.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    for query in queries:
        scores = whole.get_scores(query.split())
        best = sorted(np.nonzero(scores)[0].tolist(), key=lambda n: (-scores[n], n))
        for k in (1, 10, 900):
            assert index.best(query, k) == [(float(scores[n]), n) for n in best[:k]]


def test_a_passage_comes_back_as_it_went_in(tmp_path):
    odd = CorpusPassage(
        "k\n1", "line one\nline “two” 𝄞 foxes", "A title\t", "https://example.org/é"
    )
    index = built(tmp_path, [CorpusPassage("first", "foxes"), odd])
    assert index.texts.get([1, 0]) == [odd, CorpusPassage("first", "foxes")]
    (one,) = index.search(["title foxes two"], 1)[0]
    assert CorpusPassage(one.key, one.text, one.title, one.url) == odd


@pytest.mark.parametrize("texts", [[], [""], ["", "…", "the"]])
def test_a_corpus_without_words_finds_nothing(tmp_path, texts):
    index = built(tmp_path, [CorpusPassage(str(n), text) for n, text in enumerate(texts)])
    assert len(index) == len(texts)
    assert index.search(["foxes", ""], 3) == [[], []]


def test_a_key_that_two_passages_have_is_named(tmp_path):
    with pytest.raises(RepeatedKey) as repeated:
        built(tmp_path, [CorpusPassage(key, f"text {n}") for n, key in enumerate("abcb")])
    assert str(repeated.value) == "b"
    with pytest.raises(Unsearchable):
        CorpusIndex(tmp_path / "corpus", "test")


def test_building_tells_how_far_it_is_and_can_be_ended(tmp_path):
    told: list[int] = []
    building = CorpusBuilder(tmp_path / "one", progress_every=10)
    building.build((CorpusPassage(str(n), "foxes") for n in range(25)), report_progress=told.append)
    assert told == [10, 20]

    def ends(count):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        CorpusBuilder(tmp_path / "two", progress_every=10).build(classics(), report_progress=ends)


def of_pages(folder) -> CorpusIndex:
    """Sixty pages of three passages each, of which one has two ways to be written."""
    passages = [
        CorpusPassage(f"{page}-{n}", f"Part {n} of what is said of peak {page}.", f"Peak {page}",
                f"https://www.example.org/wiki/Peak_{page}/")
        for n in range(3)
        for page in range(60)
    ]  # fmt: skip
    return in_parts(
        folder, [*passages, CorpusPassage("bare", "No page at all, which is searched too.")]
    )


@pytest.mark.parametrize(
    ("title", "address"),
    [("Peak 7", ""), ("peak 7", ""), ("", "https://example.org/wiki/Peak_7"),
     ("Peak 7", "http://www.example.org/wiki/Peak_7/")],
)  # fmt: skip
def test_the_passages_of_a_page_are_looked_up_wherever_they_lie(tmp_path, title, address):
    index = of_pages(tmp_path)
    assert index.has_pages
    assert [one.key for one in index.of_page(title, address)] == ["7-0", "7-1", "7-2"]


def test_passages_of_a_common_title_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr("annotate.text.corpus.index.MOST_OF_PAGE", 4)
    passages = [CorpusPassage(f"{n}", f"Text number {n}.", "Untitled") for n in range(30)]
    found = in_parts(tmp_path, passages).of_page("untitled", "")
    assert [one.key for one in found] == ["0", "1", "2", "3"]


def test_an_index_of_before_is_searched_without_its_pages(tmp_path):
    of_pages(tmp_path)
    facts = tmp_path / "corpus" / "corpus.json"
    facts.write_text(facts.read_text().replace('"form": 2', '"form": 1'))
    for path in (tmp_path / "corpus").glob("segment-*/page*.npy"):
        path.unlink()
    index = CorpusIndex(tmp_path / "corpus", "test")
    assert not index.has_pages
    assert index.search(["peak 7"], 3)[0]
