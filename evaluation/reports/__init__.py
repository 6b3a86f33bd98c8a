"""Reports: what people said, what judges said, how far they agree, and how sure each number is.

Nothing here knows Django or the database, so that a bundle gives the same report anywhere.
"""
