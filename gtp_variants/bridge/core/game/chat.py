"""What the bridge says in a game: greeting, rules, draws, farewell, and the answers to commands."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gtp_variants.bridge.core import chat_commands
from gtp_variants.bridge.core.game.negotiation import dice_for
from gtp_variants.bridge.core.game.replayed_game import ReplayFault, rules_of
from gtp_variants.bridge.core.server import ServerGame
from gtp_variants.errors import VariantsError
from gtp_variants.lang import as_sentence, say
from gtp_variants.rules import words
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.diced import faces_of
from gtp_variants.rules.games.aleago import AleagoPosition
from gtp_variants.rules.rules import Rules

if TYPE_CHECKING:
    from gtp_variants.bridge.core.game.go_game import GoGame

# Points are listed as far as a line of chat goes.
_MOST_POINTS = 16
_RULES = {"aleago": "dice.aleago_in_short", "alter-igo": "bridge.alter_igo_rules"}
_COMMANDS, _WITHIN_S = 6, 10.0


class RateLimit:
    """How much of what each person types is answered: so many lines in ten seconds."""

    def __init__(self, most: int = _COMMANDS) -> None:
        self._most = most
        self._answered: dict[str, list[float]] = {}

    def lasts(self, user: str) -> bool:
        """Whether one more line of somebody's is answered, which then counts."""
        now = time.monotonic()
        lately = self._answered[user] = [when for when in self._answered.get(user, ()) if now - when < _WITHIN_S]
        if len(lately) >= self._most:
            return False
        lately.append(now)
        return True


