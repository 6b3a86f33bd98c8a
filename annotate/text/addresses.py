"""Addresses of pages: which are the same, and where one ends in running text."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

BARE = re.compile(
    r"(?<![A-Za-z0-9])https?://[^\s<>\[\]\"“”「」『』【】（）。，、；！？\x00]{1,2000}+",
    re.IGNORECASE,
)
_AFTER = ".,;:!?'’*_…،؛؟۔।\\"
_PAIRS = {")": "(", "}": "{"}
_TRACKING = "utm_"
_PORTS = {"http": "80", "https": "443"}


def normalised(url: str) -> str:
    """Equal for two addresses that differ in scheme, `www.`, a slash at the end, the fragment or
    parameters that only tell where a visitor came from."""
    try:
        parts = urlsplit(url.strip())
        query = parse_qsl(parts.query, keep_blank_values=True)
        kept = [(key, value) for key, value in query if not key.lower().startswith(_TRACKING)]
        written = "?" + urlencode(kept) if kept else ""
    except ValueError:  # half surrogates, too
        return url.strip()
    host = parts.netloc.lower().removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}{written}"


def page_of(url: str) -> str:
    """An address in its normal form: the same for two of one page whatever the case of scheme and
    host, with or without the usual port, a place within the page or the path `/`. What is no
    address of the web stays as it is. It is stricter than `normalised`, which links in an answer
    are compared by: a text that is brought for another page would be cited wrongly."""
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
    """The host of an address without `www.`, as people write it."""
    try:
        return urlsplit(url.strip()).netloc.lower().removeprefix("www.")
    except ValueError:
        return ""


def is_address(url: str) -> bool:
    """Whether this is the address of a page, and no place within one nor a file's path."""
    return BARE.match(url) is not None


def end_of_bare(text: str, start: int, end: int) -> int:
    """Where an address that runs to the next white space ends: stops and brackets that close what
    it did not open are not part of it."""
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
