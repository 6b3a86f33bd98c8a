"""Two reports side by side: the numbers that both have, and whether they differ."""
