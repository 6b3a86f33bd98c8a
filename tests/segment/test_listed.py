"""What an answer's own list of references says of each number."""

from annotate.text import listed_sources
from tests.cases import each

PORT = "The port froze [1]. It thawed [2].\n\n"


@each(
    ("listed", "expected"),
    [
        (
            "Sources:\n- [1] Ice — https://a.org/ice\n- [2] *Thaw*",
            {1: "Ice — https://a.org/ice", 2: "Thaw"},
        ),
        ("## References\n1. Ice\n2. Thaw, 2nd ed.", {1: "Ice", 2: "Thaw, 2nd ed"}),
        ("[1]: https://a.org/ice\n[2]: https://a.org/thaw", {1: "https://a.org/ice", 2: "https://a.org/thaw"}),
        ("[^1]: Ice.\n[^2]: Thaw.", {1: "Ice", 2: "Thaw"}),
        ("References\n[1, 2] Ice and thaw\n[2] Later", {1: "Ice and thaw", 2: "Ice and thaw"}),
        ("Sources:\n- an unnumbered one\n- [3]", {}),
        ("It is [3] late.", {}),
    ],
)  # fmt: skip
def test_what_is_listed(listed, expected):
    assert listed_sources(PORT + listed) == expected
