"""Values of environment variables: what is read, and what is refused by name."""

import pytest

from config import environment as env
from config.environment import SettingError
from tests.cases import each


@each(
    ("read", "value", "expected"),
    [
        (lambda: env.text("X", "fallback"), None, "fallback"),
        (lambda: env.text("X", "fallback"), "   ", "fallback"),
        (lambda: env.text("X", "fallback"), " value ", "value"),
        *((lambda: env.flag("X", default=False), one, True) for one in ("1", "true", "YES", "On")),
        *((lambda: env.flag("X", default=True), one, False) for one in ("0", "false", "NO", "Off")),
        (lambda: env.flag("X", default=True), "", True),
        (lambda: env.flag("X", default=False), "", False),
        (lambda: env.number("X", 5), "1_000_000", 1_000_000),
        (lambda: env.words("X"), "a.example, ,b.example,", ["a.example", "b.example"]),
        (lambda: env.choice("X", "one", ("one", "two")), None, "one"),
        (lambda: env.issuer("X", encrypted=True), "https://a.example/b/", "https://a.example/b"),
        (lambda: env.issuer("X", encrypted=False), "http://127.0.0.1:80", "http://127.0.0.1:80"),
    ],
)
def test_a_variable_is_read(monkeypatch, read, value, expected):
    monkeypatch.delenv("X", raising=False)
    if value is not None:
        monkeypatch.setenv("X", value)
    assert read() == expected


@each(
    ("read", "value", "message"),
    [
        (lambda: env.flag("X", default=False), "maybe", "X: expected 1 or 0 .* found 'maybe'"),
        (lambda: env.number("X", 5), "ten", "X: expected a whole number, found 'ten'"),
        (lambda: env.number("X", 5), "1.5", "X: expected a whole number, found '1.5'"),
        (lambda: env.number("X", 5, least=1), "0", "X: expected at least 1, found 0"),
        (
            lambda: env.choice("X", "one", ("one", "two")),
            "three",
            "expected one of one, two",
        ),
        (lambda: env.issuer("X", encrypted=True), "http://login.example.org", "X: expected https:"),
        (lambda: env.issuer("X", encrypted=True), "https://", "X: expected https://"),
        (lambda: env.mail("X", otherwise="dummy"), "http://ann:hunter2@a", "X: expected smtp://"),
        (lambda: env.mail("X", otherwise="dummy"), "smtp://ann:hunter2@", "X: expected smtp://"),
    ],
)
def test_a_variable_that_cannot_be_used_is_refused_by_name(monkeypatch, read, value, message):
    monkeypatch.setenv("X", value)
    with pytest.raises(SettingError, match=message) as error:
        read()
    assert "hunter2" not in str(error.value)


def test_sqlite_url_is_read():
    assert env.database("sqlite:///data/a.sqlite3")["NAME"] == "data/a.sqlite3"
    found = env.database("sqlite:////srv/a%20b.sqlite3")
    assert found["NAME"] == "/srv/a b.sqlite3"
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in found["OPTIONS"]["init_command"]


def test_postgresql_url_is_read():
    found = env.database("postgres://an%40na:p%2Fw@db.example:6543/attest?sslmode=require")
    assert found["ENGINE"] == "django.db.backends.postgresql"
    names = ("USER", "PASSWORD", "HOST", "PORT", "NAME")
    assert [found[name] for name in names] == ["an@na", "p/w", "db.example", "6543", "attest"]
    assert found["OPTIONS"] == {"sslmode": "require", "prepare_threshold": 5}
    for said, meant in (("7", 7), ("none", None)):
        found = env.database(f"postgresql:///attest?prepare_threshold={said}")
        assert found["OPTIONS"] == {"prepare_threshold": meant}
    assert (found["HOST"], found["PORT"], found["USER"]) == ("", "", "")


@each(
    ("url", "message"),
    [
        ("sqlite:///", "expected a file after sqlite:///"),
        ("postgresql://anna:hunter2@host", "expected a database name"),
        ("mysql://anna:hunter2@host/name", "found the scheme 'mysql'"),
        ("attest.sqlite3", "found the scheme ''"),
        ("postgresql:///attest?prepare_threshold=often", "expected a number or none"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(url, message):
    with pytest.raises(SettingError, match=f"DATABASE_URL: .*{message}") as error:
        env.database(url)
    assert "hunter2" not in str(error.value)


def test_the_key_comes_from_the_environment_before_the_file(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    assert env.secret_key(tmp_path) == ""
    (tmp_path / "secret-key").write_text("from the file\n")
    assert env.secret_key(tmp_path) == "from the file"
    monkeypatch.setenv("SECRET_KEY", "from the environment")
    assert env.secret_key(tmp_path) == "from the environment"


@each(
    ("url", "found"),
    [
        ("smtp://ann%40x:p%2Fw@mail.example.org", ("mail.example.org", 587, "ann@x", True, False)),
        ("smtps://mail.example.org:2465", ("mail.example.org", 2465, "", False, True)),
        ("smtp+plain://127.0.0.1", ("127.0.0.1", 25, "", False, False)),
    ],
)
def test_mail_url_is_read(monkeypatch, url, found):
    monkeypatch.setenv("MAIL", url)
    made = env.mail("MAIL", otherwise="console")
    names = ("HOST", "PORT", "HOST_USER", "USE_TLS", "USE_SSL")
    assert tuple(made[f"EMAIL_{name}"] for name in names) == found
    assert made["EMAIL_BACKEND"].endswith("smtp.EmailBackend")
    monkeypatch.delenv("MAIL")
    made = env.mail("MAIL", otherwise="dummy")
    assert made == {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
