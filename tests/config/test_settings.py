"""Settings are read once, when a process starts: each case here is a process of its own."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOOD = {
    "ATTEST_MODE": "production",
    "SECRET_KEY": "f8Zk2-qLw0_Xv7Tn4Rb1Yc9Hs6Jd3Mg5Pa8Ue2Wi7Ol4Qz1Nx6Bt",
    "ALLOWED_HOSTS": "attest.example.org",
    "DATABASE_URL": "postgresql://attest:long-and-random@db/attest",
    "CELERY_BROKER_URL": "redis://queue/0",
}
SHOW = (
    "import json; from config import settings as s;"
    "print(json.dumps({n: getattr(s, n) for n in dir(s)"
    " if n.isupper() and isinstance(getattr(s, n), (str, int, bool, list, dict))}, default=str))"
)


def start(data_dir, environment):
    return subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "ATTEST_DATA_DIR": str(data_dir), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def settings(data_dir, environment):
    result = start(data_dir, environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def refusal(data_dir, environment):
    result = start(data_dir, environment)
    assert result.returncode != 0
    return result.stderr


def test_production_starts_with_good_settings(tmp_path):
    found = settings(tmp_path, GOOD)
    assert found["DEBUG"] is False
    assert found["ALLOWED_HOSTS"] == ["attest.example.org"]
    assert found["SESSION_COOKIE_SECURE"] is True
    assert found["CSRF_COOKIE_SECURE"] is True
    assert found["SECURE_SSL_REDIRECT"] is True
    assert found["SECURE_HSTS_SECONDS"] > 0
    assert found["DATABASES"]["default"]["ENGINE"] == "django.db.backends.postgresql"
    assert not (tmp_path / "secret-key").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
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
    ],
)
def test_production_refuses_an_insecure_setting_and_names_only_that(tmp_path, name, value):
    error = refusal(tmp_path, {**GOOD, name: value})
    faults = [line for line in error.splitlines() if line.startswith("  - ")]
    assert [fault.split(":")[0] for fault in faults] == [f"  - {name}"]


def test_production_names_everything_that_is_wrong_at_once(tmp_path):
    error = refusal(tmp_path, {"ATTEST_MODE": "production", "DEBUG": "1"})
    for name in ("SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "DATABASE_URL", "CELERY_BROKER_URL"):
        assert f"  - {name}: " in error


def test_production_does_not_use_the_key_that_the_example_file_carries(tmp_path):
    example = dict(
        line.split("=", 1)
        for line in (ROOT / ".env.example").read_text().splitlines()
        if line and not line.startswith("#")
    )
    database = f"postgresql://attest:{example['POSTGRES_PASSWORD']}@postgres/attest"
    error = refusal(tmp_path, {**GOOD, **example, "DATABASE_URL": database})
    assert "  - SECRET_KEY: " in error
    assert "  - DATABASE_URL: its password is still the one of the example file" in error


def test_a_mode_that_does_not_exist_is_refused(tmp_path):
    assert "ATTEST_MODE: expected embedded or production" in refusal(
        tmp_path, {"ATTEST_MODE": "prod"}
    )


def test_the_embedded_mode_needs_no_settings(tmp_path):
    found = settings(tmp_path, {})
    assert found["DATABASES"]["default"]["NAME"] == str(tmp_path / "attest.sqlite3")
    assert found["CELERY_BROKER_URL"] == "filesystem://localhost"
    assert found["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert found["DEBUG"] is False


def test_the_embedded_mode_keeps_its_key(tmp_path):
    first = settings(tmp_path, {})["SECRET_KEY"]
    assert len(first) >= 50
    assert settings(tmp_path, {})["SECRET_KEY"] == first
    mode = stat.S_IMODE((tmp_path / "secret-key").stat().st_mode)
    assert mode == 0o600


def test_two_installations_have_different_keys(tmp_path):
    first = settings(tmp_path / "first", {})["SECRET_KEY"]
    assert settings(tmp_path / "second", {})["SECRET_KEY"] != first


def test_http_without_a_certificate_can_be_chosen(tmp_path):
    found = settings(tmp_path, {**GOOD, "ATTEST_HTTPS": "0"})
    assert found["SESSION_COOKIE_SECURE"] is False
    assert found["SECURE_HSTS_SECONDS"] == 0
