"""Systems made here: corpora and search, generations, post-editing, and the work of tools."""
