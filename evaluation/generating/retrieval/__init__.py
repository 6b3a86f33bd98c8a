"""How good what was retrieved is: pure, as judges and numbers are."""
