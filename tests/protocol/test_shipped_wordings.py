"""What was shipped once never changes: databases hold its wording, and judgments name it.

Another text is another `version` in the file. New lines are added to `wordings.json`, none changed;
what a failing test shows as found is the line to add.
"""

import json
from hashlib import sha256
from pathlib import Path

from annotate.protocol.shipped import SHIPPED
from annotate.protocol.written import as_fields

KEPT: dict[str, str] = json.loads(Path(__file__).with_name("wordings.json").read_text())


def digests() -> dict[str, str]:
    return {
        f"{key}:{dimension.version}": sha256(
            json.dumps(as_fields(dimension), sort_keys=True).encode()
        ).hexdigest()[:16]
        for key, dimension in SHIPPED.items()
    }


def test_a_shipped_wording_never_changes():
    found = digests()
    assert found.items() <= KEPT.items()
