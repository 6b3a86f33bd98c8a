"""Every format goes the whole way: received, checked, accepted, loaded."""

from annotate import uploads
from annotate.formats import FORMATS
from annotate.models import Response
from tests.cases import each
from tests.uploads.files import (
    alce,
    item,
)
from tests.uploads.steps import State, check, loaded

TOLD = [key for key, each in FORMATS.items() if each.kind == "outputs" and not each.mapped]


@each("key", TOLD)
def test_the_documented_example_loads(study, key):
    content = FORMATS[key].example.encode()
    upload = loaded(study, content, f"example{FORMATS[key].extensions[0]}")
    assert upload.format == key
    assert upload.published_at is not None
    assert upload.findings["records"] == upload.findings["new"] == upload.result["responses"]
    assert Response.objects.current().filter(study=study).count() == upload.result["responses"]


def test_the_states_on_the_way(study):
    upload = check(study, alce(item(1)), "one.json")
    assert upload.state == State.READY
    assert not Response.objects.exists()
    uploads.accept(upload)
    assert upload.state == State.QUEUED
    uploads.work(upload.pk)
    upload.refresh_from_db()
    assert upload.state == State.DONE
    assert upload.lease_until is None
    assert uploads.outcome(upload) == "1 response loaded."
    assert uploads.work(upload.pk) is None, "there is no further step"
