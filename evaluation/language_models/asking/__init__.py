"""Questions put to language models: how they are worded, what is read of an answer, and how
servers are spoken to. Described in docs/model-judges.md."""
