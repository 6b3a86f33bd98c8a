"""Reading settings from environment variables, with errors that name the variable."""

import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


class SettingError(Exception):
    """A setting is missing or cannot be used; the message says which and what to do."""


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool) -> bool:
    value = text(name).lower()
    if not value:
        return default
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise SettingError(f"{name}: expected 1 or 0 (true/false, yes/no), found {value!r}.")


def number(name: str, default: int, *, least: int = 0) -> int:
    value = text(name)
    if not value:
        return default
    try:
        result = int(value.replace("_", ""))
    except ValueError:
        raise SettingError(f"{name}: expected a whole number, found {value!r}.") from None
    if result < least:
        raise SettingError(f"{name}: expected at least {least}, found {result}.")
    return result


def words(name: str, default: list[str] | None = None) -> list[str]:
    """A comma-separated list."""
    value = text(name)
    if not value:
        return list(default or [])
    return [part.strip() for part in value.split(",") if part.strip()]


def folders(name: str, default: list[Path]) -> list[Path]:
    """Whole paths, separated by commas."""
    found = [Path(part).expanduser() for part in words(name)]
    for path in found:
        if not path.is_absolute():
            raise SettingError(f"{name}: expected whole paths that begin with /, found {path}.")
    return found or default


def networks(name: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Networks such as 10.1.0.0/16, separated by commas."""
    try:
        return tuple(ip_network(part) for part in words(name))
    except ValueError as error:
        raise SettingError(f"{name}: expected networks such as 10.1.0.0/16; {error}.") from None


def database(url: str) -> dict[str, Any]:
    """Django's settings for `sqlite:///relative`, `sqlite:////absolute` or `postgresql://…`.

    SQLite runs in WAL mode with immediate transactions, so that a writer waits for its turn
    instead of failing in the middle.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        name = unquote(parts.path.removeprefix("/"))
        if not name:
            raise SettingError(f"DATABASE_URL: expected a file after sqlite:///, found {url!r}.")
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": name,
            "OPTIONS": {
                "timeout": 30,
                "transaction_mode": "IMMEDIATE",
                "init_command": (
                    "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;"
                    "PRAGMA cache_size=-64000;PRAGMA temp_store=MEMORY;"
                ),
            },
            "TEST": {"NAME": f"{name}.test"},
        }
    if parts.scheme in {"postgres", "postgresql"}:
        name = unquote(parts.path.lstrip("/"))
        if not name:
            raise SettingError("DATABASE_URL: expected a database name after the host.")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": name,
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname or "",
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": dict(parse_qsl(parts.query)),
        }
    raise SettingError(
        f"DATABASE_URL: expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME, "
        f"found the scheme {parts.scheme!r}."
    )


def secret_key(data_dir: Path) -> str:
    """The key of this installation: from the environment, or the file that `make setup` wrote."""
    key = text("SECRET_KEY")
    if key:
        return key
    file = data_dir / "secret-key"
    if file.exists():
        return file.read_text().strip()
    return ""
