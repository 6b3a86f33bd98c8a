"""Which addresses are of one page."""

from annotate.segment.addresses import page_of
from tests.cases import each

PAGE = "https://example.org/a?b=C"


@each(
    ("url", "page"),
    [
        (PAGE, PAGE),
        ("HTTPS://EXAMPLE.org/a?b=C", PAGE),
        ("https://example.org:443/a?b=C#part", PAGE),
        (" https://example.org:/a?b=C\n", PAGE),
        ("http://example.org:80", "http://example.org/"),
        ("http://example.org?b=1", "http://example.org/?b=1"),
        ("http://example.org#top", "http://example.org/"),
        ("http://[2001:DB8::80]:80/x", "http://[2001:db8::80]/x"),
        ("http://Ada:Secret@Example.org/", "http://Ada:Secret@example.org/"),
    ],
)
def test_one_page(url, page):
    assert page_of(url) == page
    assert page_of(page) == page


@each(
    "url",
    [
        "https://example.org:80/",
        "http://example.org:8080/",
        "https://www.example.org/",
        "https://example.org/A/",
        "https://example.org/a?utm_source=x",
        "https://example.org/%7Ea",
    ],
)
def test_nothing_cleverer(url):
    assert page_of(url) == url


@each("text", ["", "doc_17#3", "ftp://Example.org#x", "Example.org", "a://B"])
def test_what_is_no_address_of_the_web_stays(text):
    assert page_of(text) == text
