"""A small IGS on loopback: what differs from NNGS, in the words that were seen on the real server in client mode.

An undo is asked for and granted or declined, which ends all undo in that game. Three passes begin the scoring, where
`undo` clears the marks. The last line of a game says that its file was removed.
"""

from gtp_variants.errors import VariantsError
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from tests.bridge.fakes.fake_server import LineClient
from tests.bridge.fakes.nngs_server import NngsMatch, NngsServer


class IgsServer(NngsServer):
    """`async with IgsServer({"alpha": "sesame"}) as server`."""

    def __init__(self, passwords: dict[str, str]) -> None:
        super().__init__(passwords)
        self.toggles: set[tuple[str, str]] = set()
        self.asked_by: str | None = None
        self.without_undo: set[int] = set()

    def is_ready(self, name: str) -> bool:
        return super().is_ready(name) and (name, "newundo") in self.toggles

    # -- login ---------------------------------------------------------------------------------------------------------

    def _answer(self, client: LineClient, text: str) -> None:
        if client.state == "login" and text not in self.passwords:
            client.name = f"guest{len(self.clients)}"
            client.send("This is a guest account.")
            self._log_in(client)
            return
        super()._answer(client, text)

    def _log_in(self, client: LineClient) -> None:
        old = self.online.get(client.name)
        if old is not None:
            client.send("9 Throwing other copy out.")
            self.dismiss(old)
        super()._log_in(client)

    def _do_toggle(self, client: LineClient, rest: str) -> None:
        name, _, value = rest.partition(" ")
        change = self.toggles.add if value in ("on", "true") else self.toggles.discard
        change((client.name, name))
        super()._do_toggle(client, rest)

    # -- matches -------------------------------------------------------------------------------------------------------

    def _do_nmatch(self, client: LineClient, rest: str) -> None:
        name, letter, handicap, size, seconds, *others = rest.split()
        if (name, "nmatch") not in self.toggles:
            self.say(client, "5 Opponent's client does not support nmatch.", "1 5")
            return
        offer = f"{handicap} {size} {seconds} {' '.join(others)}"
        theirs = self.offers.get((name, client.name))
        if theirs is not None and theirs == ("BW"["WB".index(letter)], *_numbers(offer)):
            self._begin(client.name, name, letter, int(size), int(seconds) // 60, 0)
            return
        self.offers[client.name, name] = (letter, *_numbers(offer))
        ours = "BWN"["WBN".index(letter)]
        self.say(self.online[name], f"NMatch requested with {client.name}({ours} {offer}).")
        self.say(
            self.online[name], f"9 Use <nmatch {client.name} {ours} {offer}> or <decline {client.name}> to respond."
        )
        self.say(self.online[name], "1 5")

    def _state(self, match: NngsMatch) -> list[str]:
        head, *rest = super()._state(match)
        times = [
            f"15 TIME:{match.number}:{match.names[colour]}({letter}): 0 58/60 0/600 25/25 0/0 0/0 0/0"
            for colour, letter in ((WHITE, "W"), (BLACK, "B"))
        ]
        size = match.game.rules.board.width
        return [head, *times, f"15 GAMERPROPS:{match.number}: {size} 0 {match.komi:.2f}", *rest]

    # -- play ----------------------------------------------------------------------------------------------------------

    def _play(self, client: LineClient, word: str) -> None:
        match = self.playing
        if match.is_scoring:
            self._mark(match, client, word)
        elif match.names[match.to_play] != client.name:
            self.say(client, "5 It is not your move.", "1 6")
        else:
            self._move(match, client, word)

    def _move(self, match: NngsMatch, client: LineClient, word: str) -> None:
        try:
            match.game.play(match.to_play, PASS if word == "pass" else match.game.rules.board.point(word))
        except VariantsError:
            self.say(client, "5 Illegal Move!", "1 6")
            return
        self.asked_by = None
        if [move for move in match.moves[-3:] if move == "Pass"] == ["Pass"] * 3:
            match.is_scoring = True
            said = "9 You can check your score with the score command, type 'done' when finished."
            head, *_ = self._state(match)
            self._both(match, said, head, self._line(match, len(match.moves) - 1), "1 7")
        else:
            self._both(match, *self._state(match))

    def _do_undoplease(self, client: LineClient, rest: str) -> None:
        match = self.match
        if match is None or match.is_scoring or match.number in self.without_undo:
            self.say(client, "5 You cannot undo in this game.", "1 6")
            return
        other = match.names[3 - match.colour(client.name)]
        if (other, "newundo") not in self.toggles:
            self.say(client, "5 Opponent's client does not support undoplease.", "1 6")
            return
        self.asked_by = client.name
        self.say(client, "9 Requesting undo.", "1 6")
        self.say(self.online[other], f"24 *SYSTEM*: {client.name} requests undo.", "1 6", "1 6")

    def _do_undo(self, client: LineClient, rest: str) -> None:
        match = self.playing
        if match.is_scoring:
            match.dead.clear()
            match.done.clear()
            self._both(
                match, "9 Board is restored to what it was when you started scoring", "9 Please type 'done again."
            )
            self._both(match, "1 7")
            return
        if self.asked_by is None or self.asked_by == client.name:
            self.say(client, "5 You cannot undo in this game.", "1 6")
            return
        asker, self.asked_by = match.colour(self.asked_by), None
        while match.moves:
            mover, word = match.game.events[-1].actor, match.moves[-1]
            match.game.undo()
            self._both(match, f"28 {client.name} undid the last move ({word}) .")
            if mover == asker:
                break
        self._both(match, "", *self._state(match))

    def _do_noundo(self, client: LineClient, rest: str) -> None:
        match = self.match
        if match is not None and self.asked_by is not None:
            self.asked_by = None
            self.without_undo.add(match.number)
            self._both(match, f"9 {client.name} declines undo.", "1 6")

    # -- the end -------------------------------------------------------------------------------------------------------

    def _mark(self, match: NngsMatch, client: LineClient, word: str) -> None:
        marked = set(match.dead)
        super()._mark(match, client, word)
        if match.dead == marked:
            self.say(client, "5 You cannot remove a liberty.", "1 7")
        else:
            self._both(match, f"49 Game {match.number} {client.name} is removing @ {word.upper()}", "1 7")

    def _do_done(self, client: LineClient, rest: str) -> None:
        match = self.playing
        if not match.is_scoring:
            self.say(client, "5 You are not playing a game.", "1 5")
            return
        match.done.add(client.name)
        self.say(client, "", "1 7")
        if len(match.done) < 2:
            self.say(self.online[match.names[3 - match.colour(client.name)]], f"9 {client.name} has typed done.", "1 7")
            return
        white, black = match.count()
        names = f"{match.names[WHITE]} (W:O):  {white:.1f} to {match.names[BLACK]} (B:#):  {black:.1f}"
        self._both(match, f"20 {names}", "1 7", "", "9 game completed.", "1 7")
        self._end(f"W {white:.1f} B {black:.1f}")

    def _do_resign(self, client: LineClient, rest: str) -> None:
        self._both(self.playing, f"9 {client.name} has resigned the game.", "1 6")
        self._end(f"{'Black' if self.playing.colour(client.name) == BLACK else 'White'} resigns.")

    def _end(self, text: str) -> None:
        match = self.playing
        match.result = text
        self.match = None
        self.finished.append(match)
        removed = f"9 Removed game file {match.names[WHITE]}-{match.names[BLACK]} from database."
        self._both(match, "", removed, "1 5")


def _numbers(offer: str) -> tuple[int, ...]:
    return tuple(map(int, offer.split()))
