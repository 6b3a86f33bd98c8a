"""Any table as a file: its rows, whatever wrote it, and what its columns are."""
