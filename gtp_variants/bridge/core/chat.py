"""The chat in a game on a Go server: the commands that players type, and what the bridge says to its opponent."""

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core.base_game import FollowedGame
from gtp_variants.bridge.core.game_sync import ReplayFault, rules_of
from gtp_variants.bridge.core.server import ServerGame
from gtp_variants.errors import IllegalMove, NotationError, SpecError, VariantsError
from gtp_variants.lang import as_sentence, load, say
from gtp_variants.players.agreements import AGREE, PAIR, PASSES, SINGLE_DIE, Agreement, Agreements, find_agreements
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.players.levels import introduce
from gtp_variants.records.notation import read_move
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.languages import LANGUAGES, format_list, format_number, translate
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, faces_of

# Maximum answers to one user's commands in a burst, and maximum answers per second in the long run.
ANSWERS_AT_ONCE = 6.0
ANSWERS_A_SECOND = 0.6

# Typed word -> (command, language). The language is None if the word belongs to no particular language.
Commands = dict[str, tuple[str, str | None]]


def _read_words(*tables: str) -> Commands:
    """Return each word in tables of `chat_words.toml` with its command, and its language or None."""
    listed = load(Path(__file__).with_name("chat_words.toml"))
    return {
        word: (name, lang if lang in LANGUAGES else None)
        for table in tables
        for name, languages in listed[table].items()
        for lang, words in languages.items()
        for word in words
    }


_EVERYWHERE = _read_words("everywhere")
# Additional commands: for a referee, on a demonstration board, and in private games.
TO_REFEREE = _read_words("leaving", "to_referee")
AT_BOARD = _read_words("at_board")
IN_PRIVATE = _read_words("leaving", "at_board", "in_private")
_VERTEX = re.compile(r"[a-z]{1,2}\d{1,2}")
# Typed words for moves other than vertices.
_TYPED = {word: name for word, (name, _) in _read_words("moves").items()}


def command_of(text: str, more: Commands | None = None) -> tuple[str, str | None] | None:
    """Return the command in a text and its language, or None for other text. `more` has a role's own commands."""
    words = text.strip().lower().split()
    word = words[0].rstrip("?.") if words else ""
    return _EVERYWHERE.get(word) or (more or {}).get(word)


def move_of(text: str) -> str | None:
    """Return the typed move: a lower-case vertex, `pass`, `resign` or `undo`, or None for other text."""
    word = text.strip().lower().rstrip(".!")
    return word if _VERTEX.fullmatch(word) else _TYPED.get(word)


# Typed word -> value of the option.
_COLOURS, _TRUTH, _DICE, _TIE_BREAKS = (
    {word: value for word, (value, _) in _read_words(table).items()}
    for table in ("free_player", "crystal_ball", "dice", "tie_breaks")
)
# Commands that set an option of the dice, and commands that propose an agreement, with its first words.
_OPTIONS = ("dice", "crystal", "handicap")
_AGREEMENTS = {"dice": SINGLE_DIE, "passes": PASSES, "match": f"{PAIR} 2"}
_NEGOTIATING = ("options", "yes", *_OPTIONS, *_AGREEMENTS)
# The kinds of proposals about options, whose value is a SPEC, and about letting the next two passes end the game.
OPTIONS, _END = "options", "end"


