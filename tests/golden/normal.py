"""What is drawn by chance, replaced by what it is.

Times and durations need no rule, since the clock is held (`stillness.py`), nor do primary keys,
which a fresh database gives out in the same order each time.
"""

import re
from collections.abc import Mapping

RULES = (
    # Django masks the CSRF token anew in each form.
    (re.compile(r'(name="csrfmiddlewaretoken" value=")\w{64}'), r"\1TOKEN"),
    (re.compile(r'("X-CSRFToken": ")\w{64}'), r"\1TOKEN"),
    # The key of one answer, drawn where it is saved.
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    # A batch's link is signed over a number drawn with the batch; so are invitations.
    (re.compile(r"(/rate/|/join/)[\w:.-]+"), r"\1LINK"),
)


def normal(text: str, folders: Mapping[str, str]) -> str:
    """The text with each thing drawn by chance replaced; `folders` names this run's folders."""
    for folder, name in folders.items():
        text = text.replace(folder, name)
    for pattern, instead in RULES:
        text = pattern.sub(instead, text)
    return text
