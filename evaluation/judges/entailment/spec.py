"""What is known of a scorer without making one, or importing what it is made of."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ScorerSpec:
    """A scorer as commands, forms, runs and the titles of judges know it."""

    key: str
    """Its name; its fingerprint begins with it."""

    scorer: str
    """Where its class is written, `module:NAME`. Imported when one is made: web processes never
    import a library of models."""

    about: str
    """What it is, said after its name where one is chosen."""

    said: str = ""
    """What is said of it in a judge's title; if empty, its name and its model or address."""

    caution: str = ""
    """What must be known of its numbers, in a sentence that stands wherever these do."""

    loads_model: bool = False
    """Whether to import it is to import a library of models: then only workers look at what it
    takes."""

    wants_gpu: bool = False
    """Whether a GPU computes it much faster: its work has a queue of its own."""

    own_threshold: bool = False
    """Whether its threshold was fitted, so that titles need not name it."""

    places: tuple[str, ...] = ("model",)
    """The options that name a model or a folder: of a run, only what the installation allows."""

    connects: bool = False
    """Whether it asks a server: a run names a connection, which says `url`, `mode` and `model`, and
    it is made with `door` besides, which opens the way (`evaluation/judges/entailment/door.py`)."""