def quote(text: str) -> str:
    """Return the beginning of a typed text, with unprintable characters replaced."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:40])


def with_command(spec: str, command: str, word: str, size: int) -> str:
    """Return the SPEC after chat `command` has set its option to `word`. Raises NotationError if invalid at `size`."""
    cls, given = split_spec(spec)
    word = word.strip().lower()
    if command == "dice":
        # Remove `star` with the old dice, so that the new dice use the usual star of their table.
        given.pop("dice", None)
        given.pop("star", None)
        given |= {} if word in _DICE else {"dice": word}
    elif command == "crystal":
        given["crystal_ball"] = _read(_TRUTH, word)
    else:
        given["free_player"] = _read(_COLOURS, word)
    return _spec_of(cls, given, {"size": str(size)})


def with_option(spec: str, text: str) -> str:
    """Set an option by `key=value` or `key value`; return the SPEC. Raises NotationError for `lang` or if invalid."""
    cls, given = split_spec(spec)
    key, _, value = text.strip().lower().replace("=", " ").partition(" ")
    if key == "lang":
        raise NotationError("lang: not an option of the game; each player types commands in their own language")
    return _spec_of(cls, {**given, key: value.strip()}, {})


def _spec_of(cls: type[Rules], given: Mapping[str, str], more: Mapping[str, str]) -> str:
    """Return the SPEC with the options `given`. Raises NotationError if the game rejects `given` with `more`."""
    try:
        cls({**given, **more})
    except SpecError as error:
        raise NotationError(str(error)) from None
    return f"{cls.name}:{','.join(f'{key}={value}' for key, value in given.items())}" if given else cls.name


def _read(known: dict[str, str], word: str) -> str:
    if word not in known:
        raise NotationError(f"{word[:20]!r}: expected one of {', '.join(filter(None, known))}")
    return known[word]


class Negotiation:
    """Lets the people in a game and our player agree in chat on options of the dice and on agreements.

    Everybody must want the same. docs/protocol/agreements.md says how engines are asked, and what else is accepted.
    """

    def __init__(self, chat: "GameChat[Any]") -> None:
        self._voice, self._game = chat, chat.game
        self._wishes = Agreements()

    def wish(self, user: str, kind: str, value: str = "") -> bool:
        """Note that a person wishes `value`, and return True if all people now wish it."""
        game = self._game
        return self._wishes.add(kind, (game.colour_of(user),), value, [game.colour_of(name) for name in game.people])

    async def hear(self, user: str, command: str, word: str) -> None:
        """Handle one of `_NEGOTIATING`: a wish, the consent to another player's wish, or a question about options."""
        game, voice, text = self._game, self._voice, ""
        if command in _OPTIONS and not game.has_dice:
            await voice.answer(user, lambda: as_sentence(say("refused_requests.no_dice", game.lang)))
            return
        if command in _OPTIONS and game.may_negotiate:
            try:
                await self._wish_options(user, with_command(game.stored.spec, command, word, game.state.size))
            except VariantsError:
                await voice.answer(user, lambda: say("bridge.no_option", game.lang, what=quote(word)))
                await voice.answer(user, self.options_sentence)
            return
        if command == "yes":
            spec, said = (self._wishes.value_of_others(kind, game.colour_of(user)) for kind in (OPTIONS, AGREE))
            if spec is not None and game.may_negotiate:
                await self._wish_options(user, spec)
                return
            text = said or ""
        elif command in _AGREEMENTS:
            word = word.strip().lower()
            text = f"{_AGREEMENTS[command]} {_TIE_BREAKS.get(word, word)}".strip()
        is_late = game.has_dice and not game.may_negotiate
        if text:
            await self._wish_agreement(user, text)
        elif is_late and command != "options":
            await voice.answer(user, lambda: say("bridge.draw_shown", game.lang))
        else:
            await voice.answer(user, self.options_sentence)

    async def _wish_options(self, user: str, spec: str) -> None:
        game = self._game
        if rules_of(spec, game.state) == game.rules:
            await self._voice.answer(user, self.options_sentence)
        elif self.wish(user, OPTIONS, spec):
            if spec != game.stored.spec:
                game.stored = replace(game.stored, spec=spec)
                game.start_over()
                game.save()
            await self._voice.say_each(lambda: self.options_sentence("bridge.agreed"))
        else:
            await self._voice.say_each(lambda: self.options_sentence("bridge.wished", spec, user=user))

    async def _wish_agreement(self, user: str, text: str) -> None:
        """Handle a player's wish for an agreement. It is made once all people and our player want it."""
        game, colour = self._game, self._game.colour_of(user)
        proposer = next((each for each, said in self._wishes.words.get(AGREE, {}).items() if said == text), colour)
        if self.read(text) is None:
            key = "bridge.draw_shown" if text.startswith(SINGLE_DIE) else "bridge.not_now"
            await self._voice.answer(user, lambda: say(key, game.lang))
        elif self.wish(user, AGREE, text):
            game.turn.start_beside(partial(self.make, text, proposer))
        else:
            await self._voice.say_each(lambda: self._sentence("bridge.wished_agreement", text, user=user))

    async def offer(self, text: str) -> None:
        """Tell the opponent what our engine proposes, once, if it is possible."""
        colour = self._game.state.colour
        if self.read(text) is not None and self._wishes.words.get(AGREE, {}).get(colour) != text:
            self._wishes.add(AGREE, (colour,), text, self._game.rules.colours)
            await self._voice.say_each(lambda: self._sentence("bridge.offered", text))

    def read(self, text: str) -> Agreement | None:
        """Return the agreement in a text, or None if it cannot be made now. Terms precede the first move."""
        game = self._game
        if game.is_over:
            return None
        people = [game.colour_of(name) for name in game.people]
        with suppress(VariantsError):
            found = Agreement.read(game.replay.table, text, people)
            is_early = found.word in (PASSES, PAIR) and not game.state.moves
            return found if found.word == SINGLE_DIE or is_early else None
        return None

    async def make(self, text: str, proposer: int) -> None:
        """Make an agreement that all people want, if our player accepts it and it is still possible."""
        game = self._game
        is_wanted = game.state.colour not in game.state.players or proposer == game.state.colour
        if not is_wanted and not await game.turn.player.accepts(game.steps(), text):
            await self._voice.say_each(lambda: self._sentence("bridge.declined", text))
            return
        agreement = self.read(text)
        if agreement is None:
            await self._voice.say_each(lambda: say("bridge.not_now", game.lang))
            return
        stored = game.stored
        if agreement.word == SINGLE_DIE:
            stored = replace(stored, single_die_from=stored.furthest + 1)
        else:
            terms = (*stored.terms, *((proposer, action) for action in agreement.actions))
            spec = with_option(stored.spec, text) if agreement.word == PASSES else stored.spec
            stored = replace(stored, terms=terms, spec=spec)
        # Save first, because a crash must not lose what is announced, and follow the game before anything else arrives.
        # While a move is to be taken back, `update` leaves the new replay as it is.
        game.keep(stored)
        game.start_over(keeps_player=agreement.word == PAIR)
        game.replay.follow(game.steps())
        await self._voice.say_each(lambda: self._sentence("bridge.made_agreement", text))
        await game.update(game.state)

    def _sentence(self, key: str, text: str, **more: object) -> str:
        """Return the sentence `key` about an agreement."""
        lang, (word, *rest) = self._game.lang, text.split()
        name = f"{word}_by_moves" if len(rest) > 1 else word
        return say(key, lang, what=say(f"bridge.{name}", lang, what=rest[0]), **more)

    def options_sentence(self, key: str = "bridge.options", spec: str = "", **more: object) -> str:
        """Return the sentence `key` about the options in force or in `spec`; without dice, what can be agreed on."""
        game, lang = self._game, self._game.lang
        rules = rules_of(spec or game.stored.spec, game.state)
        if not isinstance(rules, DicedRules):
            keys = {PASSES: "bridge.may_pass", PAIR: "bridge.may_match"}
            people = [game.colour_of(name) for name in game.people]
            possible = () if game.state.moves else find_agreements(game.replay.table, people)
            return " ".join(say(keys[word], lang) for word in possible if word in keys) or say("bridge.not_now", lang)
        values = rules.values
        free = {"b": BLACK, "w": WHITE}.get(str(values["free_player"]))
        ball = say("bridge.on" if values["crystal_ball"] else "bridge.off", lang)
        name = colour_name(free, lang) if free is not None else say("bridge.nobody", lang)
        choices = ", ".join(rules.usual_dice(game.state.size))
        return say(key, lang, dice=values["dice"], ball=ball, free=name, choices=choices, **more)


