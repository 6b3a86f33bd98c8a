"""How sure a number is: pure arithmetic."""
