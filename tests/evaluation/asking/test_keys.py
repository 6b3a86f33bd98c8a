"""The key of a connection to a language model stands nowhere but in what is sent."""

import io
import json
import logging
from zipfile import ZipFile

import pytest
from django.urls import reverse

from annotate.exchange.marks_csv import evidence_csv
from annotate.models import Judgment, Membership, Role
from evaluation.models import ModelCall, Run
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.runs.overview import as_json
from tests.evaluation.asking.fake import MODES, Said
from tests.evaluation.asking.test_model_runs import ASKED
from tests.evaluation.runs.doing import finished

pytestmark = pytest.mark.django_db

KEY = "k3y"


@pytest.mark.parametrize("mode", MODES)
def test_a_server_that_repeats_the_key_brings_it_nowhere(every, serve, caplog, mode):
    caplog.set_level(logging.DEBUG)
    said = {"error": {"message": f"Incorrect API key provided: {KEY}", "param": KEY}}
    status = 0
    server = serve(lambda told, schema: Said(status, said), mode)
    for status in (400, 401, 403, 500):
        run = finished(every, options={"tries": "1", "at_once": "1"}, **ASKED)
        told = [run.error, json.dumps(as_json(run), default=str), caplog.text]
        told += [str(found) for found in every.judges.values_list("judgments__skipped_reason")]
        assert not [text for text in told if KEY in text], status
    assert KEY in str(server.calls[0].headers)


@pytest.mark.parametrize("mode", MODES)
def test_a_model_that_repeats_the_key_is_not_quoted(every, serve, mode):
    said = {"value": "yes", "reason": f"{KEY}, you say.", "quotes": []}
    serve(lambda told, schema: said, mode)
    finished(every, **ASKED)
    assert ModelCall.objects.exists()
    told = [*ModelCall.objects.values(), *Judgment.objects.values()]
    assert KEY not in json.dumps(told, default=str)


def test_exports_and_pages_hold_no_key(every, server, signed_in, bob, caplog):
    caplog.set_level(logging.DEBUG)
    Membership.objects.create(study=every, user=bob, role=Role.RESEARCHER)
    run = finished(every, **ASKED)
    assert run.state == Run.State.DONE, run.error
    bundle = io.BytesIO()
    write_bundle(every, Filters(resamples=20), bundle)
    packed = ZipFile(bundle)
    client = signed_in(bob)
    pages = [reverse("run", args=[every.slug, run.pk]), reverse("runs", args=[every.slug])]
    told = [client.get(page).content for page in pages]
    told += [
        b"".join(client.get(f"/api/studies/{every.slug}/judgments.csv")),
        "".join(evidence_csv(every)).encode(),
        json.dumps(build(gather(every), Filters(resamples=20)), default=str).encode(),
        json.dumps([*ModelCall.objects.values()], default=str).encode(),
        *(packed.read(name) for name in packed.namelist()),
    ]
    assert all(told)
    assert KEY not in caplog.text
    assert not [text for text in told if KEY.encode() in text]
