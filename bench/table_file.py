"""A made-up Parquet file of responses with passages, all in one row group, as large as wanted."""

import random
from pathlib import Path

from bench.ratings_file import _text

PASSAGES, WORDS, BATCH = 5, 330, 500
MAPPING = {
    "attest_mapping": 1,
    "rows": "outputs",
    "columns": {
        "id": "question_id",
        "prompt": "question",
        "response": "output",
        "contexts": "passage",
        "model": "system",
    },
}


def write_table(path: Path, megabytes: int) -> int:
    """Write the file; its texts are drawn from a store, in ever other orders. Gives its rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = random.Random(7)
    pieces = [_text(rng, WORDS // 10) for _ in range(5_000)]
    number, written = 0, 0
    batches = []
    while written < megabytes * 1_000_000:
        rows = []
        for _ in range(BATCH):
            passages = [
                {"title": f"Document {number}.{n}", "text": " ".join(rng.sample(pieces, 10))}
                for n in range(PASSAGES)
            ]
            said = " ".join(f"{rng.choice(pieces)[:80].strip()} [{n}]." for n in range(1, 4))
            rows.append(
                {
                    "id": f"q{number}",
                    "prompt": f"{rng.choice(pieces)[:60]} {number}?",
                    "response": said,
                    "contexts": passages,
                    "model": "example-7b",
                }
            )
            written += sum(len(each["text"]) for each in passages) + 400
            number += 1
        batches.append(pa.RecordBatch.from_pylist(rows))
    table = pa.Table.from_batches(batches)
    pq.write_table(table, path, compression="none", use_dictionary=False, row_group_size=number)
    return number
