"""Shared parts of pages and API: errors, help, audit log, template filters, bulk inserts."""
