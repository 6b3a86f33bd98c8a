"""Keys of tables and charts as names of files."""


def file_name(key: str) -> str:
    """With nothing in it that a folder or a shell would take for its own."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in key)
