"""Agreement between judges, and one label out of many: pure arithmetic on ratings."""
