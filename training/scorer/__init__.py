"""The entailment scorer that comes with Attest: how its weights are fitted and judged."""
