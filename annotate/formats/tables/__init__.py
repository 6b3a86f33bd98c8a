"""Tables of any kind and any columns, read by a column mapping."""
