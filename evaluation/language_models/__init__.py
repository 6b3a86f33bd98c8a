"""Language models as judges: prompts, replies, calls, connections, costs, study prompts."""
