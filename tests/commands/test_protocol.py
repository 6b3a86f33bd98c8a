"""protocol, and create_study --protocol."""

import pytest
from django.core.management.base import CommandError

from annotate.models import Study
from annotate.protocol.shipped import PROTOCOLS
from annotate.protocol.written import write
from annotate.studies.wordings import save_dimension
from tests.annotate.test_wordings import FLUENCY


def test_a_protocol_goes_from_study_to_study(run, study, tmp_path):
    study = Study.objects.get(slug="things")
    save_dimension(study, FLUENCY)
    path = tmp_path / "mine.yaml"
    run("protocol", "things", "--output", str(path))
    assert run("protocol", "things").out == path.read_text(encoding="utf-8")
    run("create_study", "again", "--protocol", str(path))
    again = Study.objects.get(slug="again")
    assert again.dimensions == study.dimensions
    assert again.protocol["fluency"] == FLUENCY
    assert again.current_guidelines.text.strip() == study.current_guidelines.text.strip()


def test_a_broken_file_is_told_whole(run, db, tmp_path):
    path = tmp_path / "broken.yaml"
    content = write(PROTOCOLS["ais"]).replace("scale: nominal", "scale: loose")
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        run("create_study", "again", "--protocol", str(path))
    assert str(caught.value).count("found “loose”") == 2
    with pytest.raises(CommandError, match="cannot be read"):
        run("create_study", "again", "--protocol", str(tmp_path / "none.yaml"))
    with pytest.raises(CommandError, match="leave out the other options"):
        run("create_study", "again", "--protocol", str(path), "--lines", "all")
    assert not Study.objects.exists()
