"""What is sealed anew when the secrets change: all that is sealed, whatever is being deleted."""

import json
import os
import subprocess
import sys

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import call_command

from annotate.exchange.deletion import delete_study, put_back
from annotate.models import Admission
from annotate.people import admission
from annotate.people.second_factor import SEALED_FOR
from annotate.rating.batches import create_batch
from annotate.web.sealing import opened, sealed
from evaluation.language_models.connections import door_to, save
from evaluation.models import Connection


@pytest.fixture
def sealed_anew(settings):
    """Ends with the new secret alone, as an operator does who thinks that the old one leaked."""

    def change():
        settings.ATTEST_SEALING_SECRETS = ["new", settings.SECRET_KEY]
        call_command("connection", "reseal")
        settings.ATTEST_SEALING_SECRETS = ["new"]

    return change


def test_a_study_that_is_put_back_afterwards_has_its_keys(peaks, alice, sealed_anew):
    batch = create_batch(peaks, name="First", author=alice)
    Admission.objects.create(batch=batch, sealed_token=sealed("secret", admission.TOKEN_FOR))
    admission.hash_ids(peaks)
    known = admission.known_as(peaks, "5z3a")
    removal = delete_study(peaks, by=alice)
    sealed_anew()
    put_back(removal)
    peaks.refresh_from_db()
    assert admission.known_as(peaks, "5z3a") == known
    assert opened(Admission.objects.get().sealed_token, admission.TOKEN_FOR) == "secret"


def test_second_factors_work_on(rita, sealed_anew):
    secrets = {"totp": {"secret": "JBSWY3DPEHPK3PXP"}, "recovery_codes": {"seed": "a seed"}}
    for kind, data in secrets.items():
        data = {name: sealed(text, SEALED_FOR) for name, text in data.items()}
        Authenticator.objects.create(user=rita, type=kind, data=data)
    passkey = Authenticator.objects.create(
        user=rita, type=Authenticator.Type.WEBAUTHN, data={"name": "Key", "credential": {"id": "x"}}
    )
    sealed_anew()
    for kind, data in secrets.items():
        kept = Authenticator.objects.get(type=kind).data
        assert {name: opened(text, SEALED_FOR) for name, text in kept.items()} == data
    before = json.dumps(passkey.data)
    passkey.refresh_from_db()
    assert json.dumps(passkey.data) == before


def test_a_connection_with_the_environments_key_works_on(db, sealed_anew, monkeypatch):
    monkeypatch.setenv("ATTEST_SCORER_KEY", "from the environment")
    save(Connection(name="lab", url="https://lab.example/score", environment_key=True))
    sealed_anew()
    assert door_to(Connection.objects.get()).key == "from the environment"


def test_whatever_is_sealed_is_known_before_any_page_is_loaded():
    """A command need not load the pages, and would leave out what only these know."""
    code = (
        "import django; django.setup(); "
        "from annotate.web.sealing import KEPT; "
        "print(*sorted(f'{kept[0].__name__}.{kept[1]}' for kept in KEPT))"
    )
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    said = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == [
        "Admission.sealed_token",
        "Authenticator.data",
        "Connection.sealed_key",
        "Study.sealed_id_key",
        "Webhook.sealed_secret",
    ]
