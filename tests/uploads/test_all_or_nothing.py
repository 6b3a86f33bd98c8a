"""A fault in the last record of a file leaves nothing of it behind, in whichever format it is."""

from pathlib import Path
from typing import Any

import pytest

from annotate import uploads
from annotate.formats import FORMATS
from annotate.protocol.dimensions import OF_WHOLE
from annotate.web.errors import Refused
from tests.cases import each
from tests.formats.many import many
from tests.formats.reading import example_options
from tests.uploads.steps import State, check, everything, loaded, problems, work
from tests.uploads.test_every_door import FIRST

pytestmark = pytest.mark.postgresql

RECORDS = 7


def content(key: str, *, fault: bool = False) -> bytes:
    return many(key, RECORDS, fault=fault).encode()


def rows() -> dict[str, list]:
    """Every row, without the claims of references as units: these are the study's own, made for all
    who ask about them."""
    found = everything()
    found["Unit"] = [unit for unit in found["Unit"] if unit["kind"] not in OF_WHOLE]
    return found


def named(key: str) -> str:
    return f"{key}{FORMATS[key].extensions[0]}"


@pytest.fixture
def begun(make_study: Any, tmp_path: Path) -> Any:
    """A study with what a format's records are about."""

    def begin(key: str) -> Any:
        study = make_study()
        for first in FIRST.get(key, ["table"] if key == "table-judgments" else ()):
            options = example_options(first, tmp_path / "first")
            loaded(study, content(first), named(first), **options)
        return study

    return begin


@each("key", FORMATS)
@pytest.mark.usefixtures("small_chunks")
def test_fault_in_the_last_record_undoes_the_load(key, begun, tmp_path):
    study, options = begun(key), example_options(key, tmp_path / "example")
    before = everything()
    upload = check(study, content(key, fault=True), named(key), **options)
    assert (upload.format, upload.state) == (key, State.INVALID)
    assert upload.findings["records"] > 0, "those before it are good"
    (problem,) = problems(upload)
    assert "U+0000" in problem
    with pytest.raises(Refused, match="The file has errors"):
        uploads.accept(upload)
    assert work(upload).state == State.INVALID
    assert everything() == before


@each("key", FORMATS)
@pytest.mark.usefixtures("small_chunks")
def test_a_fault_that_shows_while_the_last_record_is_loaded_takes_all_back(key, begun, tmp_path):
    """As of a file that is not on the disk as it was checked."""
    study, options = begun(key), example_options(key, tmp_path / "example")
    upload = check(study, content(key), named(key), **options)
    assert upload.state == State.READY, problems(upload)
    uploads.accept(upload, replace=True)
    before = rows()
    Path(upload.file.path).write_bytes(content(key, fault=True))
    assert work(upload).state == State.FAILED
    assert rows() == before
