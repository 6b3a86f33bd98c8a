"""Other packages bring judges, scorers, formats and sections."""

import sys

import pytest

from annotate.protocol.extensions import ExtensionError, extensions


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Installs a package that has nothing but entry points."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    extensions.cache_clear()

    def install(name, **groups):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [
            f"[attest.{group}]\n" + "".join(f"{key} = {value}\n" for key, value in some.items())
            for group, some in groups.items()
        ]
        (folder / "entry_points.txt").write_text("\n".join(lines))

    yield install
    extensions.cache_clear()


def test_what_a_package_brings_is_loaded_when_it_is_asked_for(package):
    package("toy", judges={"toy": "json:loads", "broken": "not_there:x"})
    found = extensions("attest.judges", frozenset({"alce"}))
    assert list(found) == ["broken", "toy"]
    assert found["toy"].load()("1") == 1
    assert extensions("attest.scorers") == {}


def test_nothing_that_ships_is_replaced(package):
    package("toy", judges={"alce": "json:loads"})
    with pytest.raises(ExtensionError, match=r"package toy brings “alce”.*Attest has itself"):
        extensions("attest.judges", frozenset({"alce"}))


def test_two_packages_may_not_bring_the_same_name(package):
    package("one", judges={"toy": "json:loads"})
    package("two", judges={"toy": "json:dumps"})
    with pytest.raises(ExtensionError, match="by the package two and by the package one"):
        extensions("attest.judges")
