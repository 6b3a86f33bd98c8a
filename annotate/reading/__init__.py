"""What pages need to know. Read-only."""
