"""People in a study: members, raters from crowd platforms, who may rate, and who signs in."""
