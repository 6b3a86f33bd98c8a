"""The headline about pairs of answers, by the Bradley-Terry model."""

from evaluation.reports.sections.words import asked, interval, listed, one_percent, said
from evaluation.reports.shape.people import PairsOn
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import Sentence
from evaluation.reports.tables.names import system_title
from evaluation.statistics.comparison import LEVEL


def on_preference(report: Report, pairs: PairsOn) -> list[Sentence]:
    """Name the preferred system, or the systems not clearly worse than the first; and say whether
    it helps to be shown first."""
    model, question = pairs["model"], f"“{asked(report, pairs['item'])}”"
    if model["reason"]:
        text = f"We cannot tell which system is preferred on {question}: {model['reason']}."
        return [said("pairs", text)]
    found = [said("pairs", _preferred(report, pairs, question))]
    first = interval(model["first_shown"])
    if first and first.ends and not first.ends[0] <= 0.5 <= first.ends[1]:
        text = (
            f"On {question}, the answer shown first is chosen "
            f"{'more' if first.value > 0.5 else 'less'} often: it wins {first.says(one_percent)} "
            "against an equally good answer, ties as half."
        )
        found.append(said("order", text))
    return found


def _preferred(report: Report, pairs: PairsOn, question: str) -> str:
    ranked = sorted(pairs["systems"], key=lambda row: -(row["strength"]["value"] or 0.0))
    titles = {row["system"]: system_title(report, row["system"]) for row in ranked}
    (best, title), (_, second), *_ = titles.items()
    rate = interval(ranked[0]["expected"])
    wins = f"wins {rate.says(one_percent)} against all others" if rate else ""
    clearly = {
        name
        for test in pairs["model"]["tests"]
        if best in (test["one"], test["other"]) and (p := test["p_holm"]) is not None and p < LEVEL
        for name in (test["one"], test["other"])
    }
    alike = [titles[name] for name in titles if name not in clearly | {best}]
    of = f"of {len(ranked)} systems by preference on {question}"
    if alike:
        return (
            f"“{title}” comes first {of} ({wins}), but is not clearly better than {listed(alike)}."
        )
    return f"“{title}” is the best {of}: it {wins}, and is clearly better than “{second}”."
