"""Makes the client that waits (`_sync`) of the one that does not (`_async`).

python client/without_async.py [--check]
"""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent / "src" / "attest_client"
MADE_BY_HAND = {"__init__.py", "pausing.py"}
HEAD = "# Made by client/without_async.py: change `_async` and run it again.\n"
WORDS = (
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_lines\b", "iter_lines"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAwaitable\[([\w.]+)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\bAsyncBaseTransport\b", "BaseTransport"),
    (r"\bAsyncClient\b", "Client"),
    (r"\bAsync(Attest|Study|Transport)\b", r"\1"),
    (r"\b_async\b", "_sync"),
)


def without_async(text: str) -> str:
    """The same code, waiting."""
    for word, other in WORDS:
        text = re.sub(word, other, text)
    return HEAD + text


def main(arguments: list[str]) -> int:
    """Write it, or say whether what is there is what would be written."""
    behind = []
    for path in sorted((PACKAGE / "_async").glob("*.py")):
        if path.name in MADE_BY_HAND:
            continue
        made, there = without_async(path.read_text("utf-8")), PACKAGE / "_sync" / path.name
        if not there.exists() or there.read_text("utf-8") != made:
            behind.append(path.name)
            if "--check" not in arguments:
                there.write_text(made, "utf-8")
    if behind and "--check" in arguments:
        print(f"{', '.join(behind)}: run python client/without_async.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
