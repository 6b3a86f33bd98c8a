"""Measurements. Each prints ratios of two things timed in the same run on the same machine."""
