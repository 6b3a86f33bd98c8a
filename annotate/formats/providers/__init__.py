"""What providers of language models answer, as it was saved: one module for each of them."""
