"""The end of a game at the keyboard: all boards are shown, dead stones marked, points counted and the record stored."""

from collections.abc import Callable, Iterator, Mapping

from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import tell_match
from gtp_variants.players.counting import count_board, find_seeming_dead, outcome_without, points
from gtp_variants.records.drawing.drawing_model import picture
from gtp_variants.rules.actions import RESUME
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.traits import DicedRules
from gtp_variants.terminal.blocks import Block, BoardBlock, Secret, TextBlock
from gtp_variants.terminal.games import commands
from gtp_variants.terminal.games.host import GameHost


class GameEnd:
    """The dialogue at the end of a game. `is_finished` is True once the result is shown."""

    def __init__(self, host: GameHost) -> None:
        self._host = host
        self.is_finished = False
        # True once a hidden game has been shown to everybody, which happens before it is counted.
        self._was_shown = host.game.is_counting

    def resume(self, then: Callable[[], Iterator[Block]]) -> Iterator[Block]:
        """Resume a game that passes have suspended, then continue with the blocks of `then`."""
        host = self._host
        if not host.table.suspended:
            yield host.error("terminal.not_suspended")
            return
        host.game.play(host.table.position.mover, RESUME)
        yield from host.save()
        yield from then()

    def show_count(self, key: str) -> Iterator[Block]:
        """Show all boards before the count, then the text of `key`."""
        self._was_shown = True
        yield from self._all_boards()
        yield TextBlock(self._host.say(key))

    def say_dead(self) -> Iterator[Block]:
        """List the stones that seem dead, if the players have to agree on them."""
        host = self._host
        if host.rules.agrees_on_dead:
            dead = find_seeming_dead(host.table.game)
            outcome = outcome_without(host.table.game, dead)
            if dead and outcome is not None:
                vertices = ", ".join(vertex for points in dead for vertex in host.rules.board.vertices_of(points))
                result = outcome.sentence(host.lang)
                yield TextBlock(host.say("terminal.seem_dead", vertices=vertices, result=result), "said")

    def mark_dead(self, text: str) -> Iterator[Block]:
        """Mark the chain on a point dead, or alive again. Without a point, mark all chains that seem dead.

        Raises VariantsError if people may not mark stones now.
        """
        host, rules, table = self._host, self._host.rules, self._host.table
        if not rules.agrees_on_dead:
            raise RequestRefused("refused_requests.no_dead")
        may_say = host.game.is_counting or (rules.is_open and table.suspended)
        if not text and not may_say:
            raise RequestRefused("refused_requests.dead_when")
        if text:
            named = [commands.point_of(rules.board, text, host.lang)]
        else:
            named = [members[0] for members in find_seeming_dead(table.game)]
        if may_say and text and not table.position.stones[named[0]]:
            raise RequestRefused("refused_requests.no_stone", vertex=rules.board.vertex(named[0]))
        before = len(table.game.events)
        for point in named:
            host.game.mark_dead(point)
        yield from host.save()
        yield from host.news(before, table.position.mover)
        outcome = table.game.outcome
        assert outcome is not None
        yield TextBlock(host.say("counting.standing", result=outcome.sentence(host.lang)))

    def finish(self, players: Mapping[int, str], *seen: Block) -> Iterator[Block]:
        """Show the `seen` blocks and any hidden stones, count, store the record, and announce the result."""
        host = self._host
        self.is_finished = True
        yield from seen
        if not (host.rules.is_open or self._was_shown):
            yield from self._all_boards()
        for player in host.table.seats.values():
            try:
                player.leave(host.table.game.outcome)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                yield host.error("terminal.failed", bot=type(player).__name__, why=why)
        yield from self._count()
        yield from self._put_away(players)
        # Announce the second game of a match after the first, and the winner of the match after the second.
        key, winner = tell_match(host.table.game, host.game.notes)
        if key:
            key = "terminal.match_second" if key == "match_second" else f"counting.{key}"
            yield TextBlock(host.say(key, name=host.name(winner)), "title")

    def _all_boards(self) -> Iterator[Block]:
        """Show the board of each side, then the referee's board."""
        host, rules = self._host, self._host.rules
        yield Secret.ENDS
        for colour in rules.colours:
            seen = picture(rules, None, host.table.view(colour))
            yield BoardBlock(rules.board, seen, title=host.say("counting.seat_board", name=host.name(colour)))
        yield host.referee_board()

    def _count(self) -> Iterator[Block]:
        """Show the points of each side, if points decided the game."""
        host, game = self._host, self._host.table.game
        if game.outcome is None or game.outcome.how != "score":
            return
        bonus = count_board(game).komi
        for colour, count in points(game).items():
            if komi := bonus[colour]:
                sums = {"komi": format_number(komi, host.lang), "total": format_number(count + komi, host.lang)}
                yield TextBlock(host.say("counting.points_and_komi", name=host.name(colour), points=count, **sums))
            else:
                yield TextBlock(host.say("counting.points", name=host.name(colour), points=count))

    def _put_away(self, players: Mapping[int, str]) -> Iterator[Block]:
        host, outcome = self._host, self._host.table.game.outcome
        assert outcome is not None
        result = outcome.sentence(host.lang)
        result = result[0].upper() + result[1:]
        try:
            path = host.file.finish(host.game.to_record(players))
        except OSError as error:
            yield host.error("terminal.not_kept", why=error.strerror or error)
            yield TextBlock(result, "title")
            return
        if isinstance(host.rules, DicedRules):
            yield TextBlock(host.say("terminal.replayed"), "quiet")
        yield TextBlock(host.say("terminal.finished", result=result, path=path), "title")
