"""The charts of a report as Vega-Lite specifications, drawn alike by pages and exports."""
