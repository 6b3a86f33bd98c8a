"""Static files as they are collected: under names that tell their content, compressed once."""

import gzip
from os import utime

import brotli
import pytest
from django.core.management import call_command
from django.test import RequestFactory, override_settings
from whitenoise.middleware import WhiteNoiseMiddleware

from config.static_files import CompressingOnce

STORAGES = {"staticfiles": {"BACKEND": "config.static_files.FingerprintedStorage"}}


@pytest.mark.django_db  # a served file that is closed looks after connections that others left open
def test_they_are_collected_under_fingerprints_and_compressed_twice(tmp_path):
    with override_settings(STATIC_ROOT=tmp_path, STORAGES=STORAGES):
        call_command("collectstatic", interactive=False, verbosity=0)
    names = {path.name for path in tmp_path.iterdir()}
    [style] = [name for name in names if name.startswith("attest.") and name.endswith(".css")]
    assert len(style.split(".")) == 3
    assert "attest.css" not in names
    assert {f"{style}.br", f"{style}.gz"} <= names
    plain = (tmp_path / style).read_bytes()
    assert brotli.decompress((tmp_path / f"{style}.br").read_bytes()) == plain
    assert gzip.decompress((tmp_path / f"{style}.gz").read_bytes()) == plain
    assert not {"rest_framework", "django_htmx"} & names
    with override_settings(STATIC_ROOT=tmp_path, STORAGES=STORAGES, WHITENOISE_AUTOREFRESH=False):
        served = WhiteNoiseMiddleware(lambda _: None)(
            RequestFactory().get(f"/static/{style}", headers={"Accept-Encoding": "gzip, br"})
        )
    assert served["Content-Encoding"] == "br"
    assert "immutable" in served["Cache-Control"], "a browser asks once for a name"
    served.close()


def test_what_was_compressed_is_left_alone(tmp_path):
    file = tmp_path / "page.0123456789ab.js"
    file.write_text("say('hello');\n" * 100)
    made = [tmp_path / f"{file.name}.br", tmp_path / f"{file.name}.gz"]
    names = [str(path) for path in made]
    assert CompressingOnce(quiet=True).compress(str(file)) == names
    utime(made[0], (1, 1))
    assert CompressingOnce(quiet=True).compress(str(file)) == names
    assert made[0].stat().st_mtime == 1
    made[1].unlink()
    assert CompressingOnce(quiet=True).compress(str(file)) == names
    assert made[0].stat().st_mtime > 1
    assert sorted(tmp_path.iterdir()) == [file, *made]
