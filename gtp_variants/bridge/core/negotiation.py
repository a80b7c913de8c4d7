"""What the people in a game and our player agree on in chat: the options of the dice, and agreements.

Everybody must want the same. Our bots accept all that is possible. An engine is asked by `variant-accept`, and may
propose by itself; docs/protocol/agreements.md says what is accepted for an engine without these commands.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from gtp_variants.bridge.core.base_game import FollowedGame
from gtp_variants.bridge.core.game_sync import rules_of
from gtp_variants.errors import NotationError, SpecError, VariantsError
from gtp_variants.lang import as_sentence, load, say
from gtp_variants.players.agreements import AGREE, PAIR, PASSES, SINGLE_DIE, Agreement, Agreements, find_agreements
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# Typed word -> (command, language). The language is None if the word belongs to no particular language.
Commands = dict[str, tuple[str, str | None]]


def read_words(*tables: str) -> Commands:
    """Return each word in tables of `chat_words.toml` with its command, and its language or None."""
    listed = load(Path(__file__).with_name("chat_words.toml"))
    return {
        word: (name, lang if lang in LANGUAGES else None)
        for table in tables
        for name, languages in listed[table].items()
        for lang, words in languages.items()
        for word in words
    }


# Typed word -> value of the option.
_COLOURS, _TRUTH, _DICE, _TIE_BREAKS = (
    {word: value for word, (value, _) in read_words(table).items()}
    for table in ("free_player", "crystal_ball", "dice", "tie_breaks")
)
# Commands that set an option of the dice, and commands that propose an agreement, with its first words.
_OPTIONS = ("dice", "crystal", "handicap")
_AGREEMENTS = {"dice": SINGLE_DIE, "passes": PASSES, "match": f"{PAIR} 2"}
COMMANDS = ("options", "yes", *_OPTIONS, *_AGREEMENTS)
# The kinds of proposals about options, whose value is a SPEC, and about letting the next two passes end the game.
OPTIONS, END = "options", "end"


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


class Voice(Protocol):
    """The chat of a game. `make` returns a text in the listener's language."""

    async def say_each(self, make: Callable[[], str]) -> None:
        """Say something to everybody."""

    async def answer(self, user: str, make: Callable[[], str]) -> None:
        """Answer a player."""


class Negotiation:
    """The wishes in one game that not everybody shares yet, and how they become options or events of the game."""

    def __init__(self, game: FollowedGame, voice: Voice) -> None:
        self._game, self._voice = game, voice
        self._wishes = Agreements()

    def wish(self, user: str, kind: str, value: str = "") -> bool:
        """Note that a person wishes `value`, and return True if all people now wish it."""
        game = self._game
        return self._wishes.add(kind, (game.colour_of(user),), value, [game.colour_of(name) for name in game.people])

    async def hear(self, user: str, command: str, word: str) -> None:
        """Handle one of `COMMANDS`: a wish, the consent to another player's wish, or a question about options."""
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
        game.start_over()
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
        return say(
            key,
            lang,
            dice=values["dice"],
            ball=say("bridge.on" if values["crystal_ball"] else "bridge.off", lang),
            free=colour_name(free, lang) if free is not None else say("bridge.nobody", lang),
            choices=", ".join(rules.usual_dice(game.state.size)),
            **more,
        )
