"""Which page a passage is of: by its address or its title, however either is written."""

from hashlib import blake2b
from urllib.parse import SplitResult, unquote, urlsplit

AROUND = " \t.,;<>\"'“”‘’`*_"
"""What may stand around an address or a title."""


def parts_of(address: str) -> SplitResult | None:
    """The parts of an address; none where it is none."""
    try:
        return urlsplit(address)
    except ValueError:  # brackets that are no address of a machine
        return None


def bare_address(address: str) -> str:
    """An address without what may be written either way; nothing where it is none."""
    parts = parts_of(address if "://" in address else f"https://{address}")
    if parts is None:
        return ""
    host = parts.netloc.lower().removeprefix("www.").replace(".m.", ".", 1)
    asked = f"?{parts.query}" if parts.query else ""
    return f"{host}{unquote(parts.path).strip(AROUND).rstrip('/')}{asked}"


def bare_title(title: str) -> str:
    """A title without what may be written either way."""
    return title.strip(AROUND).casefold()


def digests_of(title: str, address: str) -> list[int]:
    """By which the passages of a page are looked up: one for its title, one for its address, where
    it has them."""
    named = (f"t{bare_title(title)}", f"a{bare_address(address) if address else ''}")
    texts = [one.encode("utf-8", "surrogatepass") for one in named if len(one) > 1]
    return [int.from_bytes(blake2b(text, digest_size=8).digest(), "little") for text in texts]
