"""What is said to a server beside it: `gtp-variants server account`, and the words of who runs it."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from getpass import getpass

from gtp_variants.cli.compete.server_options import add_folder, find_folder
from gtp_variants.cli.parser import CommandParser
from gtp_variants.errors import Refused
from gtp_variants.server.access.accounts import Account, check_name, check_password, hash_password
from gtp_variants.server.admin import WORDS, tell_server
from gtp_variants.server.store import ServerStore

ACCOUNT = "account"


def run(word: str, arguments: Sequence[str]) -> int:
    """Carry out one of them; the exit status. Raises Refused, and OSError if no server runs."""
    if word == ACCOUNT:
        return _keep_account(account_parser().parse_args(arguments))
    options = word_parser(word).parse_args(arguments)
    answer = asyncio.run(tell_server(find_folder(options), [word, *options.words]))
    sys.stdout.write(f"{answer}\n" if answer else "")
    return 0


def account_parser() -> CommandParser:
    """The options of `server account`."""
    made = CommandParser(f"server {ACCOUNT}")
    made.add_argument("name", metavar="NAME")
    add_folder(made)
    return made


def word_parser(word: str) -> CommandParser:
    """The options of one of the words of who runs the server."""
    made = CommandParser(f"server {word}")
    made.add_argument("words", metavar=WORDS[word].arguments or "NOTHING", nargs="*")
    add_folder(made)
    return made


def _keep_account(options: argparse.Namespace) -> int:
    """Write an account with the password that is asked for."""
    name = check_name(options.name)
    password = hash_password(check_password(name, _asked_password(name)))
    store = ServerStore(find_folder(options) / "server.sqlite3")
    try:
        before = store.account(name)
        store.write_account(Account(name, password))
    finally:
        store.close()
    sys.stdout.write(f"{name}: a new account\n" if before is None else f"{before.name}: a new password\n")
    return 0


def _asked_password(name: str) -> str:
    """What is typed twice at a terminal, or the first line of what is not one. Raises Refused."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass(f"password of {name}: ")
    if getpass("once more: ") != password:
        raise Refused(ACCOUNT, "password: it was not the same twice")
    return password
