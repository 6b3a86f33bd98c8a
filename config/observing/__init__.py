"""Seeing inside: logs, numbers and traces."""
