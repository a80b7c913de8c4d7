"""Rows of letters, each with the names of its styles: what a screen is made of."""

# A letter with its styles, names with blanks between them, the last one on top.
Cell = tuple[str, str]
Row = list[Cell]


def row_of(text: str, style: str = "") -> Row:
    """A text in one style."""
    return [(style, letter) for letter in text]


def put(row: Row, column: int, letter: str | None, style: str | None) -> None:
    """Another letter, or another style over what is there; nothing outside the row."""
    if 0 <= column < len(row):
        before, old = row[column]
        styles = before if style is None else f"{before} {style}" if before else style
        row[column] = (styles, old if letter is None else letter)


def fit(row: Row, width: int) -> Row:
    """Exactly so many letters, cut or filled up with blanks."""
    return row[:width] + [("", " ")] * (width - len(row))


def text_of(row: Row) -> str:
    """The letters alone."""
    return "".join(letter for _, letter in row)
