"""A small NNGS on loopback, as faithful as its protocol goes: logins, matches, moves, undo, scoring, adjournment.

Its board knows only Go, as the real one's does: simple ko, no suicide. Words and numbers are those the real server was
seen to send in client mode. Lines can be cut at any message, and everything that was said is written down.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gtp_variants.errors import VariantsError
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.boards.chains import area, chain, without
from gtp_variants.rules.game import Game
from tests.bridge.fakes.fake_server import LineClient, LineServer

# What can be said in a game only.
_IN_A_GAME = ("say", "komi", "undo", "done", "resign", "adjourn")
_SHORT = re.compile(r"[a-t]\d{1,2}", re.IGNORECASE)
_LETTERS = {BLACK: "B", WHITE: "W"}


@dataclass(eq=False)
class NngsMatch:
    """A game of two people."""

    number: int
    names: dict[int, str]
    game: Game
    minutes: int
    period: int
    komi: float = 6.5
    is_scoring: bool = False
    dead: set[int] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    result: str = ""

    @property
    def to_play(self) -> int:
        return int(self.game.position.mover)

    def colour(self, name: str) -> int:
        return BLACK if self.names[BLACK] == name else WHITE

    def count(self) -> tuple[float, float]:
        """The points of White, and of Black."""
        counted = area(self.game.rules.board, without(self.game.position.stones, self.dead))
        return counted[WHITE] + self.komi, float(counted[BLACK])

    @property
    def moves(self) -> list[str]:
        board = self.game.rules.board
        return ["Pass" if event.action == PASS else board.vertex(event.action) for event in self.game.events]


def _past_line(match: NngsMatch) -> str:
    """A finished game as `results` lists it."""
    loser = WHITE if match.result.startswith("White") else BLACK
    points = re.search(r"W ([\d.]+) B ([\d.]+)", match.result)
    how = (
        f"{abs(float(points[1]) - float(points[2])):.1f}" if points else "Time" if "time" in match.result else "Resign"
    )
    size, letters = match.game.rules.board.width, " BW"
    sides = [f"{match.names[each]:<10} [ NR ]({letters[each]})" for each in (3 - loser, loser)]
    return f"{sides[0]} : {sides[1]} H 0 K {match.komi} {size}x{size} {letters[3 - loser]}+{how} 2611230031"


class NngsServer(LineServer):
    """`async with NngsServer({"alpha": "sesame"}) as server`. A line that breaks adjourns a game at once."""

    line_end, first_state = "\r\n", "login"

    def __init__(self, passwords: Mapping[str, str]) -> None:
        super().__init__(passwords)
        self.in_client_mode: set[str] = set()
        self.offers: dict[tuple[str, str], tuple[object, ...]] = {}
        self.komis: dict[str, float] = {}
        self.match: NngsMatch | None = None
        self.stored: list[NngsMatch] = []
        self.finished: list[NngsMatch] = []
        # Ranks by name, and who looks for a game.
        self.ranks: dict[str, str] = {}
        self.looking: set[str] = set()

    @property
    def playing(self) -> NngsMatch:
        """The game that is on."""
        assert self.match is not None
        return self.match

    def is_ready(self, name: str) -> bool:
        """Return True if a user can be challenged."""
        return name in self.online

    def _leave(self, client: LineClient) -> None:
        if self.online.get(client.name) is not client:
            return
        super()._leave(client)
        self.offers = {pair: offer for pair, offer in self.offers.items() if client.name not in pair}
        if self.match is not None and client.name in self.match.names.values():
            self._adjourn()
        for other in self.online.values():
            self.say(other, "", f"21 {{{client.name} has disconnected}}", "1 5")

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _greet(self, client: LineClient) -> None:
        client.writer.write(b"Login: ")

    def _answer(self, client: LineClient, text: str) -> None:
        if client.state == "login":
            # Accounts are known without case, and guests are called in small letters.
            client.name = next((name for name in self.passwords if name.lower() == text.lower()), text.lower())
            if client.name not in self.passwords:
                name = client.name
                client.send(f'\r\n"{name}" is not a registered name.  You may use this name to play unrated games.')
                client.send(f"\r\nThis is a guest account.\r\nYour account name is {name}.")
                self._log_in(client)
            elif client.name in self.in_client_mode:
                client.state = "password"
                client.writer.write(b"\r\n1 1\r\n\xff\xfb\x01")
            else:
                client.state = "password"
                client.writer.write(b"\r\nPassword: \xff\xfb\x01")
        elif client.state == "password":
            client.writer.write(b"\xff\xfc\x01\r\n")
            if self.passwords[client.name] != text:
                client.state = "login"
                client.writer.write(b"\r\nInvalid password!\r\n\r\nLogin: ")
                return
            self._log_in(client)
        else:
            self._command(client, text)

    def _log_in(self, client: LineClient) -> None:
        old = self.online.get(client.name)
        if old is not None:
            client.send(f" **** {client.name} is already logged in - kicking other copy out. ****")
            self.say(old, f"**** {client.name} has arrived - you can't both be logged in. ****")
            self.dismiss(old)
        client.state = "in"
        self.online[client.name] = client
        for other in self.online.values():
            if other is not client:
                self.say(other, "", f"21 {{{client.name} [ NR ] has connected.}}", "1 5")
        if client.name in self.in_client_mode:
            self.say(client, "1 5", "9 File", "", "9 File", "39 No Name Go Server (NNGS) version 1.1.22", "1 5")
        else:
            client.send("\r\n\r\nNo Name Go Server (NNGS) version 1.1.22")
            client.writer.write(b"#> ")

    # -- commands ------------------------------------------------------------------------------------------------------

    def _command(self, client: LineClient, text: str) -> None:
        word, _, rest = text.partition(" ")
        word = word.lower()
        found = getattr(self, f"_do_{word}", None)
        is_move = word == "pass" or _SHORT.fullmatch(word)
        plays = self.match is not None and client.name in self.match.names.values()
        if not plays and (is_move or word in _IN_A_GAME):
            self.say(client, "5 You are not playing a game.", "1 5")
        elif found is not None:
            found(client, rest.strip())
        elif is_move:
            self._play(client, word)
        else:
            self.say(client, f"5 {word}: Unknown command.", "1 5")

    def _do_toggle(self, client: LineClient, rest: str) -> None:
        if rest.startswith("client"):
            self.in_client_mode.add(client.name)
        name, _, value = rest.partition(" ")
        self.say(client, f"9 Set {name} to be {'True' if value == 'on' else 'False'}.", "1 5")

    def _do_ayt(self, client: LineClient, rest: str) -> None:
        self.say(client, "9 yes", "1 5")

    def _do_stats(self, client: LineClient, rest: str) -> None:
        self.say(client, f"9 Player:      {client.name}", "9 Game:        go (1)", "9 Rating:      NR    0", "1 5")

    def _do_results(self, client: LineClient, rest: str) -> None:
        """Games of the past, of registered players only; without any there is not even the word around them."""
        mine = [each for each in self.finished if rest in each.names.values()]
        if rest not in self.passwords or not mine:
            self.say(client, "1 5")
            return
        self.say(client, "25 File")
        for match in mine:
            self.say(client, _past_line(match))
        self.say(client, "25 File", "1 5")

    def _do_say(self, client: LineClient, rest: str) -> None:
        match = self.playing
        self.say(client, "", "1 6")
        self.say(self.online[match.names[3 - match.colour(client.name)]], f"19 {client.name} {rest}", "1 6")

    def _do_tell(self, client: LineClient, rest: str) -> None:
        name, _, text = rest.partition(" ")
        if name not in self.online:
            self.say(client, f'5 No user named "{name}" is logged in.', "1 5")
            return
        self.say(client, f"9 Setting your . to {name}", "1 5")
        self.say(self.online[name], "", f"24 *{client.name}*: {text}", "1 5")

    def _do_shout(self, client: LineClient, rest: str) -> None:
        for other in self.online.values():
            self.say(other, "", f"21 !{client.name}!: {rest}", "1 5")

    def _do_who(self, client: LineClient, rest: str) -> None:
        """All who are here, or those who look for a game, two in a line."""
        self.say(client, "27  Info       Name       Idle   Rank |  Info       Name       Idle   Rank")
        playing = set(self.match.names.values()) if self.match is not None else set()
        cells = [
            f"  {'!' if name in self.looking - playing else ' '} --   {' 1' if name in playing else '--'} "
            f"{name:<10}  4s     {self.ranks.get(name, 'NR')}{'*' if name in self.ranks else ' '} | "
            for name in sorted(self.online)
            if rest != "l" or name in self.looking
        ]
        for number in range(0, len(cells), 2):
            self.say(client, f"27 {''.join(cells[number : number + 2])}")
        self.say(client, f"27                 ********   {len(self.online)} Players 0 Total Games ********", "1 5")

    def _do_withdraw(self, client: LineClient, rest: str) -> None:
        if self.offers.pop((client.name, rest), None) is None:
            self.say(client, "5 You have no pending offers to other players.", "1 5")
            return
        self.say(client, f"9 You withdraw the match offer to {rest}.", "1 5")
        self.say(self.online[rest], f"9 {client.name} withdraws the match offer.", "1 5")

    def _do_match(self, client: LineClient, rest: str) -> None:
        name, letter, *numbers = rest.split()
        size, minutes, period = map(int, numbers)
        letter = letter.upper()
        other = self.online.get(name)
        if other is None:
            self.say(client, f'5 No user named "{name}" is logged in.', "1 5")
            return
        theirs = self.offers.get((name, client.name))
        if theirs is not None and theirs == ("B" if letter == "W" else "W", size, minutes, period):
            self._begin(client.name, other.name, letter, size, minutes, period)
            return
        if theirs is not None:
            del self.offers[name, client.name]
            self.say(client, f"9 Declining offer from {name} and offering new match parameters.")
            self.say(other, f"{client.name} declines your request for a match.", "1 5")
        self.offers[client.name, name] = letter, size, minutes, period
        mine, yours = ("Black", "W") if letter == "B" else ("White", "B")
        self.say(client, f"9 Requesting match in {minutes} min with {name} as {'White' if letter == 'B' else 'Black'}.")
        self.say(client, "", "1 5")
        offer = f"9 Use <match {client.name} {yours} {size} {minutes} {period}> or <decline {client.name}> to respond."
        self.say(other, f"9 Match [{size}x{size}] in {minutes} minutes requested with {client.name} as {mine}.")
        self.say(other, offer, "1 5")

    def _do_decline(self, client: LineClient, rest: str) -> None:
        if self.offers.pop((rest, client.name), None) is None and self.komis.pop(rest, None) is None:
            self.say(client, "5 You have no pending offers from other players.", "1 5")
            return
        self.say(client, f"9 You decline the match offer from {rest}.", "", "1 5")
        if rest in self.online:
            self.say(self.online[rest], f"9 {client.name} declines your request for a match.", "1 5")

    def _begin(self, one: str, other: str, letter: str, size: int, minutes: int, period: int) -> None:
        self.offers.clear()
        rules: Any = parse(f"go:size={size},komi=6.5,repetition=simple")
        names = {BLACK: one, WHITE: other} if letter == "B" else {BLACK: other, WHITE: one}
        self.match = match = NngsMatch(len(self.finished) + 1, names, Game(rules), minutes, period)
        for name in names.values():
            client, rival = self.online[name], names[3 - match.colour(name)]
            self.say(client, f"9 Match [{match.number}] with {rival} in {minutes} accepted.", "1 5")
            self.say(client, f"9 Creating match [{match.number}] with {rival}.", "1 5")
            self.say(client, self._head(match), "", f"21 {{Match {match.number}: {names[WHITE]} vs. {names[BLACK]} }}")
            self.say(client, "1 5", self._head(match), "", "1 6")

    def _head(self, match: NngsMatch) -> str:
        white, black = match.names[WHITE], match.names[BLACK]
        left = f"0 {60 * match.minutes} -1"
        return f"15 Game {match.number} I: {white} ({left}) vs {black} ({left})"

    def _line(self, match: NngsMatch, index: int) -> str:
        return f"15 {index:3}({_LETTERS[match.game.events[index].actor]}): {match.moves[index]}"

    def _both(self, match: NngsMatch, *lines: str) -> None:
        for name in match.names.values():
            self.say(self.online[name], *lines)

    def _state(self, match: NngsMatch) -> list[str]:
        last = [self._line(match, len(match.moves) - 1)] if match.moves else []
        return [self._head(match), *last, "", "1 6"]

    def _do_moves(self, client: LineClient, rest: str) -> None:
        match = self.match
        if match is None:
            self.say(client, "5 There is no such game.", "1 5")
            return
        self.say(client, self._head(match), *(self._line(match, i) for i in range(len(match.moves))), "1 6")

    def _do_games(self, client: LineClient, rest: str) -> None:
        self.say(client, "7 [##]  white name [ rk ]      black name [ rk ] (Move size H Komi BY FR) (###)")
        match = self.match
        if match is not None:
            names = f"{match.names[WHITE]:>11} [ NR ] vs. {match.names[BLACK]:>11} [ NR ]"
            size = match.game.rules.board.width
            numbers = f"({len(match.moves):3} {size:4} {0:2} {match.komi:4.1f} {match.period:2} FI)"
            self.say(client, f"7 [{match.number:2}] {names} {numbers} (  0)")
        self.say(client, "1 6")

    def _do_komi(self, client: LineClient, rest: str) -> None:
        match = self.playing
        rival = match.names[3 - match.colour(client.name)]
        if self.komis.get(rival) == float(rest):
            match.komi = float(rest)
            self.say(client, f"9 Set the komi to {match.komi:.1f}", "1 6")
            self.say(self.online[rival], f"9 Komi is now set to {match.komi:.1f}", "1 6")
            return
        self.komis[client.name] = float(rest)
        self.say(client, f"9 Offering a komi of {float(rest):.1f} to {rival}", "1 6")
        self.say(self.online[rival], f"9 {client.name} offers a new komi of {float(rest):.1f}.")
        self.say(self.online[rival], f'9 Use "komi {rest}" to accept, or "decline {client.name}" to respond.', "1 6")

    # -- play ----------------------------------------------------------------------------------------------------------

    def _play(self, client: LineClient, word: str) -> None:
        match = self.playing
        if match.is_scoring:
            self._mark(match, client, word)
            return
        if match.names[match.to_play] != client.name:
            self.say(client, "5 It is not your move.", "1 6")
            return
        try:
            match.game.play(match.to_play, PASS if word == "pass" else match.game.rules.board.point(word))
        except VariantsError:
            self.say(client, "5 Your move is not valid.", "5 Illegal Move!", "1 6")
            return
        if match.game.position.passes >= 2:
            match.is_scoring = True
            said = "9 You can check your score with the score command, type 'done' when finished."
            self._both(match, said, "1 7")
        else:
            self._both(match, *self._state(match))

    def _mark(self, match: NngsMatch, client: LineClient, word: str) -> None:
        stones, board = match.game.position.stones, match.game.rules.board
        if word == "pass":
            self.say(client, "5 Pass is not valid during scoring.", "1 7")
        elif stones[board.point(word)]:
            match.dead.update(chain(board, stones, board.point(word)))
            for name in match.done:
                self.say(
                    self.online[name],
                    f'9 {client.name} was not finished removing stones.  Please type "done" again.',
                    "1 7",
                )
            match.done.clear()
            self._both(match, f"9 Removing @ {word.upper()}", "1 7")

    def _do_undo(self, client: LineClient, rest: str) -> None:
        match = self.playing
        if not match.is_scoring and match.names[match.to_play] != client.name:
            self.say(client, "5 It is not your move.", "1 6")
            return
        if not match.moves:
            self.say(client, "1 6")
            return
        word = match.moves[-1]
        match.is_scoring = False
        match.dead.clear()
        match.done.clear()
        match.game.undo()
        self._both(match, f"28 {client.name} undid the last move ({word}).", *self._state(match))

    def _do_done(self, client: LineClient, rest: str) -> None:
        match = self.playing
        if not match.is_scoring:
            self.say(client, "5 You are not playing a game.", "1 5")
            return
        match.done.add(client.name)
        self.say(client, "", "1 7")
        if len(match.done) < 2:
            self.say(self.online[match.names[3 - match.colour(client.name)]], "9 1 7")
            return
        white, black = match.count()
        loser = "White" if black > white else "Black"
        self._both(match, "", f"20 {match.names[WHITE]} (W:O): {white} to {match.names[BLACK]} (B:#): {black}")
        self._end(f"{loser} resigns. W {white:.1f} B {black:.1f}")

    def _do_resign(self, client: LineClient, rest: str) -> None:
        match = self.playing
        self._both(match, f"9 {client.name} has resigned the game.")
        self._end(f"{'Black' if match.colour(client.name) == BLACK else 'White'} resigns.")

    def _end(self, text: str) -> None:
        match = self.playing
        match.result = text
        self.match = None
        self.finished.append(match)
        line = f"{{Game {match.number}: {match.names[WHITE]} vs {match.names[BLACK]} : {text}}}"
        self._both(match, f"21 {line}", "1 6", f"9 {line}", "1 6", "", "1 5")

    # -- games that are left -------------------------------------------------------------------------------------------

    def _do_adjourn(self, client: LineClient, rest: str) -> None:
        rival = self.playing.names[3 - self.playing.colour(client.name)]
        self.say(self.online[rival], f"9 {client.name} would like to adjourn the game.", "1 6")

    def _adjourn(self) -> None:
        match = self.playing
        self.match = None
        self.stored.append(match)
        text = f"Game {match.number}: {match.names[WHITE]} vs {match.names[BLACK]} : has adjourned."
        for name in match.names.values():
            if name in self.online:
                client = self.online[name]
                self.say(client, "9 Game has been adjourned.", f"9 {text}", "", f"21 {{{text}}}", "1 6")
                self.say(client, f"9 {{{text}}}", "1 6", "", "1 5")

    def _do_stored(self, client: LineClient, rest: str) -> None:
        mine = [match for match in self.stored if client.name in match.names.values()]
        self.say(client, f"9 Stored games for {client.name}:", "")
        for match in mine:
            pair = f"{match.names[WHITE]}-{match.names[BLACK]}"
            self.say(client, f"23 {pair:>25}")
        self.say(client, f"9 Found {len(mine)} stored games.", "", "1 5")

    def _do_load(self, client: LineClient, rest: str) -> None:
        white, _, black = rest.partition("-")
        match = next((each for each in self.stored if (each.names[WHITE], each.names[BLACK]) == (white, black)), None)
        if client.name not in (white, black):
            self.say(client, "5 You cannot load someone else's game.", "1 5")
        elif white not in self.online or black not in self.online:
            missing = black if white in self.online else white
            self.say(client, f"5 No player named {missing} is logged in.", "1 5")
        elif match is None:
            self.say(client, f"5 There is no stored game {white} vs. {black}", "1 5")
        elif self.match is not None:
            self.say(client, f"5 {white} is currently playing a game.", "1 5")
        else:
            self.stored.remove(match)
            match.is_scoring = False
            self.match = match
            rival = self.online[black if client.name == white else white]
            self.say(rival, f"9 {client.name} has restored your old game.")
            self.say(rival, f"9 {client.name} has restarted your game.")
            self._both(match, *self._state(match))
