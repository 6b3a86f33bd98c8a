"""Which addresses are of one page."""

from annotate.text.addresses import page_of
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
def test_spellings_of_an_address_are_one_page(url, page):
    assert page_of(url) == page
    assert page_of(page) == page
