"""Addresses of web pages: which are the same, and where one ends in running text."""

import re
from hashlib import blake2b
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

BARE = re.compile(
    r"(?<![A-Za-z0-9])https?://[^\s<>\[\]\"“”「」『』【】（）。，、；！？\x00]{1,2000}+",
    re.IGNORECASE,
)
_AFTER = ".,;:!?'’*_…،؛؟۔।\\"
_PAIRS = {")": "(", "}": "{"}
_TRACKING = "utm_"
_PORTS = {"http": "80", "https": "443"}


def normalised(url: str) -> str:
    """Normalise an address to compare links. Scheme, `www.`, a trailing slash, the fragment
    and tracking parameters do not matter."""
    try:
        parts = urlsplit(url.strip())
        query = parse_qsl(parts.query, keep_blank_values=True)
        kept = [(key, value) for key, value in query if not key.lower().startswith(_TRACKING)]
        written = "?" + urlencode(kept) if kept else ""
    except ValueError:  # also for half surrogates
        return url.strip()
    host = parts.netloc.lower().removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}{written}"


def page_of(url: str) -> str:
    """Return an address in its normal form, which all spellings of one page share.

    Case of scheme and host, the default port, the fragment and the path `/` do not matter. A text
    that is no web address is returned unchanged. This is stricter than `normalised`, which compares
    links in an answer: the text of another page would be cited wrongly.
    """
    scheme, sign, rest = url.strip().partition("://")
    scheme = scheme.lower()
    if not sign or scheme not in _PORTS:
        return url
    rest = rest.partition("#")[0]
    end = next((n for n, sign in enumerate(rest) if sign in "/?"), len(rest))
    who, at, host = rest[:end].rpartition("@")
    host = host.lower().removesuffix(f":{_PORTS[scheme]}").removesuffix(":")
    path = rest[end:] if rest[end : end + 1] == "/" else f"/{rest[end:]}"
    return f"{scheme}://{who}{at}{host}{path}"


def host_of(url: str) -> str:
    """Return the host of an address without `www.`."""
    try:
        return urlsplit(url.strip()).netloc.lower().removeprefix("www.")
    except ValueError:
        return ""


def is_address(url: str) -> bool:
    """Return whether this is a complete web address, not a fragment or a file path."""
    return BARE.match(url) is not None


def end_of_bare(text: str, start: int, end: int) -> int:
    """Return the end of an address that runs to the next white space. Punctuation and brackets
    that it did not open are not part of it."""
    while end > start:
        sign = text[end - 1]
        if sign in _AFTER:
            end -= 1
        elif sign in _PAIRS:
            inner = text[start:end]
            if inner.count(_PAIRS[sign]) >= inner.count(sign):
                return end
            end -= 1
        else:
            return end
    return end


AROUND = " \t.,;<>\"'“”‘’`*_"
"""Characters that may surround an address or a title."""


def parts_of(address: str) -> SplitResult | None:
    """Return the parts of an address; None if it is invalid."""
    try:
        return urlsplit(address)
    except ValueError:  # brackets without an IP address
        return None


def bare_address(address: str) -> str:
    """Return an address in a form that all spellings share; empty if it is invalid."""
    parts = parts_of(address if "://" in address else f"https://{address}")
    if parts is None:
        return ""
    host = parts.netloc.lower().removeprefix("www.").replace(".m.", ".", 1)
    asked = f"?{parts.query}" if parts.query else ""
    return f"{host}{unquote(parts.path).strip(AROUND).rstrip('/')}{asked}"


def bare_title(title: str) -> str:
    """Return a title in a form that all spellings share."""
    return title.strip(AROUND).casefold()


def digests_of(title: str, address: str) -> list[int]:
    """Return the lookup keys of a page: one for its title and one for its address."""
    named = (f"t{bare_title(title)}", f"a{bare_address(address) if address else ''}")
    texts = [one.encode("utf-8", "surrogatepass") for one in named if len(one) > 1]
    return [int.from_bytes(blake2b(text, digest_size=8).digest(), "little") for text in texts]
