"""The sections of a report, one subject per file: each turns a selection into JSON."""
