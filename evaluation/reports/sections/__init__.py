"""The parts of a report, one subject a file: each takes what was selected and gives JSON."""
