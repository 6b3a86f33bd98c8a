"""The questions that judges answer, and the kinds of study made of them. Pure."""
