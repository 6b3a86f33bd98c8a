"""Reports: answers of people and judges, their agreement, and the error of each number.

Nothing here imports Django or uses the database, so a bundle gives the same report anywhere.
"""
