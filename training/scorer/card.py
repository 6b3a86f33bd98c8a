"""The card that goes with weights: what they are, how good they are, what they are not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evaluation.entailment.weights import Details

if TYPE_CHECKING:
    from training.scorer.gate import GateRow
    from training.scorer.making import Contender

HEAD = """# {title}

A network for the scorer `trained` of Attest: does a premise entail a hypothesis?

**It is small, and no TRUE.** TRUE (`google/t5_xxl_true_nli_mixture`, 11 billion parameters) is what
published AutoAIS, ALCE and ALiiCE figures were made with. This network has {parameters} learned
parameters and a fraction of its training data. Use it to try things out, to compare runs of your
own system and where nothing larger can run; figures for a paper should be made with TRUE.
"""

DATA = """
## Training

{what}

Word vectors are those of the base and were not trained; they are not in this folder.

| | |
|---|---|
{facts}
"""

DEV = """
## On dev data

Pairs that were not trained on. They were used, though, to choose the best moment of training,
temperature and threshold, so expect a little less elsewhere; what the combination says of a pair
comes from one that was fitted without its text. Pairs that are parts of one claim are one case,
with their best score. AUC: the chance that an entailed case has the higher score. Balanced
accuracy at the threshold given: the mean of the shares that are right among the entailed and among
the others; a coin reaches .5. In brackets 95 % intervals (1,000 bootstrap draws of texts; with few
texts they say little).
"""

GATE = """
## The gate

The built-in default is this scorer only if it is better than `coverage` by more than two standard
errors, in AUC and in balanced accuracy at its threshold, on both parts in which people judged
citations (`ab-*`, `wice`), and right in 60 % on `contradiction` (balanced accuracy). {result}

{findings}
"""


def card(details: Details, ways: "Sequence[Contender]", chosen: "Contender") -> str:
    """The card as Markdown."""
    training = details.training
    parts = [
        HEAD.format(
            title=training.get("title", "Entailment scorer"),
            parameters=f"{training.get('parameters', 0):,}",
        ),
        DATA.format(what=training.get("what", ""), facts=_facts(details)),
        DEV,
        *(_table(way) for way in ways),
        _margins(ways),
        *(_gate(way) for way in ways if way.name == chosen.name),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _facts(details: Details) -> str:
    training = details.training
    fit: dict[str, Any] = training.get("fit", {})
    named = {
        "base": f"{training.get('base', '')} (SHA-256 {details.base[:16]}…)",
        "went on from": training.get("from") or "the base",
        "data": f"SHA-256 {training.get('data', '')[:16]}…",
        "seed": training.get("seed"),
        "pairs seen": f"{fit.get('pairs', 0):,}",
        "minutes": fit.get("minutes"),
        "device": training.get("device"),
        "tokens in a window": details.window,
        "temperature": details.temperature,
        "threshold": details.threshold,
        "combination": _combined(details.combination),
    }
    return "\n".join(f"| {name} | {value} |" for name, value in named.items())


def _combined(weights: dict[str, float] | None) -> str:
    if weights is None:
        return "none: the network alone"
    return ", ".join(f"{name} {value:+.3f}" for name, value in weights.items())


def _table(way: "Contender") -> str:
    lines = [f"\n### {way.name}, threshold {way.threshold}\n"]
    lines += ["| part | cases | texts | entailed | AUC | balanced accuracy |", "|---" * 6 + "|"]
    lines += [_row(row) for row in way.rows]
    return "\n".join(lines)


def _row(row: "GateRow") -> str:
    counts = f"{row.number:,} | {row.texts:,} | {row.entailed:,}"
    return f"| {row.part} | {counts} | {row.auc} | {row.balanced} |"


def _margins(ways: "Sequence[Contender]") -> str:
    compared = [way for way in ways if way.findings]
    names = [f"{way.name} less coverage" for way in compared]
    lines = []
    for what, of in (("AUC", "margin"), ("Balanced accuracy", "balanced_margin")):
        lines += [f"\n### {what}, less that of `coverage` on the same draws\n"]
        lines += [f"| part | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
        for several in zip(*(way.rows for way in compared), strict=True):
            margins = " | ".join(str(getattr(row, of)) for row in several)
            lines.append(f"| {several[0].part} | {margins} |")
    return "\n".join(lines)


def _gate(way: "Contender") -> str:
    result = (
        "It is; it is the default."
        if way.passes
        else "It is not: `coverage` stays the default, and this scorer is an option."
    )
    listed = "\n".join(
        f"- {'met' if one.met else '**not met**'}: {one.text}" for one in way.findings
    )
    return GATE.format(result=result, findings=listed)


OWN = """# {title}

The scorer `trained` of Attest, trained further with judgments of people.

{what}

Do not evaluate it on what it was trained with: the {units:,} units listed in `scorer.json` are left
out of comparisons with people. Agreement on questions that were held out:

| | pairs | said “yes” | accuracy | Cohen's kappa |
|---|---|---|---|---|
| before | {before} |
| after | {after} |

In brackets 95 % intervals, by resampling questions. People said “yes” {entailed:,} times. A judge
with this scorer is another judge, with a signature of its own. It is small, and no TRUE.
"""


def own_card(details: Details) -> str:
    """The card of a scorer that was trained further."""
    training = details.training
    before, after = training["agreement"]["before"], training["agreement"]["after"]
    return OWN.format(
        title=training.get("title", "Entailment scorer"),
        what=training.get("what", ""),
        units=len(training["units"]),
        before=_agreed(before),
        after=_agreed(after),
        entailed=after["entailed"],
    )


def _agreed(found: dict[str, Any]) -> str:
    shown = []
    for name in ("accuracy", "kappa"):
        value, low, high = (found[name + end] for end in ("", "_low", "_high"))
        if value is None:
            shown.append(f"undefined: {found['reason']}")
        elif low is None:
            shown.append(f"{value:.3f}")
        else:
            shown.append(f"{value:.3f} [{low:.3f}, {high:.3f}]")
    return f"{found['number']:,} | {found['said']:,} | {' | '.join(shown)}"
