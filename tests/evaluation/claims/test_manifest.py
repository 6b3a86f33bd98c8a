"""A model's files and their hashes."""

import json

import pytest

from evaluation.claims.manifest import ManifestError, check_manifest, sha256, write_manifest


@pytest.fixture
def model(tmp_path):
    (tmp_path / "parser").mkdir()
    (tmp_path / "parser" / "model").write_bytes(b"weights")
    (tmp_path / "config.cfg").write_text("[nlp]", encoding="utf-8")
    write_manifest(tmp_path)
    return tmp_path


def test_every_file_is_listed_but_the_list(model):
    listed = json.loads((model / "manifest.json").read_text(encoding="utf-8"))
    assert set(listed) == {"config.cfg", "parser/model"}
    assert listed["parser/model"] == sha256(model / "parser" / "model")
    check_manifest(model)


def test_a_known_hash(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256(tmp_path / "abc").startswith("ba7816bf8f01cfea414140de5dae2223")


def test_writing_it_again_leaves_it_out_again(model):
    first = (model / "manifest.json").read_bytes()
    write_manifest(model)
    assert (model / "manifest.json").read_bytes() == first


def test_what_is_not_listed_is_let_be(model):
    (model / "notes.txt").write_text("mine", encoding="utf-8")
    check_manifest(model)


def test_a_changed_file(model):
    (model / "parser" / "model").write_bytes(b"weighty")
    with pytest.raises(ManifestError, match=r"model is broken or was changed: expected the SHA"):
        check_manifest(model)


def test_a_missing_file(model):
    (model / "config.cfg").unlink()
    with pytest.raises(ManifestError, match=r"config\.cfg is missing"):
        check_manifest(model)


def test_a_missing_list(tmp_path):
    with pytest.raises(ManifestError, match=r"manifest\.json is missing, which lists its files"):
        check_manifest(tmp_path)


def test_a_broken_list(model):
    (model / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(ManifestError, match=r"manifest\.json is broken: Expecting"):
        check_manifest(model)
