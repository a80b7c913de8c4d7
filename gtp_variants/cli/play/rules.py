"""The `rules` command: the rules of a game in words."""

import argparse
from collections.abc import Sequence
from shutil import get_terminal_size

from gtp_variants.handbook.plain_text import text
from gtp_variants.handbook.web_page import page
from gtp_variants.records.files import put_out, write_out
from gtp_variants.rules import parse, words


def main(arguments: Sequence[str]) -> int:
    """Print the rules of a game, or write them as a page. Raises SpecError, OSError."""
    parser = argparse.ArgumentParser(
        prog="gtp-variants rules",
        description="Print the rules of a game with its options, in words for players, with diagrams.",
    )
    parser.add_argument("spec", metavar="SPEC", help="the game, such as aleago:size=9,dice=1d4")
    parser.add_argument("--lang", choices=words.LANGUAGES, help="language, unless the SPEC says (default: en)")
    parser.add_argument("--html", metavar="FILE", help="write a page with pictures instead; - for standard output")
    options = parser.parse_args(arguments)
    rules = parse(options.spec, {} if options.lang is None else {"lang": options.lang})
    if options.html is not None:
        put_out(options.html, page(rules))
        return 0
    write_out(text(rules, get_terminal_size().columns))
    return 0
