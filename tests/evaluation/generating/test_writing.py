"""Many questions at once, and what is done to their answers afterwards."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from annotate.formats.division import FIRST_LINE
from annotate.formats.records import QuestionRecord
from annotate.text import strip_marks
from evaluation.generating.postediting import Edited
from evaluation.generating.postediting.passages import ANOTHER, ByAutoAIS
from evaluation.generating.postediting.postcite import Postcite
from evaluation.generating.postediting.ranking import Bm25
from evaluation.generating.postediting.rerank import ByRecall, _kept, samples_of
from evaluation.generating.systems.attributed_qa import PAGE_TASK, POSTHOC_TASK, READ_TASK
from evaluation.generating.systems.conversations import Ask, Subject, WrittenAnswer
from evaluation.generating.systems.options import SHOTS
from evaluation.generating.systems.rule_model import RuleModel
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.generating.systems.spec import AUTOAIS, POSTCITE, RERANK
from evaluation.generating.systems.writing import SAMPLES_OF_SEED, Decoding, ResponseWriter
from evaluation.judges import load_judge
from evaluation.judges.entailment import Asker, load_scorer
from evaluation.judges.entailment.loading import PairError
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.server_apis import REFUSED, Reply
from tests.evaluation.asking.fake import Kept
from tests.evaluation.generating.talking import (
    CHEESE,
    ENGINEER,
    GOLDEN,
    SUBJECT,
    TOWER,
    Answering,
    caller,
    inputs,
)

MATRIX = GOLDEN.parent / "matrix.txt"


def subjects(count):
    found = SUBJECT.found
    questions = [QuestionRecord(f"Question {n} of the tower?", f"q{n}") for n in range(count)]
    return [Subject(question, found) for question in questions]


def writer(system="vanilla", model=None, *, kept=None, decoding=None, afterwards="", **more):
    options = {name: more.pop(name) for name in ("shots", "seed", "steps", "k") if name in more}
    given = inputs(system, **options)
    asks = caller(model, kept=kept, at_once=more.pop("at_once", 4))
    spec = SYSTEMS[system]
    return ResponseWriter(
        spec, given, asks, decoding or Decoding(), afterwards, system="New", **more
    )


def test_every_system_answers_every_question_in_order(subtests):
    for system in SYSTEMS:
        with subtests.test(system=system):
            questions = [replace(SUBJECT, question=replace(SUBJECT.question, external_id=f"q{n}",
                         text=f"{n}: {SUBJECT.question.text}")) for n in range(9)]  # fmt: skip
            made = writer(system)
            records = made.write(questions)
            assert [one.question.external_id for one in records] == [f"q{n}" for n in range(9)]
            assert all(one.output and one.system == "New" for one in records)
            assert made.outcomes == {"answered": 9}


def edits(afterwards):
    """What really edits, by words instead of a model."""
    asker = Asker(load_scorer("containment"))
    alce: Any = load_judge("alce", asker=asker)
    autoais: Any = load_judge("autoais", asker=Asker(load_scorer("coverage")))
    return {
        "": lambda: None,
        POSTCITE: lambda: Postcite(Bm25()),
        RERANK: lambda: ByRecall(alce, FIRST_LINE),
        AUTOAIS: lambda: ByAutoAIS(autoais, FIRST_LINE),
    }[afterwards]()


def scripted(prompt, sampling):
    """As the rules, but what follows has something to do: a first sample cites its first sentence
    with nothing, a second one none, the others say less of it."""
    said = RuleModel().ask(prompt, None).text
    if prompt.system == POSTHOC_TASK:
        return "caves"
    if prompt.system == PAGE_TASK:
        return "Answer: 1889\nPage: https://x.org/wiki/Tower"
    if prompt.system == READ_TASK and "Document [2]" in prompt.user:
        return "Answer: Gustave Eiffel\nDocument: 3"
    sample = sampling.sample % SAMPLES_OF_SEED
    if not sample:  # passages are shortened without chance
        return said
    if sample == 1:
        return said.replace("1889 [1]", "1889")
    if sample == 2:
        return strip_marks(said).text if said.startswith(("The tower", "Output: ")) else said
    return said.replace("opened in 1889", "opened")


def matrix():
    """Every system with every edit and number of shots: what it asks how often, what comes out."""
    for system, spec in SYSTEMS.items():
        for afterwards in ("", *spec.afterwards):
            for shots in range(SHOTS + 1) if "shots" in spec.takes else [None]:
                more: dict[str, Any] = {} if shots is None else {"shots": shots}
                model = Answering(None)
                model.answer = lambda prompt, by=model: scripted(prompt, by.asked[-1][1])
                more |= {"afterwards": afterwards, "editing": edits(afterwards), "samples": 4}
                (record,) = writer(system, model, **more).write([SUBJECT])
                told = sorted(f"{prompt.system}\n\n{prompt.user}" for prompt, _ in model.asked)
                digest = sha256("\n\n".join(told).encode()).hexdigest()[:8]
                passages = " ".join(one.external_id for one in record.passages) or "none"
                yield (
                    f"{system} {afterwards or 'nothing'} shots={shots}: {len(told)} calls "
                    f"({digest}); passages {passages}; {record.output}"
                )


def test_the_whole_matrix_is_as_before():
    rows = [*matrix()]
    assert "\n".join([*rows, ""]) == MATRIX.read_text("utf-8")
    came = {tuple(row.partition(":")[0].split()): row.partition("; ")[2] for row in rows}
    for (system, afterwards, shots), out in came.items():
        if afterwards != "nothing" and system != "llm_as_retriever":  # one paragraph has its page
            assert out != came[system, "nothing", shots], (system, afterwards, shots)


def test_a_talk_goes_on_while_others_wait_and_nothing_is_asked_twice():
    kept = Kept()
    first = writer("interact", kept=kept, shots=0).write(subjects(30))
    count = len(kept.rows)
    model = Answering(lambda prompt: pytest.fail("it was asked again"))
    model.fingerprint = "simulated:1|model:simulated model"
    assert writer("interact", model, kept=kept, shots=0).write(subjects(30)) == first
    assert len(kept.rows) == count


def test_a_question_that_a_server_cannot_be_asked_is_left_without_an_answer():
    def answer(prompt):
        if "Question 3" in prompt.user:
            raise PairError("too odd")
        return "So it is [1]."

    made = writer(model=Answering(answer), shots=0)
    records = made.write(subjects(5))
    assert [one.output for one in records] == ["So it is [1]."] * 3 + ["", "So it is [1]."]
    assert "too odd" in records[3].metadata["no_answer"]


def test_unreadable_reply_affects_only_its_question():
    def conversation(subject, inputs):
        (heard,) = yield [Ask(Prompt("Once", subject.question.text))]
        return WrittenAnswer(f"{int(heard.text)}")

    made = writer(model=Answering(lambda prompt: "x" if "Question 1" in prompt.user else "7"))
    made.spec = replace(made.spec, conversation=conversation)
    records = made.write(subjects(3))
    assert [one.output for one in records] == ["7", "", "7"]
    assert records[1].metadata["no_answer"].startswith("what the model said could not be read (")


def test_questions_without_passages_or_gold_answers_are_not_asked():
    bare = Subject(QuestionRecord("Why?", "q7"))
    for system, subject, why in [
        ("vanilla", bare, "the question has no passages"),
        ("oracle", replace(SUBJECT, question=bare.question), "the question has neither answers"),
    ]:
        model = Answering(lambda prompt: pytest.fail("it was asked"))
        made = writer(system, model)
        assert made.write([subject])[0].output == ""
        assert next(iter(made.outcomes)).startswith(f"no answer: {why}")


class MostCited:
    """A stand-in for the judge: the recall of a sample is how many marks it has."""

    asks_entailment = True
    signature = "most-cited"
    description = "."

    def edit(self, records):
        return [
            _kept(record, [sample.output.count("[") for sample in samples_of(record)])
            for record in records
        ]


@pytest.mark.parametrize(
    ("second", "output"),
    [
        ("Eiffel [1]. Both [1, 2].", "Eiffel [2]. Both [2, 3]."),
        ("Both [1-2], and [^1].", "Both [2, 3], and [2]."),
        ("Both [1][2][3].", "Both [2][3][6]."),  # what it never saw stays nowhere
        ("Both【1†x】in 1914 [1914-1918] [2].", "Both[2]in 1914 [1914-1918] [3]."),
    ],
)
def test_marks_of_every_form_are_renumbered_with_the_passages(second, output):
    acts = {
        101: ["Search: cheese", "Output: Cheese.", "End"],
        102: ["Search: engineer", "Search: tower opened", f"Output: {second}", "End"],
    }
    model = Answering(None)
    model.answer = lambda prompt: acts[model.asked[-1][1].sample].pop(0)
    more = {"afterwards": RERANK, "samples": 2, "editing": MostCited()}
    (record,) = writer("inlinesearch", model, shots=0, at_once=1, **more).write([SUBJECT])
    assert [one.text for one in record.passages] == [CHEESE.text, ENGINEER.text, TOWER.text]
    assert record.output == output


class SecondFirst:
    """Puts the second passage first, as AutoAIS reranking may."""

    asks_entailment = True
    signature = "second-first"
    description = "."

    def edit(self, records):
        return [
            Edited(replace(r, passages=(r.passages[1], r.passages[0], *r.passages[2:])), ANOTHER)
            for r in records
        ]


def test_an_answer_that_is_not_read_anew_stays():
    def answer(prompt):
        alone = "Document [2]" not in prompt.user
        return Reply("", 1, 1, REFUSED) if alone else "Answer: 1889\nDocument: 1"

    more = {"afterwards": AUTOAIS, "editing": SecondFirst()}
    (record,) = writer("retrieve_then_read", Answering(answer), **more).write([SUBJECT])
    assert record.output == "1889"
    assert [one.text for one in record.passages] == [ENGINEER.text]
    assert record.metadata["not_read_again"] == REFUSED


if __name__ == "__main__":  # after a system was meant to change
    MATRIX.write_text("\n".join([*matrix(), ""]), "utf-8")
