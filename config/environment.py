"""Read settings from environment variables, with errors that name the variable."""

import os
import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


class SettingError(Exception):
    """A missing or invalid setting. The message names it and what to do."""


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
    """Return a comma-separated list."""
    value = text(name)
    if not value:
        return list(default or [])
    return [part.strip() for part in value.split(",") if part.strip()]


def choice(name: str, default: str, known: tuple[str, ...]) -> str:
    value = text(name, default)
    if value not in known:
        raise SettingError(f"{name}: expected one of {', '.join(known)}; found {value!r}.")
    return value


def folders(name: str, default: list[Path]) -> list[Path]:
    """Return absolute paths separated by commas."""
    found = [Path(part).expanduser() for part in words(name)]
    for path in found:
        if not path.is_absolute():
            raise SettingError(f"{name}: expected whole paths that begin with /, found {path}.")
    return found or default


def networks(name: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return networks such as 10.1.0.0/16, separated by commas."""
    try:
        return tuple(ip_network(part) for part in words(name))
    except ValueError as error:
        raise SettingError(f"{name}: expected networks such as 10.1.0.0/16; {error}.") from None


def _driver_options(query: str) -> dict[str, Any]:
    """Return psycopg's options. Prepared statements are on unless `prepare_threshold=none`."""
    options: dict[str, Any] = {"prepare_threshold": "5", **dict(parse_qsl(query))}
    threshold = options["prepare_threshold"]
    if threshold != "none" and not (threshold.isascii() and threshold.isdigit()):
        raise SettingError(
            f"DATABASE_URL: expected a number or none as prepare_threshold, found {threshold!r}."
        )
    return options | {"prepare_threshold": None if threshold == "none" else int(threshold)}


KEPT_OPEN = 600
"""Seconds for which a database connection is reused. A new one must prepare all statements."""


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for `sqlite:///relative`, `sqlite:////absolute` or `postgresql://…`.

    SQLite runs in WAL mode with immediate transactions, so that writers wait instead of failing.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        name = unquote(parts.path.removeprefix("/"))
        if not name:
            raise SettingError(f"DATABASE_URL: expected a file after sqlite:///, found {url!r}.")
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": name,
            "CONN_MAX_AGE": KEPT_OPEN,
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
            "CONN_MAX_AGE": KEPT_OPEN,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": _driver_options(parts.query),
        }
    raise SettingError(
        f"DATABASE_URL: expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME, "
        f"found the scheme {parts.scheme!r}."
    )


MAIL_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}


def mail(name: str, *, otherwise: str) -> dict[str, Any]:
    """Return Django's settings for `smtp://USER:PASSWORD@HOST:PORT`, or for no mail server."""
    url = text(name)
    if not url:
        return {"EMAIL_BACKEND": f"django.core.mail.backends.{otherwise}.EmailBackend"}
    parts = urlsplit(url)
    if parts.scheme not in MAIL_PORTS or not parts.hostname:
        raise SettingError(
            f"{name}: expected smtp://USER:PASSWORD@HOST:PORT (encrypted by STARTTLS), smtps:// "
            f"(encrypted from the beginning) or smtp+plain:// (not encrypted), found "
            f"{parts.scheme}://{parts.hostname or ''}."
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or MAIL_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


def issuer(name: str, *, encrypted: bool) -> str:
    """Return the address of an OpenID Connect provider without the final slash."""
    url = text(name).rstrip("/")
    known = {"https"} if encrypted else {"https", "http"}
    parts = urlsplit(url)
    if url and (parts.scheme not in known or not parts.hostname):
        raise SettingError(f"{name}: expected https://HOST/PATH, found {url!r}.")
    return url


def single_sign_on(issuer: str) -> dict[str, Any]:
    """Return allauth's settings for one provider; empty without an issuer.

    The provider's id is made from the issuer, because the same user id at another issuer may be
    another person.
    """
    if not issuer:
        return {}
    client_id, secret = text("ATTEST_SSO_CLIENT_ID"), text("ATTEST_SSO_CLIENT_SECRET")
    if not client_id or not secret:
        missing = "ATTEST_SSO_CLIENT_SECRET" if client_id else "ATTEST_SSO_CLIENT_ID"
        raise SettingError(f"{missing}: name it, as ATTEST_SSO_ISSUER is set.")
    app = {
        "provider_id": re.sub(r"[^A-Za-z0-9.]+", "-", issuer.partition("://")[2]).strip("-"),
        "name": text("ATTEST_SSO_NAME", "single sign-on"),
        "client_id": client_id,
        "secret": secret,
        "settings": {
            "server_url": issuer,
            "scope": words("ATTEST_SSO_SCOPES", ["openid", "profile", "email"]),
            "oauth_pkce_enabled": True,
        },
    }
    return {"openid_connect": {"APPS": [app]}}


S3_OPTIONS = {"endpoint", "region"}


def storage(url: str) -> dict[str, Any]:
    """Return Django's settings for uploaded files: the data folder, or `s3://…`.

    The backend is imported with the first file.
    """
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    parts = urlsplit(url)
    prefix, options = parts.path.strip("/"), dict(parse_qsl(parts.query))
    if "@" in parts.netloc:
        raise SettingError(
            "ATTEST_STORAGE_URL: expected no key in it; set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY."
        )
    if parts.scheme != "s3" or not parts.netloc or not prefix:
        raise SettingError(
            "ATTEST_STORAGE_URL: expected s3://BUCKET/FOLDER?endpoint=…, with a folder that Attest "
            f"has for itself, found {url!r}."
        )
    if unknown := options.keys() - S3_OPTIONS:
        raise SettingError(
            f"ATTEST_STORAGE_URL: expected the options {' and '.join(sorted(S3_OPTIONS))}, found "
            f"{', '.join(sorted(unknown))}."
        )
    endpoint = options.get("endpoint")
    if endpoint and urlsplit(endpoint).scheme not in {"http", "https"}:
        raise SettingError(
            f"ATTEST_STORAGE_URL: expected endpoint=https://HOST, found {endpoint!r}."
        )
    return {
        "BACKEND": "config.storage.Bucket",
        "OPTIONS": {
            "bucket_name": parts.netloc,
            "location": prefix,
            "endpoint_url": endpoint,
            "region_name": options.get("region"),
            "addressing_style": "path" if endpoint else None,
            "file_overwrite": False,
            "max_memory_size": 1_000_000,
        },
    }


def secret_key(data_dir: Path) -> str:
    """Return the secret key from the environment or the file that `make setup` wrote."""
    key = text("SECRET_KEY")
    if key:
        return key
    file = data_dir / "secret-key"
    if file.exists():
        return file.read_text().strip()
    return ""
