"""The tables of a report: its numbers in rows and columns, whatever they are then written as."""