# Maximum number of points listed in one line of chat.
_MOST_POINTS = 16

G = TypeVar("G", bound=FollowedGame)


class GameChat(Generic[G]):
    """The bridge's chat in one game; silent on servers without chat. `more` has commands besides the usual ones."""

    more: Commands | None = None

    def __init__(self, game: G) -> None:
        self.game = game
        # The last announcement and its connection. It is repeated on a new connection, as it may never have arrived.
        self._announced: tuple[object, ...] | None = None
        self._greeted_on: object | None = None
        self._answers = TokenBuckets(ANSWERS_AT_ONCE, ANSWERS_A_SECOND)
        self.negotiation = Negotiation(self)

    async def say(self, key: str, **parts: object) -> None:
        """Say a sentence from the catalogue in the opponent's language."""
        await self.say_each(lambda: say(key, self.game.lang, **parts))

    async def say_each(self, make: Callable[[], str]) -> None:
        """Say the text that `make` returns for the listener's language."""
        await self.say_text(make())

    async def say_text(self, text: str) -> None:
        """Say a line unchanged."""
        if self.game.server.abilities.chat:
            self.game.log.quietly(f"says: {text}")
            await self.game.server.say(self.game.state, text)

    async def say_greeting(self) -> None:
        """Greet the opponent when a game begins or is resumed, and again on a new connection before the first move."""
        game = self.game
        if self._greeted_on is game.server or (self._greeted_on is not None and game.state.moves):
            return
        self._greeted_on = game.server
        if game.is_new:
            for line in game.config.chat.greeting:
                await self.say_text(self._fill(line))
            await self.say_rules()
            if game.stored.after:
                await self.say("bridge.second_game")
        elif self.game.has_dice:
            await self.say("bridge.go_on")
        if game.may_negotiate:
            await self.say("bridge.first_draw", seconds=format_number(game.config.time.first_s))

    async def say_rules(self) -> None:
        """Explain the rules in a few lines and, in a game with dice, announce the commitment to the dice secret."""
        await self._say_game_rules()
        if self.game.has_dice:
            await self.say("bridge.aleago_passes")
            await self.say("bridge.commitment", commitment=self._commitment())

    async def _say_game_rules(self) -> None:
        rules = self.game.rules
        if any(rules.profile.chat_rules):
            await self.say_each(lambda: translate(rules.profile.chat_rules, self.game.lang))
        elif not rules.profile.captures_as_go:
            await self.say("bridge.stops_unlike_go", title=rules.title)

    async def say_farewell(self) -> None:
        """In a game with dice, announce the score and reveal the dice secret. Then say the farewell lines."""
        game = self.game
        outcome = game.replay.table.game.outcome
        if self.game.has_dice:
            if outcome is not None and outcome.how == "score":
                await self.say_each(lambda: say("bridge.score", game.lang, result=outcome.sentence(game.lang)))
            await self.say("bridge.secret", secret=game.stored.secret.hex())
        key, winner = game.tell_match()
        if key:
            await self.say_each(lambda: say(f"counting.{key}", game.lang, name=colour_name(winner, game.lang)))
        for line in game.config.chat.farewell:
            await self.say_text(self._fill(line))

    def _commitment(self) -> str:
        return DiceStream(self.game.stored.secret).commitment

    def _fill(self, line: str) -> str:
        state, rules = self.game.state, self.game.rules
        commitment = self._commitment() if self.game.has_dice else ""
        return fill_line(line, state, rules, state.players.get(state.colour, ""), state.opponent, commitment)

    def why(self, fault: ReplayFault) -> str:
        """Return why a move is illegal, as a sentence in the opponent's language."""
        game = self.game
        rules = rules_of(game.stored.spec, game.state, game.lang)
        try:
            rules.play(game.replay.table.position, read_move(rules.board, fault.step.word), fault.step.colour)
        except VariantsError as error:
            return sentence_of(error)
        return sentence_of(fault.error)

    def reset_announcement(self) -> None:
        """Let the throw be announced again, because moves were taken back."""
        self._announced = None

    async def announce(self) -> None:
        """Greet the opponent if that is due, and announce the throw of the new turn, each once per connection."""
        await self.say_greeting()
        game, position = self.game, self.game.replay.table.position
        if not self.game.has_dice or game.rules.is_over(position):
            return
        now = (game.server, position.turn, position.draws, len(game.state.moves))
        if now != self._announced:
            self._announced = now
            await self.say_each(self.draw_sentence)

    def draw_sentence(self) -> str:
        lang, rules, position = self.game.lang, self.game.rules, self.game.replay.table.position
        if not isinstance(rules, DicedRules) or not position.draws or rules.is_over(position):
            return as_sentence(say("refused_requests.no_dice", lang))
        who = self._who(position.mover)
        faces, *following = (faces_of(rules, position, draw) for draw in position.draws[:2])
        if not faces:
            text = say("dice.no_draw_in_chat", lang, turn=position.turn, who=who)
        else:
            lines = self.open_points(position)
            text = say("dice.draw_in_chat", lang, turn=position.turn, who=who, faces=_sum(faces), open=lines)
        if following and following[0]:
            text += " " + say("dice.next_in_chat", lang, who=self._who(3 - position.mover), faces=_sum(following[0]))
        return text

    def open_points(self, position: Position | None = None) -> str:
        """Return the open lines, and their points if at most 16; in a game without dice, the first 16 legal points."""
        rules, lang = self.game.rules, self.game.lang
        position = self.game.replay.table.position if position is None else position
        points = rules.board.vertices_of(point for point in rules.legal(position) if point >= 0)
        if not isinstance(rules, DicedRules):
            return ", ".join(points[:_MOST_POINTS])
        lines = rules.open_lines(position)
        if lines == ():
            return say("bridge.no_line", lang)
        lines = tuple(rules.on_line) if lines is None else lines
        listed = say("bridge.line" if len(lines) == 1 else "bridge.lines", lang, lines=format_list(lines, lang))
        if len(points) > _MOST_POINTS:
            return listed
        return say("bridge.points", lang, lines=listed, points=" ".join(points))

    def _introduction(self) -> str:
        config = self.game.config
        engine = config.engine
        if not engine.bot:
            return Path(engine.command[0]).stem if engine.command else ""
        clock = self.game.state.clocks.get(self.game.state.colour, NO_LIMIT)
        has_clock = clock.control.kind != "none" or config.time.no_clock_s is not None
        return introduce(engine.bot, self.game.rules, self.game.lang, has_clock=has_clock)

    def _who(self, colour: int) -> str:
        return say("bridge.me" if colour == self.game.state.colour else "bridge.you", self.game.lang)

    async def hear(self, user: str, text: str) -> None:
        """Log a player's line, and obey or answer the command in it, if any."""
        game = self.game
        command, word = self._command(user, text)
        asks_for_draw = command == "dice" and not word
        if command == "rules":
            await self._explain(user)
        elif command == "stop" and self.negotiation.wish(user, _END):
            game.keep(replace(game.stored, accepts=True))
            await self.say("bridge.stopped")
        elif command == "stop":
            await self.say("bridge.referee_stop", user=user)
        elif asks_for_draw and game.may_negotiate:
            await game.show_first_draw()
        elif asks_for_draw:
            await self.answer(user, self.draw_sentence)
        elif command in _NEGOTIATING:
            await self.negotiation.hear(user, command, word)
        elif command:
            await self._obey(user, command)

    def _command(self, user: str, text: str) -> tuple[str, str]:
        """Return a player's command and its argument, or two empty texts if there is no command to answer."""
        self.game.log.quietly(f"{user} says: {text}")
        found = command_of(text, self.more) if self.game.config.chat.commands else None
        if found is None or user not in self.game.people or not self._answers.allows(user, time.monotonic()):
            return "", ""
        command, lang = found
        if lang is not None:
            self.game.speak(user, lang)
        return command, text.strip().partition(" ")[2].strip()

    async def answer(self, user: str, make: Callable[[], str]) -> None:
        """Answer a player with the text that `make` returns for their language."""
        await self.say_each(make)

    async def _explain(self, user: str) -> None:
        await self.say_rules()

    async def _obey(self, user: str, command: str) -> None:
        if command == "level":
            await self.say("bridge.level", who=self._introduction())
        else:
            await self.say("bridge.help")


def sentence_of(error: VariantsError) -> str:
    """Return the text of an error, beginning with a capital letter."""
    said = (error.sentence if isinstance(error, IllegalMove) else "") or str(error)
    return said[:1].upper() + said[1:]


def _sum(faces: tuple[int, ...]) -> str:
    return "+".join(map(str, faces)) + (f"={sum(faces)}" if len(faces) > 1 else "")


def fill_line(line: str, game: ServerGame, rules: Rules, me: str, opponent: str, commitment: str = "") -> str:
    """Return a greeting or farewell with its placeholders filled in."""
    places = {
        "me": me,
        "opponent": opponent,
        "game": rules.title,
        "size": f"{game.size}x{game.height}" if game.height not in (0, game.size) else game.size,
        "komi": format_number(float(str(rules.values["komi"]))) if "komi" in rules.values else "",
        "result": game.result,
        "commitment": commitment,
    }
    for place, value in places.items():
        line = line.replace(f"{{{place}}}", str(value))
    return line
