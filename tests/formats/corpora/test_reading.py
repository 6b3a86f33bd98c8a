"""What a corpus is made of: tables of passages, and documents of any kind."""

import json
import re
from io import BytesIO
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotate.formats import Problem
from annotate.formats.corpora import CorpusReading, opened
from annotate.formats.limits import Limits
from annotate.formats.problems import Unreadable
from annotate.text.corpus import CorpusPassage
from tests.cases import each

LIMITS = Limits()
OWLS = CorpusPassage("o1", "Owls hunt at night.", "Owls")
FOXES = CorpusPassage("f1", "Foxes sleep in dens.", "", "https://example.org/foxes")


def read(path, content: str | bytes = b"", *, words=5, limits=LIMITS):
    if content:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(CorpusReading(path, path.name, limits, words=words).passages())


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page, written by hand."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * n} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    made, starts = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        starts.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{start:010} 00000 n \n" for start in starts)
    return (
        f"{made}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(made)}\n%%EOF\n"
    ).encode()


def test_tables_of_passages_of_every_kind(tmp_path):
    lines = (
        json.dumps({"_id": "o1", "title": "Owls", "text": OWLS.text, "metadata": {}}),
        json.dumps({"_id": "f1", "text": FOXES.text, "url": FOXES.url}),
    )
    assert read(tmp_path / "a.jsonl", "\n".join(lines)) == [OWLS, FOXES]
    assert read(tmp_path / "a.tsv", f"id\ttext\ttitle\no1\t{OWLS.text}\tOwls\n") == [OWLS]
    assert read(tmp_path / "b.tsv", f"o1\t{OWLS.text}\n") == [CorpusPassage("o1", OWLS.text)]
    assert read(tmp_path / "b.txt", f"o1\t{OWLS.text}\n") == [CorpusPassage("o1", OWLS.text)]
    assert read(tmp_path / "c.csv", f"id,text,title\no1,{OWLS.text},Owls\n") == [OWLS]
    columns = {"id": ["o1", "f1"], "title": ["Owls", None], "text": [OWLS.text, FOXES.text]}
    pq.write_table(pa.table({**columns, "url": [None, FOXES.url]}), tmp_path / "d.parquet")
    assert read(tmp_path / "d.parquet") == [OWLS, FOXES]


def test_a_bad_row_is_named_by_file_and_line_and_spoils_no_other(tmp_path):
    found = read(tmp_path / "a.jsonl", '{"id": "o1"}\n{"id": "f1", "text": "Foxes."}\n[\n')
    said = [str(one) for one in found if isinstance(one, Problem)]
    assert found[1] == CorpusPassage("f1", "Foxes.")
    assert said[0].startswith("a.jsonl, line 1, field contents: expected a text")
    assert said[1].startswith("a.jsonl, line 3: expected one JSON object")


def test_a_text_is_divided_at_sentences_and_its_places_lead_back(tmp_path):
    text = "Owls hunt at night. They see well in it.\n\n  Foxes sleep. Dens keep them dry all day."
    found = read(tmp_path / "animals.txt", text)
    assert [one.text for one in found] == [
        "Owls hunt at night. They see well in it.",
        "Foxes sleep. Dens keep them dry all day.",
    ]
    for one in found:
        start, end = map(int, one.key.removeprefix("animals.txt#char=").split(","))
        assert text[start:end] == one.text
        assert one.title == "animals"


@each("first", ["\tChapter One", "Owls\tby night", "Chapter\t1\n\nPage\t7"])
def test_a_text_with_a_tab_in_its_first_line_is_no_table(tmp_path, first):
    found = read(tmp_path / "owls.txt", f"{first}\n\nOwls hunt at night. They see well.\n")
    assert all(isinstance(one, CorpusPassage) for one in found), found
    assert any("hunt at night." in one.text for one in found)


def test_markdown_and_html_give_the_words_that_are_seen(tmp_path):
    (found,) = read(
        tmp_path / "a.md", "# Owls\n\nThey *hunt*\nat [night](https://x.org).", words=50
    )
    assert (found.title, found.text) == ("Owls", "Owls\nThey hunt\nat night.")
    page = (
        "<html><head><title>All  about\nowls</title><style>p {}</style></head><body><p>Owls "
        "h<b>u</b>nt.<p>Second<script>no()</script><ul><li>one<li>two</ul>after<br>it</body>"
    )
    (found,) = read(tmp_path / "a.html", page, words=50)
    assert found.title == "All about owls"
    assert found.text == "Owls hunt.\nSecond\none\ntwo\nafter\nit"
    latin = '<meta charset="iso-8859-1"><p>Käuzchen'.encode("iso-8859-1")
    assert read(tmp_path / "b.htm", latin)[0].text == "Käuzchen"


