"""Questions, systems, responses, passages, units and judgments, and their lists and pages."""
