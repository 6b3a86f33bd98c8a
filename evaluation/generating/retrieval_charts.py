"""Charts of retrieval.

They show how correct and how well cited answers are by the number of passages and by how many
answers these hold (as Gao et al. 2023 show on retrieval), and what a corpus gives by the number of
its passages. Each point is also in a table. Only workers import this: Altair is large.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.generating.retrieval_numbers import (
    CORPUS_COLUMNS,
    SYSTEM_COLUMNS,
    CorpusNumbers,
    SystemNumbers,
)
from evaluation.reports.charts.chart import SHAPES, WIDE, Row, finished, plot, theme
from evaluation.runs.tables import ResultChart

HEIGHT = 300
OF_ANSWERS = ("correctness", "recall_of_citations", "precision_of_citations")
OF_PASSAGES = ("answer_recall", "recall_5", "hit", "recall_of_claims", "relevance_recall")
PASSAGES = "Passages given (k)"
HELD = "Answers that the passages hold (answer recall)"
LOOKED_AT = "Passages looked at (k)"


def charts_of(systems: SystemNumbers, corpus: CorpusNumbers | None = None) -> list[ResultChart]:
    given = systems["by_passages"]
    by_k = [{**row, "name": row["of"], "x": row["k"]} for row in given]
    by_recall = [
        {**row, "name": row["of"], "x": row["answer_recall"].value}
        for row in given
        if row["answer_recall"].value is not None
    ]
    looked = [] if corpus is None else corpus["rows"]
    ranks = [{**row, "name": f"k = {row['k']}", "x": row["k"]} for row in looked]
    found = [
        _drawn("Answers, by how many passages they were given", by_k, OF_ANSWERS, PASSAGES,
               lines="system"),
        _drawn("Answers, by how many of the answers their passages hold", by_recall, OF_ANSWERS,
               HELD),
    ]  # fmt: skip
    if corpus is not None:
        title = f"What “{corpus['corpus']}” gives, by how much is looked at"
        found.insert(0, _drawn(title, ranks, OF_PASSAGES, LOOKED_AT, lines="measure"))
    return [one for one in found if one is not None]


def _drawn(
    title: str, rows: Sequence[Mapping[str, Any]], measures: Sequence[str], x: str, lines: str = ""
) -> ResultChart | None:
    """Draw a point for each row and measure with a number; `lines` names what they connect."""
    names = {key: (SYSTEM_COLUMNS | CORPUS_COLUMNS)[key] for key in measures}
    points: list[Row] = [
        {
            "x": row["x"],
            "y": row[key].value,
            "measure": name,
            "system": row.get("system", ""),
            "of": row["name"],
        }
        for row in rows
        for key, name in names.items()
        if row[key].value is not None
    ]
    if not points:
        return None
    known = [name for name in names.values() if any(one["measure"] == name for one in points)]
    said = "; ".join(
        f"{one['of']}: {one['measure'].lower()} {one['y']:.3f}"
        + (f" at {one['x']:.3f}" if x == HELD else "")
        for one in points
    )
    description = f"{title}. {said}."
    spec = finished(_layers(points, known, x, lines), description, width=WIDE, height=HEIGHT)
    usermeta = {"usermeta": {"title": title, "theme": theme()}}
    return {"title": title, "description": description, "spec": spec | usermeta}


def _layers(points: list[Row], measures: Sequence[str], title: str, lines: str) -> Any:
    import altair as alt

    share = alt.Scale(domain=[0, 1])
    x = alt.X("x:Q", title=title, scale=share if title == HELD else alt.Scale(zero=True))
    told = alt.Scale(domain=measures, range="category")
    shapes = alt.Scale(domain=measures, range=list(SHAPES[: len(measures)]))
    legend = alt.Legend(columns=len(measures))  # narrow pages make one of them
    base = plot(points).encode(
        x=x,
        y=alt.Y("y:Q", title="Share", scale=share),
        color=alt.Color("measure:N", title=None, scale=told, legend=legend),
        tooltip=[
            alt.Tooltip("of:N", title="Of"),
            alt.Tooltip("measure:N", title="Number"),
            alt.Tooltip("x:Q", title=title, format=".3~g"),
            alt.Tooltip("y:Q", title="Value", format=".3f"),
        ],
    )
    shape = alt.Shape("measure:N", title=None, scale=shapes, legend=legend)
    dots = base.mark_point(filled=True, opacity=0.9).encode(shape=shape)
    if not lines:
        return alt.layer(dots)
    return alt.layer(base.mark_line().encode(detail=f"{lines}:N"), dots)
