"""Talks with a model that answers by rule, and what was said in them."""

from pathlib import Path

from annotate.formats.records import QuestionRecord
from annotate.text.search_result import Found
from evaluation.generating.systems.context_window import ContextWindow
from evaluation.generating.systems.conversations import ModelAnswer, Subject, UnansweredError
from evaluation.generating.systems.demonstrations import drawn, own_pairs, pool
from evaluation.generating.systems.options import with_options
from evaluation.generating.systems.rule_model import RuleModel
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import Inputs
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.server_apis import Reply
from tests.evaluation.asking.fake import Kept

GOLDEN = Path(__file__).parent / "prompts"

TOWER = Found(
    "t1",
    "The tower was opened in 1889. It is 300 m high.",
    3.0,
    "Tower",
    "https://x.org/wiki/Tower",
)
ENGINEER = Found("t2", "Its engineer was Gustave Eiffel. He also built bridges.", 2.0, "Engineer")
CHEESE = Found("t3", "Cheese ripens in caves. It is turned each week.", 1.0, "Cheese")
SUBJECT = Subject(
    QuestionRecord(
        "When was the tower opened, and by which engineer?",
        "q1",
        {"qa_pairs": [{"short_answers": ["1889"]}, {"short_answers": ["Gustave Eiffel"]}]},
    ),
    (TOWER, ENGINEER, CHEESE),
)  # fmt: skip


def inputs(
    system,
    *,
    seed=1,
    window=None,
    search=None,
    page_passages=None,
    entail=None,
    ranker=None,
    **options,
):
    spec = SYSTEMS[system]
    chosen = with_options(spec.usual, spec.takes, options)
    shown = (
        drawn(pool(chosen.form), chosen.shots, seed) if spec.examples == "demonstrations" else []
    )
    return Inputs(
        chosen,
        shown,
        own_pairs(),
        seed,
        window or ContextWindow(),
        search,
        page_passages,
        entail,
        ranker,
    )


def talked(system, answer=None, subject=SUBJECT, *, turns="", anew="", **options):
    """What was written, and every prompt with what was said to it. `answer` says what a prompt is
    answered, by its text, or `turns` names what is said one after the other; else the rules do.
    `anew`: the answer is read from that passage alone."""
    model, told = RuleModel(), []
    if turns:
        answer = one_after_the_other(*TURNS[turns])

    def said(one):
        text = model.ask(one.prompt, None).text if answer is None else answer(one.prompt)
        heard = text if isinstance(text, ModelAnswer) else ModelAnswer(text)
        told.append((one, heard))
        return heard

    spec, way = SYSTEMS[system], inputs(system, **options)
    if anew:
        assert spec.again is not None
        [attributed] = [one for one in subject.found if one.key == anew]
        conversation = spec.again(subject, way, attributed)
    else:
        conversation = spec.conversation(subject, way)
    try:
        asked = next(conversation)
        while True:
            asked = conversation.send([said(one) for one in asked])
    except StopIteration as end:
        return end.value, told
    except UnansweredError as why:
        return str(why), told


def one_after_the_other(*answers):
    """An answer to each prompt in turn."""
    rest = iter(answers)
    return lambda prompt: next(rest)


def transcript(told):
    """All that was said, as people read it."""
    parts = []
    for one, heard in told:
        parts += ["### Told once", one.prompt.system, "### Asked", one.prompt.user, "### Said"]
        parts += [heard.text, f"### (ends at {one.stop}, {'drawn' if one.drawn else 'no chance'})"]
    return "\n".join(parts) + "\n"


def as_before(system, **options):
    """Whether a system's prompts are those of the golden file, byte for byte."""
    written, told = talked(system, **options)
    name = "-".join([system, *(f"{key}_{value}" for key, value in options.items())])
    found = transcript(told)
    return found == (GOLDEN / f"{name}.txt").read_text("utf-8"), written


def caller(model=None, *, kept=None, at_once=4):
    return Caller(model or RuleModel(), Kept() if kept is None else kept, at_once=at_once)


class Answering(RuleModel):
    """A model that says what a function says to each prompt."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def ask(self, prompt, schema, *, sampling=None):
        assert schema is None
        self.asked.append((prompt, sampling))
        found = self.answer(prompt)
        return found if isinstance(found, Reply) else Reply(found, 10, 2)


TURNS = {
    "checks": (
        "The tower was opened in 1889.", "Its engineer was Gustave Eiffel.", "irrelevant",
        "I would like to check.", "Look: Document [1]", "Check: Document [1][2]", "Output:",
        "Output: It was opened in 1889 [1], by Gustave Eiffel [2].", "Output: So it was [1].",
        "Check: the first", "Check: Document [2]", "Output: He also built bridges [2].", "End",
    ),
    "searches": (
        "Search:", "Look: the tower", "Search: tower", "Output:", "Output: It opened in 1889 [1].",
        "Search: engineer", "Output: He was Gustave Eiffel [2].", "End",
    ),
}  # fmt: skip
"""Whole talks: every action, and what cannot be carried out, never three times in a row."""

GOLDENS: list[tuple[str, dict]] = [
    ("vanilla", {"shots": 2}),
    ("vanilla", {"shots": 0, "ndoc": 2}),
    ("vanilla", {"shots": 1, "form": "list"}),
    ("closedbook", {"shots": 1, "form": "list"}),
    ("summ", {"shots": 1}),
    ("snippet", {"shots": 1}),
    ("summ", {"shots": 1, "form": "list"}),
    ("snippet", {"shots": 1, "form": "list"}),
    ("interact", {"shots": 1}),
    ("interact", {"shots": 1, "shorten": "snippet"}),
    ("interact", {"shots": 1, "form": "list"}),
    ("interact", {"shots": 0, "turns": "checks"}),
    ("inlinesearch", {"shots": 1}),
    ("inlinesearch", {"shots": 1, "form": "list"}),
    ("inlinesearch", {"shots": 0, "turns": "searches"}),
    ("closedbook", {"shots": 2}),
    ("oracle", {"shots": 0, "ndoc": 2}),
    ("oracle", {"shots": 1, "form": "list"}),
    ("positional", {}),
    ("positional", {"shorten": "summ"}),
    ("positional", {"shorten": "snippet"}),
    ("retrieve_then_read", {}),
    ("retrieve_then_read", {"anew": "t2"}),
    ("posthoc", {"pairs": 3}),
    ("posthoc", {"pairs": 2, "pairs_by": "similar"}),
    ("llm_as_retriever", {}),
]


if __name__ == "__main__":  # after a prompt was meant to change
    GOLDEN.mkdir(exist_ok=True)
    for system, options in GOLDENS:
        name = "-".join([system, *(f"{key}_{value}" for key, value in options.items())])
        (GOLDEN / f"{name}.txt").write_text(transcript(talked(system, **options)[1]), "utf-8")
