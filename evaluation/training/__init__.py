"""Making the models that Attest ships, from data to card. Nothing here is needed to use them."""
