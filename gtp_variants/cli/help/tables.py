"""Tables of Markdown pages."""


def table_row(*cells: str) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(table_cell, cells))} |"


def table_cell(text: str) -> str:
    """A text as it may stand in a table: on one line, and no bar of it ends the cell."""
    return text.replace("|", "\\|").replace("\n", " ")
