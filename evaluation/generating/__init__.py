"""Systems made here: corpora and their search, generations, post-editing,
and jobs that make something of a study."""
