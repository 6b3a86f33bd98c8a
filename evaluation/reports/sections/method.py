"""Notes on the method for a paper: rules, omitted data, signatures."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from annotate.protocol.answers import AnswerType
from annotate.protocol.dimensions import Dimension, LabelBy, UnitKind
from annotate.protocol.shipped import SHIPPED
from evaluation.reports.questions import shipped_files
from evaluation.reports.sections import headline_on_judge as limits
from evaluation.reports.sections.judges_by import LEAST_SHARE
from evaluation.reports.sections.scores import automatic_columns, people_items
from evaluation.reports.sections.section import Section
from evaluation.reports.sections.words import UNITS, counted_words, percent
from evaluation.reports.sections.words_on_numbers import on_formulas, on_precision, on_weights
from evaluation.reports.selection import Selected
from evaluation.reports.shape.study import Note
from evaluation.statistics.majority import rule_of
from evaluation.statistics.pairwise_accuracy import LEAST_SYSTEMS


def method(selected: Selected) -> list[Note]:
    """Return the notes that apply, in reading order."""
    found: list[Note] = []
    for key, title, make in NOTES:
        text = make(selected)
        if text:
            found.append({"key": key, "title": title, "text": text})
    return found


def _filters(selected: Selected) -> str:
    filters, data = selected.filters, selected.data
    parts = []
    if filters.systems:
        titles = [system.title for system in data.systems if system.name in filters.systems]
        parts.append(f"systems {_named(titles)}")
    if filters.slices:
        parts.append(f"the questions of {_named(filters.slices)}")
    if selected.batch is not None:
        parts.append(f"the batch “{selected.batch.name}”")
    if filters.dimensions:
        titles = [data.protocol[key].title for key in filters.dimensions]
        parts.append(f"the dimensions {_named(titles)}")
    if filters.judges:
        titles = [judge.title for judge in data.judges if judge.name in filters.judges]
        parts.append(f"the judges {_named(titles)}")
    if filters.fine_grained:
        out = selected.left_out.not_fine_grained
        parts.append(
            "responses with a citation within a sentence "
            f"({counted_words(out, 'response')} without one left out)"
        )
    text = f"Only {'; '.join(parts)}." if parts else "Everything in the study."
    if filters.excluded_in:
        text += " Answers of excluded raters count."
    if filters.outliers:
        text += " Automatic scores of systems that use the metric themselves are shown."
    published = [
        judge.name
        for judge in data.judges
        if judge.kind == "majority" and judge.name in selected.label_sources()
    ]
    if published:
        text += (
            f" The labels of {_named(published)} came with a file, without the votes behind them: "
            "choosing another way to make labels, or letting excluded raters in, does not change "
            "them, and they say nothing about how far raters agree."
        )
    return text


def _pairs(selected: Selected) -> str:
    asked = [item for item in selected.choice_items() if item.unit_kind is UnitKind.PAIR]
    if not asked:
        return ""
    return (
        "Each pair of answers counts once; its raters share one vote. A system's win rate is the "
        "mean over its pairs of its wins and half of its ties. Its interval is by the bootstrap "
        "over questions. Raters saw the two answers in random order. Where the order is known, "
        "the report says how often the first one won. Strengths are those of a Bradley-Terry "
        "model with ties (Davidson 1970) and order (Davidson and Beaver 1977), with variances "
        "by questions and raters."
    )


def _labels(selected: Selected) -> str:
    rule = rule_of(_asked(selected))
    ways = {
        "majority": rule,
        "dawid-skene": (
            "One label is estimated from all votes by the model of Dawid and Skene (1979), where "
            "better raters count for more."
        ),
        "adjudicated": f"The adjudicator's label counts; where there is none, the majority. {rule}",
    }
    text = (
        f"{ways[selected.filters.labels]} Labels are what automatic judges are compared with; "
        "systems' numbers are made of the votes, where the notes on them say nothing else."
    )
    sources = selected.label_sources()
    if sources:
        text += f" Labels were made by: {'; '.join(sources)}."
    return (text + _versions(selected)).strip()


def _asked(selected: Selected) -> list[Dimension]:
    """Return the answered dimensions, also the sources of derived items."""
    keys = {key for item in selected.items() for key in item.derived_from or (item.key,)}
    return [one for key, one in selected.data.protocol.items() if key in keys]


def _versions(selected: Selected) -> str:
    """Say that answers to several wordings of a dimension are counted together."""
    of: dict[str, list[str]] = {}
    for key, version, answers in selected.data.study.versions:
        of.setdefault(key, []).append(f"{counted_words(answers, 'answer')} to version {version}")
    titles = {item.key: item.title for item in selected.items()}
    return "".join(
        f" Of “{titles[key]}” there were several wordings, whose answers in the study are counted "
        f"together: {', '.join(said)}."
        for key, said in of.items()
        if key in titles
    )


def _questions(selected: Selected) -> str:
    """Name the protocol files of the dimensions, with their versions."""
    study = selected.data.study
    parts = []
    for file, here in shipped_files(study.dimensions):
        if {*here} == {*study.dimensions}:
            every = "They are those" if {*here} == {*file.protocol.asked} else "They are some"
            parts.append(f"{every} of “{file.title}” ({file.name}).")
        else:
            titles = _named(SHIPPED[key].title for key in here)
            parts.append(f"{titles}: of “{file.title}” ({file.name}).")
    own = [study.protocol[key] for key in study.dimensions if key not in SHIPPED]
    if own:
        named = ", ".join(f"“{one.title}” ({one.key}, version {one.version})" for one in own)
        parts.append(f"The study's own are {named}.")
    if own and study.files:
        parts.append(f"Dimensions of its own were taken from {', '.join(study.files)}.")
    return " ".join(parts)


def _open_answers(selected: Selected) -> str:
    """Explain the numbers of dimensions whose answers are not one choice."""
    items = selected.open_items()
    parts = [
        words
        for answer, words in OPEN_ANSWERS.items()
        if any(item.answer == answer for item in items)
    ]
    labels = [
        f"“{item.title}” by {LABELS_OF[item.answer, selected.data.protocol[item.key].label_by]}"
        for item in items
        if item.answer != "text"
    ]
    if labels:
        parts.append(f"One label is made of many answers: {'; '.join(labels)}.")
    return " ".join(parts)


OPEN_ANSWERS: Mapping[AnswerType, str] = MappingProxyType(
    {
        "number": "A system's number on a dimension that is answered by a number is the mean of "
        "what the raters answered; Krippendorff's alpha takes it on the interval scale.",
        "several": "Each of several choices is a separate item: yes where named. Krippendorff's "
        "alpha compares sets of choices by MASI (Passonneau 2006) or Jaccard distance.",
        "spans": "On a dimension that is answered by marking words, a system's number is the mean "
        "number of spans that a rater marks on a unit. Whether there is any is an item of its own. "
        "Unitised alpha is Krippendorff's (1995, 2004), summed over texts. F1 is pooled over "
        "pairs of raters (Hripcsak and Rothschild 2005).",
        "text": "Texts are counted and not compared.",
    }
)

LABELS_OF: Mapping[tuple[AnswerType, LabelBy], str] = MappingProxyType(
    {
        ("number", "mean"): "the mean",
        ("number", "median"): "the median, of two in the middle the lower one",
        ("several", "majority"): "the choices that more than half of the raters name",
        ("several", "any"): "the choices that anybody names",
        ("spans", "majority"): "the characters that more than half of the raters marked alike",
        ("spans", "any"): "the characters that anybody marked",
    }
)


def _excluded(selected: Selected) -> str:
    out = selected.left_out
    parts = []
    if out.excluded_raters:
        parts.append(
            f"Excluded raters: {out.excluded_raters}. Their "
            f"{counted_words(out.excluded_answers, 'answer')} do not count; they are kept."
        )
    if out.unfinished_answers:
        parts.append(
            f"Answers in ratings that are not finished: {out.unfinished_answers:,}. They do not "
            "count; they are kept."
        )
    return " ".join(parts) or "No rater's answers are left out."


def _flags(selected: Selected) -> str:
    flags = selected.left_out.flags
    if not flags:
        return ""
    listed = "; ".join(f"{reason or 'no reason'}: {n:,}" for reason, n in flags.items())
    return f"Raters flagged units ({listed}). Flags are counted, and nothing is dropped for them."


def _guidelines(selected: Selected) -> str:
    """Count the answers under each version of the guidelines."""
    versions: Counter[int] = Counter()
    given, judges = selected.data.judgments, len(selected.data.judges)
    about = given.unit.astype(np.int64) * judges + given.judge
    for place, key in enumerate(selected.data.protocol):
        votes = selected.columns(key)
        counted = np.isin(about, votes.unit.astype(np.int64) * judges + votes.judge)
        counted &= (given.dimension == place) & (given.value >= 0)
        versions.update(given.guidelines[counted].tolist())
    if not versions:
        return ""
    records = {one.version: one for one in selected.data.study.guidelines}
    parts = []
    for version, n in sorted(versions.items()):
        answers = counted_words(n, "answer")
        if not version:
            parts.append(f"{answers} without guidelines")
            continue
        known = records.get(version)
        of = f" ({known.published[:10]}, {known.digest[:12]})" if known else ""
        parts.append(f"{answers} under version {version}{of}")
    return f"Answers that count: {'; '.join(parts)}."


def _trained_on(selected: Selected) -> str:
    return " ".join(filter(None, (_learned_here(selected), _learned_elsewhere(selected))))


def _learned_here(selected: Selected) -> str:
    trained = selected.left_out.trained_on
    if not trained:
        return ""
    titles = {judge.name: judge.title for judge in selected.data.judges}
    listed = "; ".join(
        f"{titles[name]}: {counted_words(n, 'unit')}" for name, n in sorted(trained.items())
    )
    return (
        "Answers that a judge's scorer was trained with say nothing about how good it is. They "
        f"are left out wherever it is compared with people ({listed})."
    )


def _learned_elsewhere(selected: Selected) -> str:
    """Name judges with verdicts from a file whose training labels are unknown."""
    known, judges = {*selected.data.trained_on.judge.tolist()}, selected.data.judges
    titles = [judges[j].title for j in selected.judges if judges[j].learned and j not in known]
    if not titles:
        return ""
    return (
        f"From which labels these judges learned is not known in this study: {'; '.join(titles)}. "
        "So none are left out, and if they are among these, the numbers flatter such a judge."
    )


def _autoais(selected: Selected) -> str:
    records = [selected.data.systems[system] for system in selected.systems]
    names = [record.title for record in records if record.uses_autoais]
    if not names:
        return ""
    shown = (
        "Their automatic scores are shown as outliers and count in the agreement answer by answer"
        if selected.filters.outliers
        else "Their automatic scores of citations are not shown"
    )
    return (
        f"An automatic metric of citations is a part of: {_named(names)}. {shown}; they are in "
        "no correlation. What people said of them counts."
    )


def _judges(selected: Selected) -> str:
    records = [selected.data.judges[judge] for judge in selected.judges]
    if not records:
        return ""
    variants: Counter[str] = Counter()
    for record in records:
        for part in record.name.split("|"):
            if part.startswith("variant:"):
                variants[part.removeprefix("variant:")] += 1
    text = "Judges, by their signatures: " + "; ".join(
        f"{selected.judge_id(judge)} {record.name}"
        for judge, record in zip(selected.judges, records, strict=True)
    )
    words = {
        "released": (
            " Numbers of judges with “variant:released” are counted as the published code counts "
            "them, where it departs from the paper."
        ),
        "paper": " Numbers of judges with “variant:paper” are counted as the paper says.",
    }
    return (
        text + "." + "".join(words.get(variant, "") for variant in sorted(variants, reverse=True))
    )


def _juries(selected: Selected) -> str:
    ids = {selected.data.judges[one].name: selected.judge_id(one) for one in selected.judges}
    juries = [selected.data.judges[one] for one in selected.judges]
    said = [
        f"{ids[jury.name]} of {', '.join(ids.get(name, name) for name in jury.members)}"
        for jury in juries
        if jury.members
    ]
    words = "Made of other judges' answers, as labels are of people's"
    return f"{words}: {'; '.join(said)}." if said else ""


def _systems(selected: Selected) -> str:
    items = [
        item for item in selected.items() if item.has_number and item.unit_kind is not UnitKind.PAIR
    ]
    if not items:
        return ""
    parts = ["A system's number is the mean over its responses."]
    shares = [item for item in items if item.is_choice and not (item.is_likert or item.weights)]
    by_label = [item for item in shares if selected.counts_labels(item)]
    for some, counts in (
        ([item for item in shares if item not in by_label], "the share of votes that are positive"),
        (by_label, "1 where the label is positive, else 0"),
    ):
        kinds = dict.fromkeys(item.unit_kind for item in some)
        if UnitKind.RESPONSE in kinds:
            parts.append(f"A response counts {counts}.")
        if others := [UNITS[kind] for kind in kinds if kind is not UnitKind.RESPONSE]:
            parts.append(f"Of {_any_of(others)}, each counts {counts}; a response has their mean.")
    if selected.filters.labels == "adjudicated":
        parts.append("Where an adjudicator decided, the decision counts instead of the votes.")
    degrees: dict[tuple[str, str], list[str]] = {}
    for item in items:
        if item.is_likert:
            degrees.setdefault((item.values[0], item.values[-1]), []).append(item.title)
    for (low, high), titles in degrees.items():
        parts.append(f"{_named(titles)} is the mean of the raters' degrees from {low} to {high}.")
    about = "People's numbers are about the responses that people rated"
    judged = ", automatic ones about all that the judge judged" if selected.judges else ""
    return " ".join([*parts, f"{about}{judged}."])


def _resampling(selected: Selected) -> str:
    return (
        f"Error bars come from {selected.filters.resamples:,} resamples of the "
        f"{counted_words(len(selected.questions), 'question')} (seed {selected.seed}): they are "
        "drawn with replacement, each with all systems, answers and ratings about it. The report "
        "gives the standard error, the percentile interval and the BCa interval (Efron 1987), each "
        "95 %. Agreement, and numbers of systems between two ends, have an interval by Student's "
        "t on Fisher's scale instead (“interval:z” in the signature). Systems and raters are not "
        "resampled: intervals hold for these systems and these raters."
    )


def _agreement(selected: Selected) -> str:
    if not selected.choice_items():
        return ""
    return (
        "Cohen's kappas, and Gwet's AC2, of levels and degrees have quadratic weights; Cohen's "
        "kappas and Gwet's AC1 of yes and no, and Fleiss' kappas of any answers, have none. "
        "The words slight (up to 0.20), fair (0.40), moderate (0.60), substantial (0.80) and "
        "almost perfect are conventions, not tests. They come from Landis and Koch (1977, The "
        "measurement of observer agreement for categorical data, Biometrics 33, 159-174). They "
        "describe both ends of the interval, and Krippendorff's alpha as well."
    )


def _correlation(selected: Selected) -> str:
    if not selected.judges:
        return ""
    return (
        "A judge ranks systems “like people do” if three limits hold. The lower end of "
        f"Pearson's interval is at least {limits.LIKE_PEOPLE}. Soft pairwise accuracy is at least "
        f"{percent(limits.SOFT)}. At most {percent(limits.UNLIKELY)} of random orders fit as well "
        "(a permutation test, Pitman 1937). For “roughly like people do” the limits are "
        f"{limits.ROUGHLY}, {percent(limits.SOFT_ROUGHLY)} "
        f"and {percent(limits.UNLIKELY_ROUGHLY)}. "
        "The limits for random orders must also hold without the lowest third of the systems. If "
        "only systems on the same side of the widest gap between people's numbers are exchanged, "
        f"at most {percent(limits.WITHIN)} and {percent(limits.WITHIN_ROUGHLY)} may fit as well. "
        "Everything must also hold without outlying systems: those more than 2.5 scaled median "
        "absolute deviations from the median of people's numbers (Mathur et al. 2020). "
        f"At least {LEAST_SYSTEMS} systems are needed. These limits are a choice of this report. A "
        "best threshold was chosen on the same answers and flatters the judge; the held-out kappa, "
        "where each question’s threshold was chosen on other questions, does not."
    )


def _leading(selected: Selected) -> str:
    if len(selected.judges) < 2:
        return ""
    chosen, usual = selected.filters.primary, selected.data.study.primary
    named = [judge.title for judge in selected.data.judges if judge.name == (chosen or usual)]
    if named:
        by = "was named" if chosen else "the study's settings name"
        return f"The judge that {by} primary: {_named(named)}."
    return (
        "No judge was named primary. The headline is about the judge with the highest kappa on "
        "shared units, within slices where questions have some. It needs at least "
        f"{100 * LEAST_SHARE:.0f} % of the units of the judge with most. Chosen on the same "
        "answers, its kappa is a little too high. It agrees “clearly” more than the next one "
        "where the corrected p of their comparison is below 0.05."
    )


def _comparisons(selected: Selected) -> str:
    if not (people_items(selected) or automatic_columns(selected)):
        return ""
    return (
        "Systems are compared in pairs on the questions that both answered: paired t-test "
        "(sign test where all differences are the same), with Holm's correction (1979) for all "
        "pairs of the same column. “Clearly better” means a corrected p below 0.05. The rank "
        "interval of a system counts those clearly better and those clearly worse (Al Mohamad et "
        "al. 2022)."
    )


def _judge_pairs(selected: Selected) -> str:
    if not any(len(selected.answering(item.key)) > 1 for item in selected.items()):
        return ""
    return (
        "Automatic judges are compared on the units that all of them and people judged. Numbers "
        "over units or answers are tested by a paired bootstrap of questions. Numbers over systems "
        "are tested by randomly swapping two judges' answers to a question (PERM-INPUTS, Deutsch "
        "et al. 2021). Holm's "
        "correction is for all pairs of judges of the same dimension and number. Judges share a "
        "letter where the corrected p is 0.05 or more. That holds for these systems; Williams' "
        "test and PERM-SYSTEMS ask about others."
    )


def _powered(selected: Selected) -> str:
    if not selected.judges:
        return ""
    return (
        "Prediction-powered estimates (Angelopoulos et al. 2023) assume that the rated responses "
        "were drawn by chance from all of the system's, and that questions are independent. "
        "Where they differ from the rest in the judge's number, length or data set (p below 0.05 "
        "after Holm's correction), there is no such estimate. The judge's weight is cross-fitted."
    )


NOTES: tuple[tuple[str, str, Callable[[Selected], str]], ...] = (
    ("filters", "What this report is about", _filters),
    ("labels", "One label of many votes", _labels),
    ("questions", "Questions", _questions),
    ("derived", "Citation precision", on_precision),
    ("formulas", "Numbers by formulas", on_formulas),
    ("weights", "Numbers with weights", on_weights),
    ("systems", "Numbers of systems", _systems),
    ("open_answers", "Answers that are not one choice", _open_answers),
    ("resampling", "Error bars", _resampling),
    ("agreement", "Words for agreement", _agreement),
    ("correlation", "Words for correlation", _correlation),
    ("leading", "Which judge is spoken of", _leading),
    ("pairs", "Pairs of answers", _pairs),
    ("comparisons", "Comparing systems", _comparisons),
    ("judge_pairs", "Comparing judges", _judge_pairs),
    ("powered", "Few ratings, many automatic judgments", _powered),
    ("excluded", "Excluded raters", _excluded),
    ("flags", "Flags", _flags),
    ("guidelines", "Guidelines", _guidelines),
    ("trained_on", "Trained with this study", _trained_on),
    ("autoais", "Systems that use the metric", _autoais),
    ("juries", "Juries", _juries),
    ("judges", "Judges", _judges),
)


def _any_of(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


SECTION = Section(
    key="method", shape=list[Note], panel=None, build=method, words="notes on the method"
)
