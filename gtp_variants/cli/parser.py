"""The parser that all commands use, with a uniform style of options, `--lang`, examples and short error messages."""

import argparse
import re
import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from gtp_variants.base.number_ranges import NumberRange
from gtp_variants.cli.commands import COMMANDS, WRONG
from gtp_variants.errors import NotationError, SpecError
from gtp_variants.gtp.identity import IDENTITIES, OURS, Identity
from gtp_variants.gtp.stderr_log import log
from gtp_variants.lang import say, sentences, system_language, translate_fault
from gtp_variants.rules import DEFAULT_SPEC, GAMES, game_class
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.options import did_you_mean

_UNRECOGNIZED = "unrecognized arguments: "
# Maximum number of characters in an error message, and in a wrong value that it quotes.
_LONGEST = 400
_SHOWN = 40
# Ranges for options that count something.
_MOST = 999_999_999
COUNT = NumberRange(1, _MOST, is_vast=True)
COUNT_OR_NONE = NumberRange(0, _MOST, is_vast=True)
SECONDS = NumberRange(0, is_more=True)
PORT = NumberRange(0, 65_535)
# Number of handicap stones, or 0 for none. An engine may place fewer stones than requested.
STONES = NumberRange(2, 999, may_be_off=True)
# The options of `add_strength_options`.
_STRENGTHS = ("level", "seconds", "playouts")
# Stands for the command in the keys of texts that several commands share.
_SHARED = "all"


