"""The charts of a report, as specifications of Vega-Lite. Pages and exports draw the same ones."""
