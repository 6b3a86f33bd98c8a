"""Other packages bring judges, scorers, formats and sections."""

import pytest

from annotate.protocol.registry import ExtensionError, extensions
from evaluation.judges import JUDGES


@pytest.fixture
def brings(package):
    """A package that has nothing but entry points of the group of judges."""

    def made(name, **judges):
        package(name, {}, {"attest.judges": judges})

    return made


def test_what_a_package_brings_is_loaded_when_it_is_asked_for(brings):
    brings("toy", toy="json:loads", broken="not_there:x")
    found = extensions("attest.judges", frozenset({"alce"}))
    assert list(found) == ["broken", "toy"]
    assert found["toy"].load()("1") == 1
    assert extensions("attest.scorers") == {}


def test_nothing_that_ships_is_replaced(brings):
    brings("toy", alce="json:loads")
    with pytest.raises(ExtensionError, match=r"package toy brings “alce”.*Attest has itself"):
        extensions("attest.judges", frozenset({"alce"}))


def test_two_packages_may_not_bring_the_same_name(brings):
    brings("one", toy="json:loads")
    brings("two", toy="json:dumps")
    with pytest.raises(ExtensionError, match="by the package two and by the package one"):
        extensions("attest.judges")


def test_what_cannot_be_imported_is_said_with_its_package(brings):
    brings("toy", broken="not_there:x")
    assert "broken" in JUDGES
    with pytest.raises(ExtensionError, match=r"package toy brings “broken”.*No module named"):
        JUDGES.check()


def test_what_is_something_else_is_refused(brings):
    brings("toy", other="evaluation.judges.alce:SPEC", loads="json:loads")
    with pytest.raises(ExtensionError, match="expected a Spec with the key “other”, found Spec"):
        JUDGES["other"]
    with pytest.raises(ExtensionError, match="expected a Spec with the key “loads”, found <func"):
        JUDGES["loads"]
