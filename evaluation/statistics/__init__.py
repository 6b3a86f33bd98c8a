"""Agreement, intervals and tests; from answers to votes, labels and numbers. Pure."""
