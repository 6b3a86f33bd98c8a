"""What pages and exports need to know about people's answers and runs. Read-only."""
