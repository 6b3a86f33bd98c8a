"""A report's tables and charts as CSV, Markdown, LaTeX, HTML, PDF, SVG and PNG."""