def place_of(passage):
    """What the key of a document's passage says: on which page, from where to where."""
    match = re.fullmatch(r".+#(?:page=(\d+)&)?char=(\d+),(\d+)", passage.key)
    assert match is not None
    page, start, end = match.groups(default="1")
    return int(page), int(start), int(end)


OWLS_BY_NIGHT = "Owls hunt at night. They see well in it."
DENS = "Foxes sleep in their dens. Dens keep them dry."


@each(
    ("name", "content", "seen"),
    [
        (
            "a.md",
            "## Owls\n\n*Owls* hunt at\nnight. They see [well](https://x.org) in it.\n\n"
            f"- {DENS}\n",
            ("Owls\nOwls hunt at\nnight. They see well in it.", DENS),
        ),
        (
            "a.html",
            f"<title>Owls</title><style>p {{}}</style>\n<p>Owls <b>hunt</b> at &nbsp; night. "
            f"They see well in it.<script>no()</script><ul><li>{DENS}</ul>",
            (OWLS_BY_NIGHT, DENS),
        ),
    ],
)
def test_places_in_markdown_and_html_are_those_in_the_words_that_are_seen(
    tmp_path, name, content, seen
):
    found = read(tmp_path / name, content, words=8)
    assert tuple(one.text for one in found) == seen
    whole = "\n".join(seen)
    for one in found:
        page, start, end = place_of(one)
        assert (page, whole[start:end]) == (1, one.text)


def test_places_in_a_pdf_are_those_on_their_page(tmp_path):
    pages = (f"{OWLS_BY_NIGHT} {DENS}", DENS)
    found = read(tmp_path / "a.pdf", pdf(*pages), words=8)
    assert [one.text for one in found] == [OWLS_BY_NIGHT, DENS, DENS]
    assert [place_of(one)[:2] for one in found] == [(1, 0), (1, 41), (2, 0)]
    for one in found:
        page, start, end = place_of(one)
        assert pages[page - 1][start:end] == one.text


def test_a_pdf_keeps_its_pages(tmp_path):
    found = read(tmp_path / "a.pdf", pdf("Owls hunt at night.", "", "Foxes sleep in dens."))
    assert [(one.key, one.text) for one in found] == [
        ("a.pdf#page=1&char=0,19", "Owls hunt at night."),
        ("a.pdf#page=3&char=0,20", "Foxes sleep in dens."),
    ]


@each(
    ("name", "content", "said"),
    [
        ("a.pdf", b"%PDF-1.4 nothing else", "a.pdf: expected a PDF that can be read"),
        ("a.pdf", pdf(""), "a.pdf: expected a PDF with text"),
        ("a.txt", b"owls \xff", "a.txt: expected UTF-8 text"),
        ("a.docx", b"\x00\x01\x02" * 40, "a.docx: expected UTF-8 text"),
    ],
)
def test_unreadable_file_explains_why(tmp_path, name, content, said):
    with pytest.raises(Unreadable) as refused:
        read(tmp_path / name, content)
    assert str(refused.value.problem).startswith(said)


def test_a_document_beyond_the_limit_is_not_read(tmp_path):
    with pytest.raises(Unreadable, match="at most 16 bytes"):
        read(tmp_path / "a.md", "# " + "owls " * 9, limits=Limits(max_field_chars=1))


def test_folder_is_read_as_a_zip_of_its_readable_files(tmp_path):
    folder = tmp_path / "library"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "b.md").write_text("Owls hunt.")
    (folder / "a.jsonl").write_text('{"id": "f1", "text": "Foxes."}\n')
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.txt").write_text("no")
    with opened(folder) as file:
        (tmp_path / "all.zip").write_bytes(file.read())
    found = read(tmp_path / "all.zip")
    assert [one.key for one in found] == ["f1", "deep/b.md#char=0,10"]
    made = BytesIO()
    with ZipFile(made, "w") as packed:
        packed.writestr("picture.png", b"")
    with pytest.raises(Unreadable, match="none of them in it"):
        read(tmp_path / "none.zip", made.getvalue())
