"""What a frozen protocol file brings into a study is not changed there: a copy is."""

from dataclasses import replace

import pytest
from django.urls import reverse

from annotate.exchange.copying import copy_study
from annotate.models import Study
from annotate.protocol.dimensions import Derived, UnitKind
from annotate.protocol.protocol import Protocol, ProtocolFile
from annotate.protocol.written import as_fields, derived_fields, write
from annotate.studies.wordings import (
    create_study_from,
    import_file,
    protocol_file_of,
    remove_number,
    save_dimension,
    save_number,
)
from annotate.web.errors import Refused
from tests.annotate.pages import visible
from tests.annotate.test_dimensions_api import program as program
from tests.annotate.test_wordings import FLUENCY, OTHER_ANSWERS, OTHER_WORDS
from tests.shared_rows import shared_rows

READS = Derived(
    "reads", UnitKind.RESPONSE, "Reads", "Does it read?", formula="fluency is at least fair"
)
OTHER_NUMBER = replace(READS, formula="fluency is good")
FILE = ProtocolFile("prose", 1, "Prose", Protocol([FLUENCY], [READS]), frozen=True)


@shared_rows
def prose(alice):
    return create_study_from(FILE, name="Prose", owner=alice)


def now(study):
    return Study.objects.get(pk=study.pk)


@pytest.mark.parametrize("other", [OTHER_WORDS, OTHER_ANSWERS, FLUENCY])
def test_a_dimension_of_a_frozen_file_is_not_changed_but_copied(prose, other):
    with pytest.raises(
        Refused, match=r"“fluency” comes from a frozen protocol file.* a copy of it"
    ):
        save_dimension(prose, other, replaces="fluency")
    assert now(prose).protocol["fluency"] == FLUENCY
    save_dimension(prose, replace(other, key="flow"))
    assert now(prose).dimensions == ["fluency", "flow"]
    again = save_dimension(prose, replace(other, key="flow", title="Flow"), replaces="flow")
    assert (again.key, again.version) == ("flow", 2)


def test_nor_is_a_number_of_it(prose):
    for change in (
        lambda: save_number(prose, OTHER_NUMBER, replaces="reads"),
        lambda: save_number(prose, replace(READS, key="reads2"), replaces="reads"),
        lambda: remove_number(prose, "reads"),
    ):
        with pytest.raises(Refused, match=r"“reads” comes from a frozen protocol file.*key of its"):
            change()
    assert now(prose).derived == [derived_fields(READS)]
    save_number(prose, replace(OTHER_NUMBER, key="well"))
    remove_number(prose, "well")


def test_another_file_brings_no_other_words_for_it(prose):
    newer = replace(
        FILE, version=2, protocol=Protocol([replace(OTHER_WORDS, version=2)]), earlier=(FLUENCY,)
    )
    for file in (newer, replace(newer, frozen=False)):
        with pytest.raises(Refused, match="from a frozen protocol file and stays as it is: give"):
            import_file(prose, file)


def test_only_what_the_frozen_file_has_is_frozen(study):
    save_dimension(study, replace(FLUENCY, key="flow"))
    import_file(study, replace(FILE, protocol=Protocol([FLUENCY])))
    assert study.protocol.frozen == {"fluency"}
    save_dimension(study, replace(OTHER_WORDS, key="flow"), replaces="flow")
    import_file(study, replace(FILE, frozen=False))
    assert now(study).protocol.frozen == {"fluency"}


def test_a_copy_of_the_study_has_it_as_it_is_and_its_file_can_be_changed(prose, alice, signed_in):
    made, _ = copy_study(prose, name="Again", owner=alice)
    assert now(made).protocol.frozen == {"fluency", "reads"}
    assert not protocol_file_of(prose).frozen
    other = create_study_from(protocol_file_of(prose), name="Other", owner=alice)
    address = reverse("dimensions-take", args=[other.slug])
    page = signed_in(alice).post(address, {"text": write(FILE)})
    assert "The file is frozen" in visible(page.content.decode())
    assert save_dimension(other, OTHER_WORDS, replaces="fluency").version == 2


def test_the_page_says_so_and_offers_a_copy(prose, alice, signed_in):
    client = signed_in(alice)
    listing, edit = (
        reverse(name, args=["prose", *more])
        for name, *more in (("dimensions",), ("dimension-edit", "fluency"))
    )
    html = client.get(listing).content.decode()
    assert "own, version 1, frozen" in visible(html)
    assert edit not in html
    assert reverse("number-edit", args=["prose", "reads"]) not in html
    assert f"{reverse('dimension-new', args=['prose'])}?copy=fluency" in html
    for address in (edit, reverse("number-edit", args=["prose", "reads"])):
        for answer in (client.get(address, follow=True), client.post(address, {}, follow=True)):
            assert answer.redirect_chain == [(listing, 302)]
            assert "comes from a frozen protocol file" in visible(answer.content.decode())
    client.post(reverse("dimensions-arrange", args=["prose"]), {"drop": "reads"})
    assert now(prose).derived == [derived_fields(READS)]
    preview = reverse("dimension-preview", args=["prose"])
    assert client.post(preview, {"replaces": "fluency"}).status_code == 200


def test_programs_are_refused_and_told(study, program):
    address = "/api/studies/peaks/dimensions/"

    def post(**data):
        return program.post(address, data, content_type="application/json")

    assert post(protocol=write(FILE)).json()["frozen"] == ["fluency", "reads"]
    for data in (
        {"dimension": as_fields(OTHER_WORDS), "replaces": "fluency"},
        {"number": derived_fields(OTHER_NUMBER), "replaces": "reads"},
    ):
        answer = post(**data)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "refused")
        assert "comes from a frozen protocol file" in answer.json()["error"]["message"]
