"""What a service says when it cannot do what was asked."""


class Refused(Exception):  # noqa: N818  (it is an answer, not a fault)
    """The request cannot be carried out; the message is meant for the person who asked."""