class GameChat:
    """The voice of one game; silent where the server has no chat."""

    def __init__(self, sitting: "GoGame") -> None:
        self.sitting = sitting
        # What was said on a line that broke may never have arrived: both are kept with the connection they went out on.
        self._announced: tuple[object, ...] | None = None
        self._greeted_on: object | None = None
        self._patience = RateLimit()

    @property
    def has_dice(self) -> bool:
        """Whether the game is played with dice."""
        return self.sitting.rules.name == "aleago"

    async def say(self, key: str, **parts: object) -> None:
        """Say a sentence of ours to the opponent, in his language."""
        await self.say_text(say(key, self.sitting.lang, **parts))

    async def say_each(self, make: Callable[[], str]) -> None:
        """Say what `make` gives in the language of whoever hears it."""
        await self.say_text(make())

    async def say_text(self, text: str) -> None:
        """Say a line as it stands."""
        sitting = self.sitting
        if sitting.server.abilities.chat:
            sitting.log.quietly(f"says: {text}")
            await sitting.server.say(sitting.state, text)

    # -- beginning and end ---------------------------------------------------------------------------------------------

    async def greet(self) -> None:
        """Say once what this game is: at its beginning, or that it goes on."""
        sitting = self.sitting
        if self._greeted_on is sitting.server or (self._greeted_on is not None and sitting.state.moves):
            return
        self._greeted_on = sitting.server
        if not sitting.is_new:
            if self.has_dice:
                await self.say("bridge.go_on")
            return
        for line in sitting.context.config().chat.greeting:
            await self.say_text(self._filled(line))
        await self.rules()

    async def rules(self) -> None:
        """The rules in a few lines, with the commitment to the dice."""
        name = self.sitting.rules.name
        if name != "go":
            await self.say(_RULES[name])
        if self.has_dice:
            await self.say("bridge.aleago_passes")
            await self.say("bridge.commitment", commitment=self._commitment())

    async def farewell(self) -> None:
        """Say how it ended, and what the dice were made of."""
        sitting = self.sitting
        outcome = sitting.replay.table.game.outcome
        if self.has_dice:
            if outcome is not None and outcome.how == "score":
                await self.say_each(lambda: say("bridge.score", sitting.lang, result=outcome.sentence(sitting.lang)))
            await self.say("bridge.secret", secret=sitting.stored.secret.hex())
        for line in sitting.context.config().chat.farewell:
            await self.say_text(self._filled(line))

    def _commitment(self) -> str:
        return DiceStream(self.sitting.stored.secret).commitment

    def _filled(self, line: str) -> str:
        game, rules = self.sitting.state, self.sitting.rules
        commitment = self._commitment() if self.has_dice else ""
        return filled(line, game, rules, game.players.get(game.colour, ""), game.opponent, commitment)

    def why(self, fault: ReplayFault) -> str:
        """Why a move cannot be played, as a sentence in the opponent's language."""
        sitting = self.sitting
        rules = rules_of(sitting.stored.spec, sitting.state, sitting.lang)
        said = str(fault.error)
        try:
            rules.play(sitting.replay.table.position, rules.board.point(fault.step.word), fault.step.colour)
        except VariantsError as error:
            said = getattr(error, "sentence", "") or str(error)
        return said[:1].upper() + said[1:]

    # -- draws ---------------------------------------------------------------------------------------------------------

    def forget_announced(self) -> None:
        """Moves were taken back: the draw is said again."""
        self._announced = None

    async def announce(self) -> None:
        """Say the draw of the turn that begins, once on each connection."""
        await self.greet()
        if not self.has_dice:
            return
        sitting = self.sitting
        position = sitting.replay.table.position
        if sitting.rules.is_over(position):
            return
        now = (sitting.server, position.turn, position.draws, len(sitting.state.moves))
        if now != self._announced:
            self._announced = now
            await self.say_each(self.draw_sentence)

    def draw_sentence(self) -> str:
        """The draw in force, in the opponent's language."""
        sitting, lang = self.sitting, self.sitting.lang
        rules: Any = sitting.rules
        position = sitting.replay.table.position
        if not isinstance(position, AleagoPosition) or not position.draws or rules.is_over(position):
            return as_sentence(say("refusals.no_dice", lang))
        who = self._who(position.mover)
        faces = faces_of(rules, position, position.draws[0])
        if not faces:
            text = say("dice.no_draw_in_chat", lang, turn=position.turn, who=who)
        else:
            shown = _shown(faces)
            text = say(
                "dice.draw_in_chat", lang, turn=position.turn, who=who, faces=shown, open=self.open_points(position)
            )
        if len(position.draws) > 1:
            following = faces_of(rules, position, position.draws[1])
            if following:
                text += " " + say("dice.next_in_chat", lang, who=self._who(3 - position.mover), faces=_shown(following))
        return text

    def open_points(self, position: Any = None) -> str:
        """The lines that are open and the points on them, as far as they fit in a line."""
        rules: Any = self.sitting.rules
        lang = self.sitting.lang
        position = self.sitting.replay.table.position if position is None else position
        if not self.has_dice:
            return ", ".join(
                rules.board.vertices_of(point for point in rules.legal(position) if point >= 0)[:_MOST_POINTS]
            )
        lines = rules.open_lines(position)
        if lines == ():
            return say("bridge.no_line", lang)
        lines = tuple(rules.on_line) if lines is None else lines
        points = rules.board.vertices_of(point for point in rules.legal(position) if point >= 0)
        listed = words.listing(lines, lang)
        named = say("bridge.line" if len(lines) == 1 else "bridge.lines", lang, lines=listed)
        if len(points) > _MOST_POINTS:
            return named
        return say("bridge.points", lang, lines=named, points=" ".join(points))

    def _who(self, colour: int) -> str:
        return say("bridge.me" if colour == self.sitting.state.colour else "bridge.you", self.sitting.lang)

    # -- commands ------------------------------------------------------------------------------------------------------

    async def heard(self, user: str, text: str) -> None:
        """The opponent said something: a command is answered, anything else noted."""
        sitting = self.sitting
        sitting.log.quietly(f"{user} says: {text}")
        found = chat_commands.command_of(text) if sitting.context.config().chat.commands else None
        if found is None or user != sitting.state.opponent or not self._patience.lasts(user):
            return
        command, lang = found
        if lang is not None:
            sitting.speak(lang)
        word = text.strip().partition(" ")[2].strip()
        if command == "help":
            await self.say("bridge.help")
        elif command == "rules":
            await self.rules()
        elif command == "stop":
            sitting.accept_end()
            await self.say("bridge.stopped")
        elif not self.has_dice or (command == "dice" and not word):
            await self.say_text(self.draw_sentence())
        elif command == "options":
            await self.say_text(self.options_sentence("bridge.options"))
        else:
            await self._agree(command, word)

    async def _agree(self, command: str, word: str) -> None:
        """The opponent would like other options."""
        if not self.sitting.may_agree:
            await self.say("bridge.too_late")
            return
        try:
            spec = self.sitting.wished(command, word)
        except VariantsError:
            await self.say("bridge.no_option", what=chat_commands.quote(word))
            await self.say_text(self.options_sentence("bridge.options"))
            return
        await self.agree(spec)

    async def agree(self, spec: str) -> None:
        """The players have agreed on these options: play with them, and say so."""
        await self.sitting.play_with(spec)
        await self.say_each(lambda: self.options_sentence("bridge.agreed"))
        self.forget_announced()
        await self.announce()

    def options_sentence(self, key: str, spec: str = "", **more: object) -> str:
        """What holds now, or would with another SPEC."""
        sitting, lang = self.sitting, self.sitting.lang
        values = rules_of(spec or sitting.stored.spec, sitting.state).values
        free = {"b": 1, "w": 2}.get(str(values["free_player"]))
        return say(
            key,
            lang,
            dice=values["dice"],
            ball=say("bridge.on" if values["crystal_ball"] else "bridge.off", lang),
            free=words.name(free, lang) if free is not None else say("bridge.nobody", lang),
            choices=", ".join(dice_for(sitting.state.size)),
            **more,
        )


def _shown(faces: tuple[int, ...]) -> str:
    return "+".join(map(str, faces)) + (f"={sum(faces)}" if len(faces) > 1 else "")


def filled(line: str, game: ServerGame, rules: Rules, me: str, opponent: str, commitment: str = "") -> str:
    """A greeting or farewell to somebody with its places filled in."""
    places: dict[str, object] = {
        "me": me,
        "opponent": opponent,
        "game": rules.title,
        "size": game.size,
        "komi": words.number(float(str(rules.values["komi"]))) if "komi" in rules.values else "",
        "result": game.result,
        "commitment": commitment,
    }
    return chat_commands.fill(line, places)