class CommandParser(argparse.ArgumentParser):
    """The parser of one command, whose texts are in `lang/options.toml`.

    The parser is the only place that declares an option: its name, its default, and a `type` that reads its text or
    raises a ValueError that says what was expected. Help, completion, man pages and the reference come from it.

    The key of a command in the catalogue is its name. The key of an option consists of the names of the command and
    the option. The title of a group of options is also the end of a key. `parts` fill the placeholders in these texts.
    `suggested` maps the `dest` of an argument to common values, which only completion uses.
    """

    def __init__(self, command: str, *, usage: str | None = None, languages: Sequence[str] = LANGUAGES) -> None:
        super().__init__(prog=f"gtp-variants {command}", usage=usage, formatter_class=_HelpFormatter)
        self.suggested: dict[str, Sequence[str]] = {}
        self.parts: dict[str, object] = {}
        # The words with which this command's keys in the catalogue begin.
        self._key = command.replace("-", "_").split()
        self._default_identity = ""
        self._lang = system_language()
        self._group_keys: dict[int, str] | None = None
        self.add_argument("--lang", choices=languages)

    def translate(self, lang: str) -> None:
        """Set the description of the command and the help of its options in a language."""
        key = "_".join(self._key)
        epilog = (self._say(f"{key}_epilog", lang), _examples(self.prog.split()[1:], lang))
        self.description = self._say(key, lang)
        self.epilog = "\n\n".join(filter(None, epilog)) or None
        self.formatter_class = partial(_HelpFormatter, usage_prefix=f"{self._text(lang, 'usage')} ")
        self.usage = _in_words(self.usage, lang) if self.usage else None
        for action in self._actions:
            if action.nargs != 0 and not action.choices:
                action.metavar = _in_words(str(action.metavar or action.dest.upper()), lang)
            if action.help != argparse.SUPPRESS:
                default = f"{action.default:g}" if isinstance(action.default, int | float) else action.default
                action.help = (self._text(lang, catalogue_word(action), default=default) or "").replace("%", "%%")
        if self._group_keys is None:
            self._positionals.title, self._optionals.title = "arguments", "options"
            self._group_keys = {id(group): group.title or "" for group in self._action_groups}
        for group in self._action_groups:
            key = self._group_keys[id(group)]
            group.title = self._text(lang, "heading", title=self._text(lang, key))
            group.description = self._text(lang, f"{key}_about")

    def _text(self, lang: str, *name: str, **parts: object) -> str | None:
        """Return the text with the most specific key, for `server account`, `server` or all commands, or else None."""
        keys = ["_".join([*(self._key[:kept] or [_SHARED]), *name]) for kept in range(len(self._key), -1, -1)]
        return next(filter(None, (self._say(key, lang, **parts) for key in keys)), None)

    def _say(self, key: str, lang: str, **parts: object) -> str | None:
        is_known = key in sentences("options")
        return _in_words(say(f"options.{key}", lang, **self.parts, **parts), lang) if is_known else None

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse as argparse does, but find the values of `--lang` and `--as` first: these options may come last."""
        given = list(sys.argv[1:] if args is None else args)
        self._given, self._lang = given, asked_language(given) or self._lang
        if self._default_identity:
            self._add_parameters(IDENTITIES.get(_find_value(given, "--as") or self._default_identity, OURS))
        return super().parse_known_args(args, namespace)

    def add_identity_option(self, names: Sequence[str], default: str) -> None:
        """Add `--as`, the program that the engine claims to be, with that program's own parameters.

        The value `effects` lists the GTP commands that stand for the given parameters.
        """
        self.add_argument("--as", dest="identity", choices=names, default=default)
        self.set_defaults(effects=[])
        self._default_identity = default

    def _add_parameters(self, identity: Identity) -> None:
        for declared in (*identity.effects, *identity.ignored):
            words = declared.split()
            flags, effect = [word for word in words if word[0] == "-"], identity.effects.get(declared, "")
            made = self.add_argument(*flags, action=_ForeignParameter, nargs=0 if flags == words else None)
            made.help, made.const = argparse.SUPPRESS, (identity.name, effect)

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        """Read the value of an option. The error says what was expected, unlike argparse's own error."""
        if not callable(action.type):
            return arg_string
        try:
            return action.type(arg_string)
        except ValueError as error:
            given = repr(arg_string[:_SHOWN])
            if isinstance(error, SpecError):
                said = say("faults.value", self._lang, range=error.reason(self._lang), given=given)
            else:
                said = str(error) if given in str(error) else f"{error}, not {given}"
            raise argparse.ArgumentError(action, said) from None

    def format_help(self) -> str:
        """Return the help in the requested language."""
        self.translate(self._lang)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Print two lines, with the fault and the way to get help, instead of the full usage, and exit."""
        near = self._did_you_mean(message.removeprefix(_UNRECOGNIZED)) if message.startswith(_UNRECOGNIZED) else ""
        message = _in_words(translate_fault(message, self._lang).removeprefix("argument "), self._lang)
        if len(message) > _LONGEST:
            message = f"{message[: _LONGEST - 1]}…"
        more = say("cli.list_of_options", self._lang, command=" ".join(self.prog.split()[1:2]))
        sys.stderr.write(f"{self.prog}: {message}{near}\n{more}\n")
        raise SystemExit(WRONG)

    def _did_you_mean(self, given: str) -> str:
        """Suggest the option that the user may have meant, or a SPEC for an option such as `--size 9`."""
        option, _, value = given.partition(" ")[0].partition("=")
        if option[:1] != "-":
            return ""
        if "spec" in {action.dest for action in self._actions}:
            key = option.lstrip("-")
            behind = [later for each, later in zip(self._given, self._given[1:], strict=False) if each == option]
            value = value or (behind or ["..."])[0]
            for game in map(game_class, (DEFAULT_SPEC, *GAMES)):
                if any(each.key == key for each in game.options):
                    return say("cli.option_of_spec", self._lang, option=key, spec=f"{game.name}:{key}={value}")
        return did_you_mean(option, list(self._option_string_actions), self._lang)


def _in_words(text: str, lang: str) -> str:
    """Return a text with its names of values, such as FILE, translated into a language."""
    names = sentences("options")["all_values"]
    words = dict(zip(names["en"], names[lang], strict=True))
    return re.sub(r"\b[A-Z]+\b", lambda found: words.get(found[0], found[0]), text)


def catalogue_word(action: argparse.Action) -> str:
    """Return the word for an argument in the catalogue's keys: its first long flag, or else its name."""
    options = action.option_strings
    return next((each for each in options if each[:2] == "--"), action.dest).lstrip("-").replace("-", "_")


