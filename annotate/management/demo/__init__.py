"""The demo study: loaded from fixtures/ through the same services as everybody's files."""
