"""Each format is read a record at a time, however many there are."""

import tracemalloc

from annotate.formats import FORMATS, Problem, read
from tests.cases import each
from tests.formats.many import many
from tests.formats.reading import example_options

SMALL, LARGE, LONG = 200, 800, 10_000


@each("key", FORMATS)
def test_the_first_record_is_there_before_the_last_is_read(key, tmp_path):
    path = tmp_path / "file"
    path.write_text(many(key, LARGE, long=LONG))
    reader = read(path, key, **example_options(key, tmp_path / "example"))
    assert not isinstance(next(reader), Problem)
    assert reader.position < reader.size / 4
    assert sum(not isinstance(found, Problem) for found in reader) >= LARGE - 1
    assert reader.position == reader.size


def peak(key, path, **options):
    """The most bytes that were held while a file was read."""
    tracemalloc.start()
    try:
        assert not any(isinstance(found, Problem) for found in read(path, key, **options))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@each("key", FORMATS)
def test_memory_does_not_grow_with_the_file(key, tmp_path):
    options = example_options(key, tmp_path / "example")
    sizes, peaks = [], []
    for count in (SMALL, LARGE):
        path = tmp_path / str(count)
        path.write_text(many(key, count, long=LONG))
        sizes.append(path.stat().st_size)
        peaks.append(peak(key, path, **options))
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 4
