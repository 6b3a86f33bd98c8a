"""How the small models were made that come with Attest, and how a study trains its own."""
