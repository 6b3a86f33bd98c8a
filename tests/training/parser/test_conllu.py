"""Reading CoNLL-U."""

import gzip

import pytest

from training.parser.conllu import TreebankError, read_treebank, sentences

RAIN = """\
# newdoc id = weather
# newpar
# text = Rain doesn't fall.
1\tRain\train\tNOUN\tNN\tNumber=Sing\t4\tnsubj\t4:nsubj\t_
2-3\tdoesn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdoes\tdo\tAUX\tVBZ\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tfall\tfall\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
4.1\tfalls\tfall\tVERB\tVB\t_\t_\t_\t0:root\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_
"""
STOP = "1\tStop\tstop\tVERB\tVB\t_\t0\troot\t_\t_\n"


def read(text):
    return list(sentences(text.splitlines(keepends=True), "weather.conllu"))


def test_words_joined_in_writing_have_no_space_between():
    (rain,) = read(RAIN)
    assert [(word.form, word.spaced) for word in rain.words] == [
        ("Rain", True),
        ("does", False),
        ("n't", True),
        ("fall", False),
        (".", True),
    ]
    assert rain.words[0][:7] == ("Rain", "rain", "NOUN", "NN", "Number=Sing", 4, "nsubj")


def test_documents_and_paragraphs():
    found = read(f"{RAIN}\n{STOP}\n# newpar\n{STOP}\n\n# newdoc\n{STOP}")
    assert [(one.document, one.begins_paragraph) for one in found] == [
        ("weather", True),
        ("weather", False),
        ("weather", True),
        ("weather+", True),
    ]


def test_packed_or_not(tmp_path):
    (tmp_path / "plain.conllu").write_text(RAIN, encoding="utf-8")
    with gzip.open(tmp_path / "packed.conllu.gz", "wt", encoding="utf-8") as stream:
        stream.write(RAIN)
    plain = list(read_treebank(tmp_path / "plain.conllu"))
    assert plain == list(read_treebank(tmp_path / "packed.conllu.gz")) == read(RAIN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tRain\train", r"weather\.conllu, line 1: expected 10 fields .* found 3"),
        (STOP.replace("1\t", "2\t", 1), "line 1: expected word 1 .* found “2” and “0”"),
        (STOP.replace("\t0\t", "\t_\t"), "found “1” and “_”"),
        (f"{STOP}\n{STOP.replace('0', '7')}", "line 3: .* found the head 7 of 1 words"),
        ("# newdoc\n", "line 1: .* found no words"),
    ],
)
def test_what_cannot_be_read_is_named(text, message):
    with pytest.raises(TreebankError, match=message):
        read(text)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(TreebankError, match=r"none\.conllu could not be read"):
        list(read_treebank(tmp_path / "none.conllu"))
    (tmp_path / "broken.conllu.gz").write_bytes(b"not packed")
    with pytest.raises(TreebankError, match=r"broken\.conllu\.gz could not be read"):
        list(read_treebank(tmp_path / "broken.conllu.gz"))
