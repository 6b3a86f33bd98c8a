"""A report's tables and charts in other forms: CSV, Markdown, LaTeX, HTML, SVG and PNG."""
