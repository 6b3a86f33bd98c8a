"""What is judged: questions, systems, responses, passages, units and judgments,
and how people find and read them."""
