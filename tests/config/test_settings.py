"""Settings are read once, when a process starts: one process reads all cases after one another."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import each

ROOT = Path(__file__).resolve().parents[2]
GOOD = {
    "ATTEST_MODE": "production",
    "SECRET_KEY": "f8Zk2-qLw0_Xv7Tn4Rb1Yc9Hs6Jd3Mg5Pa8Ue2Wi7Ol4Qz1Nx6Bt",
    "ALLOWED_HOSTS": "attest.example.org",
    "DATABASE_URL": "postgresql://attest:long-and-random@db/attest",
    "CELERY_BROKER_URL": "redis://queue/0",
}
READ = """
import importlib, json, os, sys
found, plain = {}, dict(os.environ)
for name, environment in json.load(sys.stdin).items():
    os.environ.clear()
    os.environ.update(plain | environment)
    sys.modules.pop("config.settings", None)
    try:
        read = vars(importlib.import_module("config.settings"))
        kept = {n: v for n, v in read.items() if n.isupper()}
        found[name] = {n: v for n, v in kept.items() if isinstance(v, (str, int, bool, list, dict))}
    except Exception as refused:
        found[name] = str(refused)
print(json.dumps(found, default=str))
"""
EXAMPLE = dict(
    line.split("=", 1)
    for line in (ROOT / ".env.example").read_text().splitlines()
    if line and not line.startswith("#")
)
INSECURE = [
    ("SECRET_KEY", ""),
    ("SECRET_KEY", "short"),
    ("SECRET_KEY", "a" * 60),
    ("SECRET_KEY", "change-me-f8Zk2-qLw0_Xv7Tn4Rb1Yc9Hs6Jd3Mg5Pa8Ue2Wi7Ol4Qz1Nx6Bt"),
    ("DEBUG", "1"),
    ("ALLOWED_HOSTS", ""),
    ("ALLOWED_HOSTS", "*"),
    ("ALLOWED_HOSTS", "attest.example.org,*"),
    ("DATABASE_URL", ""),
    ("DATABASE_URL", "postgresql://attest:change-me@db/attest"),
    ("CELERY_BROKER_URL", ""),
]
CASES = {
    "good": GOOD,
    "http": {**GOOD, "ATTEST_HTTPS": "0"},
    "empty": {"ATTEST_MODE": "production", "DEBUG": "1"},
    "unknown mode": {"ATTEST_MODE": "prod"},
    "example": {
        **GOOD,
        **EXAMPLE,
        "DATABASE_URL": f"postgresql://attest:{EXAMPLE['POSTGRES_PASSWORD']}@postgres/attest",
    },
    **{f"{name}={value}": {**GOOD, name: value} for name, value in INSECURE},
    # The last ones, for they write a key into the folder.
    "embedded": {},
    "embedded again": {},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def found(folder):
    """By case, the settings or why the process refuses to start."""
    result = subprocess.run(
        [sys.executable, "-c", READ],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "ATTEST_DATA_DIR": str(folder)},
        input=json.dumps(CASES),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(result.stdout)


def test_production_starts_with_good_settings(found):
    good, http = found["good"], found["http"]
    assert good["DEBUG"] is False
    assert good["ALLOWED_HOSTS"] == ["attest.example.org"]
    assert good["SESSION_COOKIE_SECURE"] is True
    assert good["CSRF_COOKIE_SECURE"] is True
    assert good["SECURE_SSL_REDIRECT"] is True
    assert good["SECURE_HSTS_SECONDS"] > 0
    assert good["DATABASES"]["default"]["ENGINE"] == "django.db.backends.postgresql"
    assert (http["SESSION_COOKIE_SECURE"], http["SECURE_HSTS_SECONDS"]) == (False, 0)


@each(("name", "value"), INSECURE)
def test_production_refuses_an_insecure_setting_and_names_only_that(found, name, value):
    error = found[f"{name}={value}"]
    faults = [line for line in error.splitlines() if line.startswith("  - ")]
    assert [fault.split(":")[0] for fault in faults] == [f"  - {name}"]


def test_production_names_everything_that_is_wrong_at_once(found):
    for name in ("SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "DATABASE_URL", "CELERY_BROKER_URL"):
        assert f"  - {name}: " in found["empty"]


def test_production_refuses_the_secrets_of_the_example_file(found):
    assert "  - SECRET_KEY: " in found["example"]
    assert "  - DATABASE_URL: its password is still the one of the example" in found["example"]


def test_an_unknown_mode_is_refused(found):
    assert "ATTEST_MODE: expected embedded or production" in found["unknown mode"]


def test_the_embedded_mode_needs_no_settings_and_keeps_its_key(found, folder):
    embedded = found["embedded"]
    assert embedded["DATABASES"]["default"]["NAME"] == str(folder / "attest.sqlite3")
    assert embedded["CELERY_BROKER_URL"] == "filesystem://localhost"
    assert embedded["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert embedded["DEBUG"] is False
    assert len(embedded["SECRET_KEY"]) >= 50
    assert found["embedded again"]["SECRET_KEY"] == embedded["SECRET_KEY"]
    assert stat.S_IMODE((folder / "secret-key").stat().st_mode) == 0o600
