"""Signatures of dimensions: their protocol files and versions.

A signature omits a dimension of a paper's protocol in its first wording. For others it names the
protocol file with its version, the version of the dimension (`1+2` if several are counted
together), and for a derived number of the study a digest of its definition:

    protocol:kitchen:3|dimension:mood:1
    protocol:trec:1|dimension:trec_support:1
    protocol:kitchen:3|dimension:holds:1,helps:2|formula:5f0c91ab
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from json import dumps

from annotate.protocol.protocol import ProtocolFile
from annotate.protocol.shipped import PROTOCOLS, PUBLISHED, SHIPPED
from annotate.protocol.written import derived_fields
from evaluation.reports.data import StudyRecord
from evaluation.reports.items import ReportItem


def shipped_files(keys: Sequence[str]) -> Iterator[tuple[ProtocolFile, list[str]]]:
    """Yield shipped files with their dimensions among these. A dimension of several files belongs
    to the file with most of them."""
    left = [key for key in keys if key in SHIPPED]
    for file in sorted(PROTOCOLS.values(), key=lambda file: -len({*left} & {*file.protocol})):
        here = [key for key in left if key in file.protocol]
        left = [key for key in left if key not in here]
        if here:
            yield file, here


def question_signature(study: StudyRecord, item: ReportItem) -> str:
    """Return the signature of a number's dimension; empty for one of a paper's protocol."""
    of = [key for key in item.derived_from or (item.key,) if not _is_published(study, key)]
    parts = [*_files(study, of)]
    if of:
        parts.append("dimension:" + ",".join(f"{key}:{_versions(study, key)}" for key in of))
    if item.derived is not None and not item.is_whether and item.key not in SHIPPED.derived:
        made = dumps(derived_fields(item.derived), sort_keys=True)
        parts.append(f"formula:{sha256(made.encode()).hexdigest()[:8]}")
    return "|".join(parts)


def _is_published(study: StudyRecord, key: str) -> bool:
    return key in PUBLISHED and study.protocol[key].version == 1


def _files(study: StudyRecord, keys: Sequence[str]) -> Iterator[str]:
    names = {file.name: None for file, _ in shipped_files(keys)}
    if any(key not in SHIPPED for key in keys):
        names |= dict.fromkeys(study.files)
    if names:
        yield "protocol:" + ",".join(name.replace(" ", ":") for name in names)


def _versions(study: StudyRecord, key: str) -> str:
    several = sorted(version for of, version, _ in study.versions if of == key)
    return "+".join(map(str, several)) or str(study.protocol[key].version)
