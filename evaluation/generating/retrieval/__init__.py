"""Search by meaning and servers, and numbers on retrieval. Pure."""
