"""Exports, archives, copies and deletion of studies."""
