"""The operator's commands to a running server: list, kick, ban, abort, message, chat, unsay, drain.

The server listens on the loopback interface. It obeys programs that know the key in `admin.json`, a file in its folder
that only the owner can read.
"""

import asyncio
import hmac
import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_urlsafe

from gtp_variants.base.connection_gate import plain_address
from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.errors import Refused
from gtp_variants.players.config_readers import DURATION_WORDS, duration
from gtp_variants.records.files import write
from gtp_variants.records.record import printable
from gtp_variants.site.access.logins import banned_as
from gtp_variants.site.access.visitors import shown_name
from gtp_variants.site.lobby.guests import Guest, LoginStage
from gtp_variants.site.lobby.lobby import Lobby

FILE = "admin.json"
_DAY_S = 86_400.0
# The length of a permanent ban: a hundred years.
_FOR_EVER_S = 100 * 365 * _DAY_S
_LONGEST = 4096
_PATIENCE_S = 10.0


# The commands with their arguments; each is a method of `Admin`. `lang/options.toml` explains them.
WORDS = {
    "who": "",
    "games": "",
    "kick": "NAME|ADDRESS [WHY]",
    "ban": "NAME|ADDRESS [DURATION] [WHY]",
    "unban": "NAME|ADDRESS",
    "bans": "",
    "abort": "GAME [WHY]",
    "message": "NAME|all TEXT",
    "chat": "GAME",
    "unsay": "GAME LINE",
    "drain": "",
}


class Admin:
    """Carries out the operator's commands on a lobby."""

    def __init__(self, lobby: Lobby, log: Callable[[str], None]) -> None:
        self._lobby = lobby
        self._log = log

    def answer(self, words: Sequence[str]) -> list[str]:
        """Carry out a command and return the lines of the answer. Raises Refused if the command is invalid."""
        if not words or words[0] not in WORDS:
            raise Refused(" ".join(words), f"expected one of {', '.join(WORDS)}")
        if words[0] not in ("who", "games", "bans", "chat"):
            self._log(f"admin: {' '.join(words)}")
        carry_out: Callable[[Sequence[str]], list[str]] = getattr(self, words[0])
        return carry_out(words[1:])

    def who(self, rest: Sequence[str]) -> list[str]:
        """List the players by name, then the viewers."""
        guests = sorted(self._lobby.guests.values(), key=lambda guest: guest.name.lower())
        lines = [_describe(guest) for guest in guests]
        for guest, numbers in self._lobby.observers.viewers():
            games = " ".join(("", "game" if len(numbers) == 1 else "games", *map(str, numbers))) if numbers else ""
            lines.append(f"a viewer from {guest.address} watches{games} {guest.program}".rstrip())
        return lines

    def games(self, rest: Sequence[str]) -> list[str]:
        return [
            f"{number} {' '.join(game.names.values())} {game.rules.spec} {len(game.game.events)} events"
            for number, game in sorted(self._lobby.running.items())
        ]

    def kick(self, rest: Sequence[str]) -> list[str]:
        """Close the connections of a name or from an address, including viewers."""
        whom, why = _first(rest, "NAME or ADDRESS"), " ".join(rest[1:])
        return self._kick(whom, why) or [f"nobody from {whom} is here"]

    def _kick(self, whom: str, why: str) -> list[str]:
        kicked, reason = self._find_guests(whom), f"disconnected by the operator{why and ': '}{why}"
        for guest in kicked:
            self._lobby.note_refusal(guest, reason)
            guest.refuse(reason)
        boards = self._lobby.games.listeners.close_boards(
            lambda each: _is_meant(whom, shown_name(each.visitor), each.address, each.network)
        )
        closed = [f"boards on the site that {whom} had open: {boards}, now closed"] if boards else []
        return [*(f"{_call(guest)} from {guest.address} was disconnected" for guest in kicked), *closed]

    def _find_guests(self, whom: str) -> list[Guest]:
        """Return the player with a name, or all connections from an address or network, including viewers."""
        named = self._lobby.guests.get
        return [
            guest
            for guest in self._lobby.connected
            if _is_meant(whom, guest.name if named(guest.name) is guest else "", guest.address, guest.network)
        ]

    def ban(self, rest: Sequence[str]) -> list[str]:
        """Ban a name or an address, permanently or for a period."""
        whom = _first(rest, "NAME or ADDRESS")
        seconds, why = _read_ban(rest[1:])
        banned = self._lobby.bans.add(whom, seconds, why)
        return [f"{banned} is banned{_until(time.time() + seconds)}", *self._kick(banned, why)]

    def unban(self, rest: Sequence[str]) -> list[str]:
        whom = _first(rest, "NAME or ADDRESS")
        if self._lobby.bans.why(whom) is None:
            raise Refused("unban", f"{whom} is not banned")
        return [f"{self._lobby.bans.add(whom, 0.0)} is let in again"]

    def bans(self, rest: Sequence[str]) -> list[str]:
        return [f"{whom}{_until(until)}{why and ': '}{why}" for whom, until, why in self._lobby.bans.items()]

    def abort(self, rest: Sequence[str]) -> list[str]:
        number = _first(rest, "the number of a game")
        game = self._lobby.running.get(int(number)) if number.isascii() and number.isdigit() else None
        if game is None:
            raise Refused("abort", f"{number}: no game in progress has this number")
        game.hosted.end("Abort", " ".join(rest[1:]) or "ended by the operator")
        self._lobby.games.announce_change(game)
        return [f"game {number} is over"]

    def message(self, rest: Sequence[str]) -> list[str]:
        """Send a message to one player or to all."""
        whom, text = _first(rest, "NAME or all"), " ".join(rest[1:])
        if not text:
            raise Refused("message", "expected a string after the name")
        # A client that is logging in expects only the lines of the login, so it gets no message.
        named = [guest for guest in self._find_guests(whom) if guest.is_in]
        found = list(self._lobby.guests.values()) if whom == "all" else named
        for guest in found:
            guest.say(f"info {printable(text)}")
        if whom == "all":
            return [f"told to {len(found)}"]
        return [f"told to {_call(guest)}" for guest in found] or [f"no player called {whom} is here"]

    def chat(self, rest: Sequence[str]) -> list[str]:
        """List the chat of a game, each line with its number, its room and who said it."""
        stored = self._lobby.games.store.load(_first(rest, "the number or the name of a game"))
        return [
            f"{each.number} {each.room} {each.name or each.colour or 'a guest'}: {each.text}"
            for each in (() if stored is None else stored.chat)
        ] or [f"game {rest[0]} has no chat"]

    def unsay(self, rest: Sequence[str]) -> list[str]:
        """Remove a chat line."""
        name, number = _first(rest, "the number or the name of a game"), _first(rest[1:], "the number of a chat line")
        is_number = number.isascii() and number.isdigit() and len(number) < 10
        if not is_number or not self._lobby.games.remove_chat(name, int(number)):
            raise Refused("unsay", f"{number}: no chat line of game {name} has this number; `chat {name}` lists them")
        return [f"line {number} of game {name} is removed"]

    def drain(self, rest: Sequence[str]) -> list[str]:
        """Begin no more games, and close the server after the last game."""
        count = len(self._lobby.running)
        self._lobby.drain()
        return [f"no more games begin; the server ends after {count} in progress"]


