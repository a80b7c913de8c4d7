"""What a bot did wrong, in words for a report: short, and whatever the bot did to its own values."""

from collections.abc import Callable
from pathlib import Path
from traceback import extract_tb

_MOST_SHOWN = 400


def describe_error(error: BaseException) -> str:
    """An exception with the place where it was raised: `ValueError: no (mine.py, line 12)`."""
    last = extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(last[0].filename).name}, line {last[0].lineno})" if last else ""
    return f"{type(error).__name__}: {quote_value(error, str)}{where}"


def quote_value(value: object, form: Callable[[object], str] = repr) -> str:
    """A value in words, even if it does not want to be."""
    try:
        text = " ".join(form(value).split())
    except Exception:
        text = f"a {type(value).__name__} without a name"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."
