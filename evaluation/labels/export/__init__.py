"""Labels and judgments in the formats of published analyses."""
