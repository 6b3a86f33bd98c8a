"""Two reports side by side: their common numbers, and whether these differ."""
