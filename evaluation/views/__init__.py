"""Pages of the numbers. Thin: they enter through the access door and show what was computed."""
