"""What indexing has in memory does not grow with the words or keys of the passages."""

import tracemalloc

import pytest

from annotate.text.corpus import CorpusBuilder, CorpusPassage, RepeatedKey, passages, segments

PARTS = 6


def peak(work):
    """The most bytes that a piece of work took."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def joined(folder, words):
    """Joins segments of so many words each, half of which the others have, too."""
    parts = []
    for part in range(PARTS):
        gathering = segments.SegmentBuilder()
        own = range(part * words // 2, part * words // 2 + words)
        gathering.add(" ".join(f"word{number}" for number in own))
        parts.append(folder / f"part-{part}")
        gathering.write(parts[-1])
    return peak(lambda: segments.join(folder, parts))


def test_words_are_joined_with_those_of_one_segment_in_memory_at_most(tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "_weigh", lambda *given: None)  # has one segment at a time
    monkeypatch.setattr(passages, "_BUFFERED", 500)
    most = {}
    for words in (100, 3_000, 30_000):  # at first, what is made once
        folder = tmp_path / str(words)
        folder.mkdir()
        most[words] = joined(folder, words)
    assert most[30_000] - most[3_000] < 30_000 * 8


def written(folder, count):
    folder.mkdir()
    writer = passages.PassageWriter(folder)
    for number in range(count):
        writer.add(CorpusPassage(f"k{number}", ""))
    writer.close()
    return writer


def test_keys_are_compared_in_the_memory_that_few_take(tmp_path, monkeypatch):
    monkeypatch.setattr(passages, "SORTED_AT_ONCE", 2_000)
    few, many = written(tmp_path / "few", 6_000), written(tmp_path / "many", 60_000)
    assert (few.repeated(), many.repeated()) == ("", "")
    assert peak(many.repeated) < 1.5 * peak(few.repeated)


@pytest.mark.parametrize("most", [1, 7, 60, 1_000])
def test_a_repeated_key_is_found_however_few_are_compared_at_a_time(tmp_path, monkeypatch, most):
    monkeypatch.setattr(passages, "SORTED_AT_ONCE", most)
    keys = [*map(str, range(60)), "59"]
    with pytest.raises(RepeatedKey, match=r"^59$"):
        CorpusBuilder(tmp_path / "corpus").build(CorpusPassage(key, "foxes") for key in keys)
    assert (
        CorpusBuilder(tmp_path / "corpus").build(CorpusPassage(key, "foxes") for key in keys[:-1])
        == 60
    )
