"""A made-up ALCE result file: the answers and passages of the demo, each a little other."""

import json
from pathlib import Path

DEMO = Path("fixtures/demo")
ANSWERS = 20_000


def write_answers(path: Path, *, answers: int = ANSWERS) -> int:
    """Write the file; no two passages and no two questions of it are the same."""
    items = [
        item
        for file in sorted(DEMO.glob("alce-*.json"))
        for item in json.loads(file.read_text(encoding="utf-8"))["data"]
    ]
    with path.open("w", encoding="utf-8") as handle:
        handle.write('{"args": {"model": "made-up"}, "data": [')
        for number in range(answers):
            item = items[number % len(items)]
            docs = [
                {**doc, "text": f"{doc['text']} {number}-{place}"}
                for place, doc in enumerate(item["docs"])
            ]
            mine = {
                "id": f"{item['id']}-{number}",
                "question": f"{item['question']} {number}",
                "docs": docs,
            }
            handle.write(f"{', ' if number else ''}{json.dumps(item | mine)}")
        handle.write("]}")
    return answers
