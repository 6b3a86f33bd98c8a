"""People and the things they judge: studies, responses, units, judgments."""