class _ForeignParameter(argparse.Action):
    """A parameter of another program. Its effect is noted, or the log says that it has no effect."""

    def __call__(self, parser, namespace, values, option_string=None):  # type: ignore[no-untyped-def]
        program, effect = self.const
        if effect:
            settings = [each.strip().partition("=") for each in values.split(",")] if "{2}" in effect else [(values,)]
            namespace.effects = namespace.effects + [effect.format(*setting) for setting in settings]
        else:
            log(f"{option_string} is a parameter of {program} and has no effect here")


class _HelpFormatter(argparse.HelpFormatter):
    """A formatter that wraps texts of one line, and keeps the line breaks of longer texts."""

    def __init__(self, *arguments: object, usage_prefix: str | None = None, **settings: object) -> None:
        super().__init__(*arguments, **settings)  # type: ignore[arg-type]
        self._usage_prefix = usage_prefix

    def _format_usage(self, usage, actions, groups, prefix):  # type: ignore[no-untyped-def]
        return super()._format_usage(usage, actions, groups, prefix or self._usage_prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return "".join(f"{indent}{line}" for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


def _examples(called: Sequence[str], lang: str) -> str:
    examples = COMMANDS[called[0]].examples if len(called) == 1 else ()
    lines = [say("options.all_examples", lang), *(f"  gtp-variants {example}" for example in examples)]
    return "\n".join(lines) if examples else ""


def asked_language(given: Sequence[str]) -> str | None:
    """Return the language after `--lang` in arguments that are not parsed yet, or None if it is missing or unknown."""
    return asked if (asked := _find_value(given, "--lang")) in LANGUAGES else None


def _find_value(given: Sequence[str], option: str) -> str | None:
    for at, word in enumerate(given):
        if word == option or word.startswith(f"{option}="):
            return word.partition("=")[2] if "=" in word else "".join(given[at + 1 : at + 2])
    return None


def language_of(options: argparse.Namespace) -> str:
    """Return the requested language, or else the system language."""
    return options.lang or system_language()


# -- options that several commands have --------------------------------------------------------------------------------


def add_watch_option(parser: argparse.ArgumentParser) -> None:
    """Add `--watch`, which publishes the games of a command. Its value is an address for `Place`, by default None."""
    parser.add_argument("--watch", nargs="?", const="", metavar="ADDRESS")


def add_strength_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that set the strength of the bot."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--level", metavar="N")
    group.add_argument("--seconds", type=SECONDS.read, metavar="S")
    group.add_argument("--playouts", type=COUNT.read_whole, metavar="N")


def has_strength(options: argparse.Namespace) -> bool:
    """Return True if the user gave one of the strength options."""
    return any(getattr(options, key) is not None for key in _STRENGTHS)


def at_strength(bot: str, options: argparse.Namespace) -> str:
    """Return a bot with the strength that the options set. Raises NotationError if the bot lacks the parameter."""
    for key in _STRENGTHS:
        value = getattr(options, key)
        if value is None:
            continue
        # Imported late to save time: a GUI starts several engines, and most of them without a strength.
        from gtp_variants.gtp.client.isolated_bot import describe
        from gtp_variants.players import bots

        if key not in describe(bot).parameters:
            raise NotationError(f"--{key} {value!s:.20}: the bot {bot} has no parameter {key}")
        # A level is passed on as text, because the bot itself checks it.
        bot = bots.with_parameter(bot, key, value if isinstance(value, str) else f"{value:.12g}")
    return bot
