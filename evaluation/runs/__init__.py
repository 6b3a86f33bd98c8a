"""Runs of automatic judges: plans, parts under leases, verdicts stored; thresholds and juries."""
