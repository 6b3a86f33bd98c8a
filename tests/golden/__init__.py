"""The demo's exports, reports, forms and API as they were, kept to compare with what they are."""
