"""“Combine judges”: the page, programs and the command."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import AuditEntry, Judgment
from evaluation.models import Jury
from tests.annotate.pages import visible
from tests.evaluation.services.combining import NAMES, judges, made_of
from tests.evaluation.services.test_thresholds import own_units

pytestmark = pytest.mark.django_db


def address_of(study, *members):
    chosen = "".join(f"&judges={one.pk}" for one in members)
    return f"{reverse('juries', args=[study.slug])}?dimensions=attributable{chosen}"


def test_from_the_list_of_runs_to_the_jury(heard, bob, signed_in):
    client, address = signed_in(bob), reverse("juries", args=["peaks"])
    assert address in client.get(reverse("runs", args=["peaks"])).content.decode()
    page = visible(client.get(address).content.decode())
    assert "Language model, a" in page
    page = visible(client.get(address_of(heard, *judges(heard))).content.decode())
    for words in (
        "Results: Attributable",
        "The best of them alone: Language model, a",
        "Weighted by labels",
        "Dawid-Skene",
        "40 units, 40 questions",
        "Two of these judges agree on 80 % of the units that both answered",
    ):
        assert words in page
    answer = client.post(
        address_of(heard, *judges(heard)), {"way": "weighted", "part": "half"}, follow=True
    )
    page = visible(answer.content.decode())
    assert "“Jury of 3 judges, weighted by labels” is a judge of the study now." in page
    assert "behind its judges" not in page
    noted = AuditEntry.objects.get(act="jury-formed")
    assert (noted.details["way"], noted.details["judges"]) == ("weighted", list(NAMES))
    learned = visible(client.get(reverse("scorers", args=["peaks"])).content.decode())
    assert "Weights of a jury" in learned


def test_invalid_juries_are_refused_on_the_page(heard, bob, signed_in):
    client, address = signed_in(bob), reverse("juries", args=["peaks"])
    one = judges(heard)[0]
    for query, words in (
        (address_of(heard, one), "A jury has 2 to 25 judges"),
        (address_of(heard), "Choose at least two judges."),
        (f"{address}?judges={one.pk}", "Choose at least one dimension."),
        (address_of(heard, one).replace(f"={one.pk}", "=0"), "not one of the available choices"),
    ):
        answer = client.get(query)
        assert answer.status_code == 422
        assert words in visible(answer.content.decode())
    answer = client.post(address_of(heard, *judges(heard)), {"part": "half"})
    assert answer.status_code == 422
    assert "Choose how to combine their answers" in visible(answer.content.decode())
    Judgment.objects.filter(judge__name="rita").delete()
    chosen = {"part": "half", "way": "weighted"}
    answer = client.post(address_of(heard, *judges(heard)), chosen)
    assert answer.status_code == 422
    assert "Have more of them rated" in visible(answer.content.decode())
    assert not Jury.objects.exists()


def test_it_is_brought_up_to_date_on_the_page(heard, bob, signed_in):
    client, jury = signed_in(bob), made_of(heard)
    unit = own_units("r")[1]
    Judgment.objects.filter(judge__in=judges(heard), unit=unit).delete()
    page = client.get(reverse("juries", args=["peaks"])).content.decode()
    assert "behind its judges" in page
    answer = client.post(reverse("jury-renew", args=["peaks", jury.judge.pk]), follow=True)
    assert "is up to date" in visible(answer.content.decode())
    assert "behind its judges" not in visible(answer.content.decode())
    plain = reverse("jury-renew", args=["peaks", judges(heard)[0].pk])
    assert "This judge is no jury" in visible(client.post(plain, follow=True).content.decode())


def test_programs_make_the_same(heard, alice, signed_in):
    client, address = signed_in(alice), reverse("api-juries", args=["peaks"])
    query = {"judges": NAMES, "dimensions": ["attributable"]}
    [tried] = client.get(address, query).json()["tried"]
    assert [way["way"] for way in tried["ways"]] == ["majority", "weighted", "dawid-skene"]
    assert tried["best"] == NAMES[0]
    assert {*tried["alone"]} == {*NAMES}
    given = {**query, "way": "majority"}
    answer = client.post(address, given, content_type="application/json")
    assert answer.status_code == 201
    [listed] = client.get(address).json()["juries"]
    assert listed == answer.json()
    assert (listed["judges"], listed["is_behind"]) == (list(NAMES), False)
    for wrong, words in (
        ({"judges": ["x", NAMES[0]]}, "no automatic judge “x”"),
        ({"judges": ["rita", NAMES[0]]}, "no automatic judge “rita”"),
        ({"dimensions": ["x"]}, "knows no dimension “x”"),
    ):
        answer = client.post(address, given | wrong, content_type="application/json")
        assert (answer.status_code, words in json.dumps(answer.json(), ensure_ascii=False)) == (
            409,
            True,
        )


def test_the_command_says_the_same(heard, capsys):
    call_command("combine_judges", "peaks", judges=NAMES, dimensions=["attributable"])
    told = capsys.readouterr().out
    assert "weighted, 40 units, 40 questions" in told
    assert "Language model, a, alone: kappa 0." in told
    call_command(
        "combine_judges", "peaks", judges=NAMES, dimensions=["attributable"], use="majority"
    )
    assert Jury.objects.get().judge.name in capsys.readouterr().out
    with pytest.raises(CommandError, match="2 to 25 judges"):
        call_command(
            "combine_judges", "peaks", judges=NAMES[:1], dimensions=["attributable"], use="majority"
        )
