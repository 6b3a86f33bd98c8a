"""From people's answers to votes, labels and numbers: one way for pages, exports and reports.

Pure: rows come from the database or from a bundle as columns. The formulas are those of
`evaluation/agreement` and `evaluation/stats`.
"""
