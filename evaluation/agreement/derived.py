"""Citation precision, made of two answers: is the statement supported, and by this citation?

Two rules, both of one judge's answers about one statement:

    support      a citation is precise iff the statement's recall is “yes” and the citation's
                 support is full or partial
    appendix E   a citation is precise iff its support is full, or the statement's recall is “yes”,
                 its own support is partial and no citation of the statement supports it fully

T. Gao, H. Yen, J. Yu and D. Chen (2023), Enabling large language models to generate text with
citations, sections 4 and 6, appendix E. Of automatic judges, which say whether a citation is
needed, the first rule takes “needed” as support; the second one has nothing to go by.
"""

from collections.abc import Mapping
from typing import Literal

from annotate.protocol.dimensions import NO_TO_YES, SUPPORTS
from evaluation.agreement.ratings import Key, Ratings

Rule = Literal["support", "appendix-e"]


def citation_precision(
    recall: Ratings,
    support: Ratings,
    statement_of: Mapping[Key, Key],
    *,
    rule: Rule = "support",
) -> dict[Key, dict[Key, str]]:
    """“yes” or “no” for each citation and judge, where the judge answered all that the rule needs.

    `recall` holds answers about statements, `support` about citations; `statement_of` the
    statement of every citation that counts. Claims and their citations work in the same way.
    Under appendix E an answer “partial” waits for the judge's answers to the statement's other
    citations.
    """
    together: dict[Key, list[Key]] = {}
    for citation, statement in statement_of.items():
        together.setdefault(statement, []).append(citation)
    found: dict[Key, dict[Key, str]] = {}
    for citation, statement in statement_of.items():
        levels = support.get(citation)
        if not levels:
            continue
        supported = recall.get(statement, {})
        answers: dict[Key, str] = {}
        for judge, level in levels.items():
            if rule == "support":
                answer = _by_support(supported.get(judge), level)
            else:
                others = together[statement] if level == "partial" else []
                beside = [support.get(one, {}).get(judge) for one in others]
                answer = _by_appendix_e(supported.get(judge), level, beside)
            if answer is not None:
                answers[judge] = NO_TO_YES[answer]
        if answers:
            found[citation] = answers
    return found


def _by_support(recall: str | None, level: str) -> bool | None:
    if recall is None:
        return None
    return recall == "yes" and level in SUPPORTS


def _by_appendix_e(recall: str | None, level: str, levels: list[str | None]) -> bool | None:
    if level in ("full", "none"):
        return level == "full"
    if level != "partial":
        return None
    if recall == "no" or "full" in levels:
        return False
    return None if recall is None or None in levels else True
