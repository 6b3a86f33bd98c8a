"""Reports of a study: read from the database, built in the background, kept, shown, shared."""
