import pytest

from config import environment as env
from config.environment import SettingError


@pytest.fixture
def given(monkeypatch):
    """Sets the variable X."""

    def set_variable(value):
        monkeypatch.setenv("X", value)

    return set_variable


def test_text_that_is_missing_or_blank_is_the_default(given, monkeypatch):
    monkeypatch.delenv("X", raising=False)
    assert env.text("X", "fallback") == "fallback"
    given("   ")
    assert env.text("X", "fallback") == "fallback"
    given(" value ")
    assert env.text("X", "fallback") == "value"


@pytest.mark.parametrize("value", ["1", "true", "YES", "On"])
def test_a_flag_is_on(given, value):
    given(value)
    assert env.flag("X", default=False) is True


@pytest.mark.parametrize("value", ["0", "false", "NO", "Off"])
def test_a_flag_is_off(given, value):
    given(value)
    assert env.flag("X", default=True) is False


@pytest.mark.parametrize("default", [True, False])
def test_a_flag_that_is_empty_is_the_default(given, default):
    given("")
    assert env.flag("X", default=default) is default


def test_a_flag_that_is_neither_is_refused_by_name(given):
    given("maybe")
    with pytest.raises(SettingError, match=r"X: expected 1 or 0 .* found 'maybe'"):
        env.flag("X", default=False)


def test_a_number_may_be_grouped_with_underscores(given):
    given("1_000_000")
    assert env.number("X", 5) == 1_000_000


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("ten", "X: expected a whole number, found 'ten'"),
        ("1.5", "X: expected a whole number, found '1.5'"),
        ("0", "X: expected at least 1, found 0"),
        ("-3", "X: expected at least 1, found -3"),
    ],
)
def test_a_number_that_cannot_be_used_is_refused_by_name(given, value, message):
    given(value)
    with pytest.raises(SettingError, match=message):
        env.number("X", 5, least=1)


def test_words_are_split_at_commas(given):
    given("a.example, ,b.example,")
    assert env.words("X") == ["a.example", "b.example"]


def test_words_do_not_share_their_default(monkeypatch):
    monkeypatch.delenv("X", raising=False)
    default = ["a"]
    env.words("X", default).append("b")
    assert default == ["a"]


def test_sqlite_relative_and_absolute():
    assert env.database("sqlite:///data/a.sqlite3")["NAME"] == "data/a.sqlite3"
    assert env.database("sqlite:////srv/a%20b.sqlite3")["NAME"] == "/srv/a b.sqlite3"


def test_sqlite_waits_for_its_turn_to_write():
    options = env.database("sqlite:///a.sqlite3")["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_postgresql_with_everything(scheme):
    found = env.database(f"{scheme}://an%40na:p%2Fw@db.example:6543/attest?sslmode=require")
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert found["USER"] == "an@na"
    assert found["PASSWORD"] == "p/w"
    assert found["HOST"] == "db.example"
    assert found["PORT"] == "6543"
    assert found["NAME"] == "attest"
    assert found["OPTIONS"] == {"sslmode": "require", "prepare_threshold": 5}


@pytest.mark.parametrize(("said", "meant"), [("7", 7), ("none", None)])
def test_postgresql_prepares_statements_or_not(said, meant):
    found = env.database(f"postgresql:///attest?prepare_threshold={said}")
    assert found["OPTIONS"] == {"prepare_threshold": meant}


def test_another_word_about_preparing_is_refused():
    with pytest.raises(env.SettingError, match="expected a number or none as prepare_threshold"):
        env.database("postgresql:///attest?prepare_threshold=often")


def test_postgresql_over_a_local_socket():
    found = env.database("postgresql:///attest")
    assert (found["HOST"], found["PORT"], found["USER"]) == ("", "", "")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:///", "expected a file after sqlite:///"),
        ("postgresql://host", "expected a database name"),
        ("mysql://host/name", "found the scheme 'mysql'"),
        ("attest.sqlite3", "found the scheme ''"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(url, message):
    with pytest.raises(SettingError, match=f"DATABASE_URL: .*{message}"):
        env.database(url)


def test_an_error_about_the_database_does_not_show_its_password():
    with pytest.raises(SettingError) as error:
        env.database("mysql://anna:hunter2@host/name")
    assert "hunter2" not in str(error.value)


def test_the_key_comes_from_the_environment_before_the_file(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    assert env.secret_key(tmp_path) == ""
    (tmp_path / "secret-key").write_text("from the file\n")
    assert env.secret_key(tmp_path) == "from the file"
    monkeypatch.setenv("SECRET_KEY", "from the environment")
    assert env.secret_key(tmp_path) == "from the environment"


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("smtp://ann%40x:p%2Fw@mail.example.org", ("mail.example.org", 587, "ann@x", True, False)),
        ("smtps://mail.example.org:2465", ("mail.example.org", 2465, "", False, True)),
        ("smtp+plain://127.0.0.1", ("127.0.0.1", 25, "", False, False)),
    ],
)
def test_a_mail_server(monkeypatch, url, found):
    monkeypatch.setenv("MAIL", url)
    made = env.mail("MAIL", otherwise="console")
    names = ("HOST", "PORT", "HOST_USER", "USE_TLS", "USE_SSL")
    assert tuple(made[f"EMAIL_{name}"] for name in names) == found
    assert made["EMAIL_BACKEND"].endswith("smtp.EmailBackend")


@pytest.mark.parametrize("url", ["mail.example.org", "http://mail.example.org", "smtp://"])
def test_a_mail_server_that_cannot_be_used(monkeypatch, url):
    monkeypatch.setenv("MAIL", url.replace("//", "//ann:hunter2@"))
    with pytest.raises(SettingError, match="MAIL: expected smtp://") as error:
        env.mail("MAIL", otherwise="console")
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("otherwise", ["console", "dummy"])
def test_without_a_mail_server(monkeypatch, otherwise):
    monkeypatch.delenv("MAIL", raising=False)
    made = env.mail("MAIL", otherwise=otherwise)
    assert made == {"EMAIL_BACKEND": f"django.core.mail.backends.{otherwise}.EmailBackend"}


def test_an_issuer(monkeypatch):
    monkeypatch.setenv("ISSUER", "https://login.example.org/realms/staff/")
    assert env.issuer("ISSUER", encrypted=True) == "https://login.example.org/realms/staff"
    monkeypatch.setenv("ISSUER", "http://127.0.0.1:8080")
    assert env.issuer("ISSUER", encrypted=False) == "http://127.0.0.1:8080"
    for wrong in ("http://login.example.org", "login.example.org", "https://"):
        monkeypatch.setenv("ISSUER", wrong)
        with pytest.raises(SettingError, match="ISSUER: expected https://"):
            env.issuer("ISSUER", encrypted=True)


def test_a_choice(monkeypatch):
    assert env.choice("WHICH", "one", ("one", "two")) == "one"
    monkeypatch.setenv("WHICH", "three")
    with pytest.raises(SettingError, match="WHICH: expected one of one, two; found 'three'"):
        env.choice("WHICH", "one", ("one", "two"))
