"""Pages: each view enters through the access door, has a service act, and answers."""
