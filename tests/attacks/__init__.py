"""Attacks and accidents that were tried on a production set-up, each with what closed it."""
