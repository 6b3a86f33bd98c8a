"""What an address to be called must look like."""

from urllib.parse import urlsplit


def address_fault(url: str, instead: str = "") -> str:
    """What is wrong with an address; empty where nothing is. `instead` says where a key belongs."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 a port that is no number shows here
        whole = bool(parts.hostname) and parts.scheme in ("http", "https")
    except ValueError:
        whole = False
    if not whole or not url.isascii() or not url.isprintable() or " " in url:
        return (
            f"“{url}” is not an address. It must begin with http:// or https://, with "
            "characters other than ASCII written as %…."
        )
    if parts.username or parts.password:
        then = f" and {instead} instead" if instead else ""
        return f"Leave the name and password out of the address{then}."
    return ""
