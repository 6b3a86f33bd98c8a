"""Many questions at once, and what is done to their answers afterwards."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from annotate.formats.division import FIRST_LINE
from annotate.formats.records import QuestionRecord
from annotate.segment import strip_marks
from evaluation.asking.prompts import Prompt
from evaluation.asking.speech import CUT, REFUSED, Reply
from evaluation.entailment import Asker, load_scorer
from evaluation.entailment.loading import PairError
from evaluation.generating.attributed_qa import PAGE_TASK, POSTHOC_TASK, READ_TASK
from evaluation.generating.options import SHOTS, with_options
from evaluation.generating.simulated import RuleModel
from evaluation.generating.spec import AUTOAIS, POSTCITE, RERANK
from evaluation.generating.systems import SYSTEMS
from evaluation.generating.talks import Ask, Subject, Written
from evaluation.generating.writing import (
    LIMITED,
    SAMPLES_OF_SEED,
    Decoding,
    ResponseWriter,
    signature_of,
)
from evaluation.judges import load_judge
from evaluation.postediting import Edited
from evaluation.postediting.passages import ANOTHER, ByAutoAIS
from evaluation.postediting.postcite import Postcite
from evaluation.postediting.ranking import Bm25
from evaluation.postediting.rerank import ByRecall, _kept, samples_of
from tests.evaluation.asking.fake import Kept
from tests.evaluation.generating.talking import (
    CHEESE,
    ENGINEER,
    GOLDEN,
    SUBJECT,
    TOWER,
    Answering,
    caller,
    how,
)

MATRIX = GOLDEN.parent / "matrix.txt"


def subjects(count):
    found = SUBJECT.found
    questions = [QuestionRecord(f"Question {n} of the tower?", f"q{n}") for n in range(count)]
    return [Subject(question, found) for question in questions]


def writer(system="vanilla", model=None, *, kept=None, decoding=None, afterwards="", **more):
    options = {name: more.pop(name) for name in ("shots", "seed", "steps", "k") if name in more}
    given = how(system, **options)
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


def scripted(prompt, manner):
    """As the rules, but what follows has something to do: a first sample cites its first sentence
    with nothing, a second one none, the others say less of it."""
    said = RuleModel().ask(prompt, None).text
    if prompt.system == POSTHOC_TASK:
        return "caves"
    if prompt.system == PAGE_TASK:
        return "Answer: 1889\nPage: https://x.org/wiki/Tower"
    if prompt.system == READ_TASK and "Document [2]" in prompt.user:
        return "Answer: Gustave Eiffel\nDocument: 3"
    sample = manner.sample % SAMPLES_OF_SEED
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


def test_what_is_drawn_differs_by_seed_and_sample_and_at_no_temperature_by_neither():
    def manners(**more):
        model = Answering(lambda prompt: "So it is [1].")
        writer(model=model, shots=0, afterwards=RERANK, samples=2, **more).write([SUBJECT])
        return [(manner.sample, manner.temperature, manner.nucleus) for _, manner in model.asked]

    assert manners(seed=1) == [(101, 0.5, None), (102, 0.5, None)]
    assert manners(seed=2, decoding=Decoding(1.0, 0.95)) == [(201, 1.0, 0.95), (202, 1.0, 0.95)]
    assert manners(decoding=Decoding(0)) == [(0, 0, None)]


@pytest.mark.parametrize(
    ("said", "output", "outcome"),
    [
        (Reply("Half an", 1, 1, CUT), "Half an", "answered"),
        (Reply("", 1, 1, REFUSED), "", f"no answer: {REFUSED}"),
        ("  ", "", "empty answer"),
        ("Answer: So [1].\nQuestion: What?", "So [1].\nQuestion: What?", "answered"),
    ],
)
def test_answers_that_are_cut_declined_or_empty(said, output, outcome):
    made = writer(model=Answering(lambda prompt: said), shots=0)
    (record,) = made.write([SUBJECT])
    assert record.output == output
    cut = {LIMITED["cut_off"]: 1} if output == "Half an" else {}
    assert made.outcomes == {outcome: 1, **cut}


def test_a_question_that_a_server_cannot_be_asked_is_left_without_an_answer():
    def answer(prompt):
        if "Question 3" in prompt.user:
            raise PairError("too odd")
        return "So it is [1]."

    made = writer(model=Answering(answer), shots=0)
    records = made.write(subjects(5))
    assert [one.output for one in records] == ["So it is [1]."] * 3 + ["", "So it is [1]."]
    assert "too odd" in records[3].metadata["no_answer"]


@pytest.mark.parametrize("page", ["https://[en.wikipedia.org]/wiki/Tower", "http://[::1/x"])
def test_one_answer_that_names_no_address_ends_nothing(page):
    made = writer("llm_as_retriever", Answering(lambda prompt: f"Answer: 1889\nPage: {page}"))
    assert [one.output for one in made.write(subjects(3))] == ["1889"] * 3


def test_what_a_system_cannot_read_is_no_answer_of_that_question_alone():
    def talk(subject, how):
        (heard,) = yield [Ask(Prompt("Once", subject.question.text))]
        return Written(f"{int(heard.text)}")

    made = writer(model=Answering(lambda prompt: "x" if "Question 1" in prompt.user else "7"))
    made.spec = replace(made.spec, talk=talk)
    records = made.write(subjects(3))
    assert [one.output for one in records] == ["7", "", "7"]
    assert records[1].metadata["no_answer"].startswith("what the model said could not be read (")


def test_what_needs_passages_or_gold_answers_is_asked_nothing_without():
    bare = Subject(QuestionRecord("Why?", "q7"))
    for system, subject, why in [
        ("vanilla", bare, "the question has no passages"),
        ("oracle", replace(SUBJECT, question=bare.question), "the question has neither answers"),
    ]:
        model = Answering(lambda prompt: pytest.fail("it was asked"))
        made = writer(system, model)
        assert made.write([subject])[0].output == ""
        assert next(iter(made.outcomes)).startswith(f"no answer: {why}")


def test_closed_book_has_no_passages_and_with_postcite_those_that_it_cites():
    model = Answering(lambda prompt: "Cheese ripens in caves. The engineer was Gustave Eiffel.")
    (bare,) = writer("closedbook", model).write([SUBJECT])
    assert bare.passages == ()
    edited = writer("closedbook", model, afterwards=POSTCITE, editing=Postcite(Bm25()))
    (cited,) = edited.write([SUBJECT])
    assert cited.output == "Cheese ripens in caves [3]. The engineer was Gustave Eiffel [2]."
    assert [(one.n, one.text) for one in cited.passages] == [(2, ENGINEER.text), (3, CHEESE.text)]
    assert edited.outcomes["postcite: all uncited statements are cited now"] == 1


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


def test_of_several_samples_the_best_stays_with_the_passages_of_all():
    acts = {
        101: ["Search: cheese", "Output: Cheese [1].", "End"],
        102: ["Search: engineer", "Output: Eiffel [1], once more [1].", "End"],
    }
    model = Answering(None)
    model.answer = lambda prompt: acts[model.asked[-1][1].sample].pop(0)
    more = {"afterwards": RERANK, "samples": 2, "editing": MostCited()}
    made = writer("inlinesearch", model, shots=0, at_once=1, **more)
    (record,) = made.write([SUBJECT])
    assert [one.text for one in record.passages] == [CHEESE.text, ENGINEER.text]
    assert record.output == "Eiffel [2], once more [2]."
    assert record.metadata["kept_sample"] == 2
    assert [one["ended"] for one in record.metadata["of_samples"]] == ["end", "end"]


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


def test_with_autoais_the_best_candidate_is_attributed_and_read():
    def answer(prompt):
        alone = "Document [2]" not in prompt.user
        return f"Answer: {'Eiffel' if alone else '1889'}\nDocument: 1"

    model = Answering(answer)
    made = writer("retrieve_then_read", model, afterwards=AUTOAIS, editing=SecondFirst())
    (record,) = made.write([SUBJECT])
    assert record.output == "Eiffel"
    assert [(one.n, one.text) for one in record.passages] == [(1, ENGINEER.text)]
    assert len(model.asked) == 2


def test_an_answer_that_is_not_read_anew_stays():
    def answer(prompt):
        alone = "Document [2]" not in prompt.user
        return Reply("", 1, 1, REFUSED) if alone else "Answer: 1889\nDocument: 1"

    more = {"afterwards": AUTOAIS, "editing": SecondFirst()}
    (record,) = writer("retrieve_then_read", Answering(answer), **more).write([SUBJECT])
    assert record.output == "1889"
    assert [one.text for one in record.passages] == [ENGINEER.text]
    assert record.metadata["not_read_again"] == REFUSED


def test_without_it_the_one_that_was_pointed_at_is_the_only_passage():
    (record,) = writer("retrieve_then_read").write([SUBJECT])
    assert [one.text for one in record.passages] == [TOWER.text]


def test_a_signature_names_all_that_could_change_an_answer():
    def named(
        system="vanilla",
        seeds=(1,),
        decoding=None,
        model="m",
        passages="p",
        limits=(),
        **options,
    ):
        spec = SYSTEMS[system]
        chosen = with_options(spec.usual, spec.takes, options)
        said = {"seeds": seeds, "examples": "own", "model": model, "passages": passages}
        said["limits"] = limits
        return signature_of(spec, chosen, decoding or Decoding(), **said)

    plain = named()
    assert plain == (
        "generated|vanilla|shots:2|ndoc:5|form:prose|examples:own|passages:p|seeds:1"
        "|temperature:0.5|m|v:1"
    )
    others = {
        named(seeds=(1, 2)), named(decoding=Decoding(1.0, 0.95)), named(model="n"),
        named(passages="q"), named(ndoc=10), named(shots=0), named("summ"),
        named(limits=("context:4096",)),
    }  # fmt: skip
    assert len(others) == 8
    assert plain not in others
    before_there_was_ranked_by = (
        "generated|retrieve_then_read|k:50|read:5|point:5|examples:own|passages:p|seeds:1"
        "|temperature:0.5|m|v:1"
    )
    assert named("retrieve_then_read") == before_there_was_ranked_by
    ranked = named("retrieve_then_read", ranked_by="words")
    assert ranked == before_there_was_ranked_by.replace("|read:", "|ranked_by:words|read:")


if __name__ == "__main__":  # after a system was meant to change
    MATRIX.write_text("\n".join([*matrix(), ""]), "utf-8")
