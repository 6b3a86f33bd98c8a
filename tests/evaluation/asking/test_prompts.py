"""Prompts of a study's own: versions, the judges that they make, their page, file and programs."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import AuditEntry, Judge
from annotate.protocol.signatures import judge_title
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.prompts import StyleError, read_style, styles, written_style
from evaluation.language_models.study_prompts import save_prompt, style_named
from evaluation.models import StudyPrompt
from evaluation.runs import lifecycle as runs
from tests.annotate.pages import visible
from tests.evaluation.asking.test_model_runs import ASKED
from tests.evaluation.runs.doing import finished

pytestmark = pytest.mark.django_db

OWN = written_style(styles()["direct"]).replace("You judge answers", "Be strict. You judge answers")


def posted(**changes):
    style = styles()["direct"]
    return {
        "name": "strict",
        "title": "Strict",
        "about": "",
        "answer": "value",
        "system": style.system,
        "user": style.user,
    } | changes


def test_a_prompt_of_ones_own_is_another_judge(every, server):
    """And a version that is written meanwhile changes none that was asked for."""
    first = save_prompt(every, "strict", OWN)
    one = {"dimensions": ["sure"], "style": "strict", **ASKED}
    settings = JudgeSettings(
        "model", "coverage", connection="lab", style="strict", dimensions=["sure"]
    )
    run = runs.create(every, settings, by_operator=True, queued=False)
    assert run.settings["style"] == "strict:1"
    finished(every, **one)
    second = save_prompt(every, "strict", OWN.replace("strict", "very strict"))
    finished(every, **one)
    assert [first.version, second.version] == [1, 2]
    names = list(Judge.objects.filter(kind="automatic").values_list("name", flat=True))
    assert ["|style:strict:1." in names[0], "|style:strict:2." in names[1]] == [True, True]
    assert [judge_title(name) for name in names] == [
        "Language model, m-1, strict",
        "Language model, m-1, strict 2",
    ]
    assert any("Be strict. You judge" in call.told for call in server.calls)
    assert style_named(every, "strict:1").system.startswith("Be strict.")


def test_the_same_text_is_no_new_version_and_no_version_changes(every, alice):
    first = save_prompt(every, "strict", OWN, by=alice)
    assert save_prompt(every, "strict", OWN) == first
    assert save_prompt(every, "strict", OWN.replace("version: 1", "version: 7")) == first
    save_prompt(every, "strict", OWN.replace("strict", "kind"))
    assert StudyPrompt.objects.get(pk=first.pk).text == first.text
    written = AuditEntry.objects.filter(act="prompt-written").order_by("pk")
    assert [entry.details["version"] for entry in written] == [1, 2]
    assert written[0].user_id == alice.pk


def test_one_is_copied_and_changed_on_its_page(every, alice, signed_in):
    client, copy = signed_in(alice), reverse("prompt", args=[every.slug, "direct"])
    wanted = posted(system="Be kind. {guidelines}")
    page = client.post(copy, {**wanted, "preview": "1"}).content.decode()
    assert "Be kind." in page
    assert not StudyPrompt.objects.exists()
    own = reverse("prompt", args=[every.slug, "strict"])
    assert client.post(copy, {**wanted, "save": "1"}).url == own
    client.post(own, {**posted(system="Be strict."), "save": "1"})
    assert list(StudyPrompt.objects.values_list("version", flat=True)) == [2, 1]
    page = visible(client.get(own).content.decode())
    assert "Version 2" in page
    file = client.get(reverse("prompt-download", args=[every.slug, "strict", 1]))
    assert read_style("strict", file.content.decode()).system == "Be kind. {guidelines}"
    assert "strict: Strict" not in page
    new = client.get(reverse("run-new", args=[every.slug])).content.decode()
    assert 'value="strict"' in new


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"system": "{non}"}, "system", "There is no place {non}"),
        ({"user": "{question} {choices}"}, "user", "Expected {fields} in what is said of each"),
        ({"name": "direct"}, "name", "comes with Attest"),
        ({"user": "{question} {choices} {fields}\n---\nmore"}, None, "found 4 parts"),
    ],
)
def test_faults_are_told_beside_their_field(every, alice, signed_in, changes, field, words):
    address = reverse("prompt", args=[every.slug, "direct"])
    answer = signed_in(alice).post(address, {**posted(**changes), "save": "1"})
    assert answer.status_code == 422
    errors = answer.context["form"].errors
    [told] = errors["__all__" if field is None else field]
    assert words in told
    assert not StudyPrompt.objects.exists()


def test_a_file_is_taken(every, alice, signed_in):
    client, address = signed_in(alice), reverse("prompts", args=[every.slug])
    bad = SimpleUploadedFile("x.md", OWN.replace("{fields}", "").encode())
    answer = client.post(address, {"name": "strict", "file": bad})
    assert "in which form it is to be answered" in answer.context["form"].errors["file"][0]
    latin = SimpleUploadedFile("x.md", "é".encode("latin-1"))
    answer = client.post(address, {"name": "strict", "file": latin})
    assert "Expected text in UTF-8" in answer.context["form"].errors["file"][0]
    good = SimpleUploadedFile("x.md", OWN.encode())
    assert client.post(address, {"name": "strict", "file": good}).status_code == 302
    assert "strict" in visible(client.get(address).content.decode())


def test_programs_read_and_write_prompts(every, alice, signed_in):
    client, address = signed_in(alice), reverse("api-prompts", args=[every.slug])
    given = {"name": "strict", "text": OWN}
    answer = client.post(address, given, content_type="application/json")
    assert answer.status_code == 201
    assert answer.json()["signature"] == style_named(every, "strict").signature
    told = client.get(address).json()["prompts"]
    assert [(one["name"], one["own"]) for one in told][-1] == ("strict", True)
    wrong = {"name": "strict", "text": "x"}
    answer = client.post(address, wrong, content_type="application/json")
    assert "found 1 part" in answer.json()["error"]["details"]["text"][0]


def test_the_command(every, tmp_path, capsys):
    file = tmp_path / "strict.md"
    call_command("prompt", every.slug, "direct", output=file)
    file.write_text(file.read_text().replace("You judge", "Be strict. You judge"))
    call_command("prompt", every.slug, "strict", keep=file)
    call_command("prompt", every.slug)
    assert "strict:1." in capsys.readouterr().out
    call_command("prompt", every.slug, "strict:1")
    assert "Be strict. You judge" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no style"):
        call_command("prompt", every.slug, "poetry")
    file.write_text("x")
    with pytest.raises(CommandError, match="found 1 part"):
        call_command("prompt", every.slug, "strict", keep=file)
    with pytest.raises(StyleError):
        save_prompt(every, "strict", "x")
