"""Every format goes the whole way: received, checked, accepted, loaded."""

from annotate import uploads
from annotate.formats import FORMATS
from annotate.models import Response
from tests.cases import each
from tests.uploads.steps import loaded

TOLD = [key for key, each in FORMATS.items() if each.kind == "outputs" and not each.mapped]


@each("key", TOLD)
def test_the_documented_example_loads(study, key):
    content = FORMATS[key].example.encode()
    upload = loaded(study, content, f"example{FORMATS[key].extensions[0]}")
    assert upload.format == key
    assert upload.published_at is not None
    assert upload.lease_until is None
    assert uploads.work(upload.pk) is None, "there is no further step"
    assert upload.findings["records"] == upload.findings["new"] == upload.result["responses"]
    assert Response.objects.current().filter(study=study).count() == upload.result["responses"]