def _is_meant(whom: str, name: str, *places: str) -> bool:
    """Return True if `whom`, in any letter case, is this name or denotes one of the addresses or networks `places`."""
    place = banned_as(whom) if "/" in whom else plain_address(whom.lower())
    return place in places or (bool(name) and name.lower() == whom.lower())


def _first(rest: Sequence[str], what: str) -> str:
    if not rest:
        raise Refused("admin", f"expected {what}")
    return rest[0]


def _read_ban(rest: Sequence[str]) -> tuple[float, str]:
    """Return the length of a ban in seconds, and its reason. A leading digit marks a duration, refused if invalid."""
    if not rest or not rest[0][:1].isdigit():
        return _FOR_EVER_S, " ".join(rest)
    try:
        seconds = duration(rest[0])
    except ValueError:
        seconds = 0.0
    if not seconds:
        raise Refused("ban", f"{rest[0]}: expected {DURATION_WORDS} above 0, or a reason without a leading digit")
    return seconds, " ".join(rest[1:])


def _describe(guest: Guest) -> str:
    stage = "plays" if guest.stage == LoginStage.PLAYING else "waits" if guest.stage == LoginStage.WAITING else "rests"
    game = f" game {guest.game.number}" if guest.game is not None else ""
    return f"{guest.name} ({guest.kind}) from {guest.address} {stage}{game} {guest.program}".rstrip()


def _call(guest: Guest) -> str:
    if guest.stage == LoginStage.WATCHING:
        return "a viewer"
    return guest.name if guest.is_in else "somebody who has not logged in"


def _until(until: float) -> str:
    if until > time.time() + _FOR_EVER_S / 2:
        return ""
    return f" until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC"


class AdminPort:
    """The port on which the server listens to the operator's commands."""

    def __init__(self, admin: Admin, folder: Path) -> None:
        self._admin = admin
        self._file = folder / FILE
        SECRET_PLACES.add(self._file.absolute())
        self._key = token_urlsafe(32)
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen, and write the port and the key into the folder. Raises OSError if that fails."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LONGEST)
        port = self._server.sockets[0].getsockname()[1]
        write(self._file, json.dumps({"port": port, "key": self._key}).encode(), 0o600)

    def close(self) -> None:
        self._file.unlink(missing_ok=True)
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = {"error": "key missing or wrong"}
        try:
            async with asyncio.timeout(_PATIENCE_S):
                said = json.loads(await reader.readline())
            if isinstance(said, dict) and hmac.compare_digest(str(said.get("key")).encode(), self._key.encode()):
                words = [str(word) for word in said.get("words", [])]
                try:
                    answer = {"lines": "\n".join(self._admin.answer(words))}
                except (Refused, OSError) as error:
                    answer = {"error": error.answer if isinstance(error, Refused) else str(error)}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        except (OSError, ValueError, RecursionError, TimeoutError):
            pass
        finally:
            writer.close()


async def tell_server(folder: Path, words: Sequence[str]) -> str:
    """Send a command to a folder's server; return the answer. Raises Refused if refused, OSError if no server runs."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        reader, writer = await asyncio.open_connection("127.0.0.1", found["port"], limit=2**24)
    except (OSError, ValueError, LookupError) as error:
        raise OSError(f"no server runs with --dir {folder}") from error
    try:
        writer.write(json.dumps({"key": found["key"], "words": list(words)}).encode() + b"\n")
        answer = json.loads(await reader.readline() or b"{}")
    finally:
        writer.close()
    if "error" in answer:
        raise Refused(" ".join(words), str(answer["error"]))
    return str(answer.get("lines", ""))
