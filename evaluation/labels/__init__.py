"""Labels from votes, how raters and batches agree, live monitor."""
