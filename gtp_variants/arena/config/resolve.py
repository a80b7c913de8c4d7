"""Makes a match of what a file, the command line or a call says of it: who meets whom under which rules, checked.

Every fault is told at once, with its path and the nearest known key.
"""

import dataclasses
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from gtp_variants import configs
from gtp_variants.ai.samples.formats import describe_missing
from gtp_variants.arena import openings
from gtp_variants.arena.config.match_config import (
    ADAPTIVE,
    TYPES,
    GameBlock,
    GameSettings,
    MatchConfig,
    MatchFile,
    Matchup,
    Stops,
    TournamentBlock,
)
from gtp_variants.arena.config.player_config import (
    GIVEN_PLACES,
    NO_LIMITS,
    BotConfig,
    PlayerConfig,
    ProgramConfig,
    has_places,
    places_in,
)
from gtp_variants.arena.config.tuning_config import BATCHES, TuneParameter, TuningConfig
from gtp_variants.arena.openings import Opening
from gtp_variants.base import config_files as fields
from gtp_variants.base.config_files import FieldUnreadable, Node, either, nearest, quote
from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.dask_cluster import TLS
from gtp_variants.errors import ConfigError, NotationError, SpecError
from gtp_variants.players.config_readers import BOT
from gtp_variants.players.isolated.player import describe
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

Players = Mapping[str, PlayerConfig]


def resolve_tuning(
    tournament: TournamentBlock, names: Sequence[str], players: Players, node: Node
) -> TuningConfig | None:
    """What a tournament of type tune tunes, by players of these names; None after a fault."""
    parameters = tournament.parameters
    if parameters is None:
        node.child("tournament.parameters").missing("what stands in braces in a player's command")
        return None
    _check_bounds(parameters, node)
    known = [players[name] for name in names if name in players]
    tuned = [player for player in known if places_in(player) & {*parameters}]
    if len(tuned) != 1:
        found = either([player.name for player in tuned]) if tuned else "no player"
        node.child("tournament.parameters").fault(f"expected one player whose command has them, not {found}")
        return None
    (player,) = tuned
    _check_places(player, parameters, node)
    method = tournament.method or "spsa"
    others = [name for name in names if name != player.name]
    if len(others) > (method != "spsa"):
        told = "nobody: spsa lets two sides of it play each other" if method == "spsa" else "one player at most"
        node.child("tournament.players").fault(f"{player.name} is tuned; beside it expected {told}")
    if node.faults:
        return None
    against = others[0] if others else ""
    return TuningConfig(player, parameters, method, tournament.pairs or 1, tournament.batch or BATCHES[method], against)


def tuning_names(tuning: TuningConfig) -> tuple[str, str]:
    """What the two players of the pairs of a tuning are called."""
    name = tuning.player.name
    if tuning.method == "spsa":
        return f"{name}+", f"{name}-"
    return name, tuning.against or f"{name}-start"


def refuse_open_places(players: Players, node: Node) -> None:
    """Note bots with places that nothing fills in: the sentence is what a bot says of such a parameter."""
    for name, player in players.items():
        if isinstance(player, BotConfig) and has_places(player.bot):
            with suppress(FieldUnreadable):
                BOT.read(node.child(f"players.{name}.command", player.bot))


def _check_bounds(parameters: Mapping[str, TuneParameter], node: Node) -> None:
    for name, each in parameters.items():
        if None in (each.start, each.low, each.high):
            continue  # told already
        child = node.child(f"tournament.parameters.{name}")
        if each.high <= each.low:
            child.child("max").fault(f"expected more than min, which is {each.low:g}")
        elif not each.low <= each.start <= each.high:
            child.child("start").fault(f"expected {each.low:g} to {each.high:g}, not {each.start:g}")


def _check_places(player: PlayerConfig, parameters: Mapping[str, TuneParameter], node: Node) -> None:
    places = places_in(player)
    for name in parameters:
        if name not in places:
            node.child(f"tournament.parameters.{name}").fault(f"the command of {player.name} has no {{{name}}}")
    own = set() if isinstance(player, BotConfig) else set(GIVEN_PLACES)
    path = f"players.{player.name}"
    for name in sorted(places - set(parameters) - own):
        node.child(f"{path}.command").fault(f"{{{name}}}: expected one of tournament.parameters")
    if isinstance(player, ProgramConfig) and player.restart != "game" and _is_in_command(player, parameters):
        why = "its command changes; expected game, or parameters in `startup` only"
        node.child(f"{path}.restart").fault(f"{player.restart}: {why}")


def _is_in_command(player: ProgramConfig, parameters: Mapping[str, TuneParameter]) -> bool:
    return bool(places_in(replace(player, startup=())) & {*parameters})


def fill_start(tuning: TuningConfig, node: Node) -> PlayerConfig:
    """The tuned player with its start values; what a bot finds wrong with them is noted."""
    player = tuning.fill(tuning.player, tuning.start)
    if not isinstance(player, BotConfig):
        return player
    with suppress(FieldUnreadable):
        BOT.read(node.child(f"players.{player.name}.command", player.bot))
        return replace(player, threads=max(player.threads, describe(player.bot).threads))
    return player


_YES = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class RulesReader:
    """Makes rules and remembers them, so that what is wrong with a SPEC is told once. Faults go to `node`."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._known: dict[tuple[str, ...], Rules | None] = {}

    def read(self, variant: str, options: Mapping[str, str], path: str) -> Rules | None:
        """The rules of a SPEC and options, which stand in the block at `path`; None after a fault."""
        key = (variant, *sorted(f"{name}={word}" for name, word in options.items()))
        if key not in self._known:
            self._known[key] = self._read(variant, options, self.node.child(path))
        return self._known[key]

    def _read(self, variant: str, options: Mapping[str, str], node: Node) -> Rules | None:
        try:
            cls, given = split_spec(variant)
        except SpecError as error:
            node.child("variant").fault(str(error))
            return None
        known = {option.key: option for option in cls.options}
        keys = [*known, *cls.options.group_keys]
        for name in [name for name in given if name not in keys]:
            node.child("variant").fault(f"{quote(name)}: unknown option of {cls.name}; {nearest(name, keys)}")
            del given[name]
        words = {}
        for name, word in options.items():
            if name not in keys:
                node.child(f"options.{name}").fault(f"unknown option of {cls.name}; {nearest(name, keys)}")
                continue
            kinds = {known[full].kind for full in cls.options.shorthands.get(name, (name,)) if full in known}
            words[name] = _YES.get(word.lower(), word) if kinds == {"bool"} else word
        return _make(cls, {**given, **words}, words, node)


def _make(cls: type[Rules], given: dict[str, str], options: Container[str], node: Node) -> Rules | None:
    """The rules with these options; None after every one that is wrong was noted, each by itself."""
    try:
        return cls(given)
    except SpecError as error:
        about, _, said = str(error).partition("=")
        if about in options:
            node.child(f"options.{about}").fault(said)
        else:
            node.child("variant").fault(str(error))
        if about in given:
            _make(cls, {key: word for key, word in given.items() if key != about}, options, node)
        return None


_PLAYER_COUNTS = {1: "one player", 2: "two players"}
# Keys that belong to some types of tournament only.
_KEYS_OF_TYPES = {
    "seeds": ("gauntlet", "halving"),
    "rounds": ("swiss",),
    "matchups": ("playoff",),
    **dict.fromkeys(("parameters", "method", "batch", "confirm"), ("tune",)),
}


@dataclass(frozen=True, slots=True)
class _MatchGame:
    """A game with its rules, and the limits that hold where players have none of their own."""

    rules: Rules
    settings: GameSettings
    limits: Mapping[str, Any]

    @property
    def size(self) -> int:
        """How many play it."""
        return len(self.rules.colours)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """Who meets, in how many pairs of games, in which game."""

    names: tuple[str, ...]
    pairs: int
    game: _MatchGame


def resolve(file: MatchFile, node: Node, name: str = "match") -> MatchConfig:
    """The match that the blocks of a file describe, called `name` unless it says its own.

    `node` is the topmost one of the file. Raises ConfigError with its faults and every other one.
    """
    resolver = _Resolver(file, node)
    meetings = resolver.meetings()
    stops = resolver.stops(meetings)
    found = resolver.openings(meetings)
    resolver.check_export()
    resolver.check_tls()
    if node.faults:
        raise node.error()
    return resolver.match(file.name or name, meetings, stops, found)


class _Resolver:
    def __init__(self, file: MatchFile, node: Node) -> None:
        self.file = file
        self.node = node
        self.rules = RulesReader(node)
        self.tuning: TuningConfig | None = None

    def fault(self, path: str, sentence: str) -> None:
        self.node.child(path).fault(sentence)

    def missing(self, path: str, expected: str) -> None:
        self.node.child(path).missing(expected)

    def match(self, name: str, meetings: Sequence[_Meeting], stops: Stops, found: tuple[Opening, ...]) -> MatchConfig:
        """The match, when nothing is wrong."""
        file, book = self.file, self.file.book
        matchups = self.matchups(meetings)
        players = {player: self.player(player, file.defaults.limits) for player in file.players}
        if self.tuning is not None:
            players = {player.name: player for matchup in matchups for player in matchup.players}
        said = {each.name: getattr(file, each.name) for each in dataclasses.fields(MatchFile)}
        said |= {
            "name": name,
            "description": file.description.strip(),
            "players": players,
            "book": replace(book, file=Path(book.file).name) if found else book,
            "stops": stops,
            "outputs": replace(file.outputs, folder=Path(str(file.outputs.folder).replace("{name}", name))),
        }
        return MatchConfig(**said, matchups=matchups, tuning=self.tuning, openings=found)

    def player(self, name: str, limits: Mapping[str, Any]) -> PlayerConfig:
        """A player in games with these limits."""
        player = self.file.players[name]
        player = replace(player, limits=replace(NO_LIMITS, **{**limits, **player.own_limits}))
        if not isinstance(player, ProgramConfig):
            return player
        outputs = self.file.outputs
        return replace(player, gtp_log=outputs.gtp_log, is_analysing=outputs.export != "none")

    def matchups(self, meetings: Sequence[_Meeting]) -> tuple[Matchup, ...]:
        """Matchups named after their players; those of a name that is taken get a number."""
        if self.tuning is not None:
            return self.tuned_matchups(self.tuning, meetings[0].game)
        found: dict[str, Matchup] = {}
        for meeting in meetings:
            id = wanted = "-".join(meeting.names)
            number = 1
            while id in found:
                number += 1
                id = f"{wanted}-{number}"
            players = tuple(self.player(name, meeting.game.limits) for name in meeting.names)
            found[id] = Matchup(id, players, meeting.pairs, meeting.game.settings)
        return tuple(found.values())

    def tuned_matchups(self, tuning: TuningConfig, game: _MatchGame) -> tuple[Matchup, ...]:
        """The pairs that tune, and those that confirm what came out."""
        name = tuning.player.name
        player = replace(fill_start(tuning, self.node), limits=self.player(name, game.limits).limits)

        def matchup(id: str, names: tuple[str, str], pairs: int) -> Matchup:
            players = [
                self.player(each, game.limits) if each == tuning.against else replace(player, name=each)
                for each in names
            ]
            return Matchup(f"{name}-{id}", tuple(players), pairs, game.settings)

        found = [matchup("tune", tuning_names(tuning), tuning.pairs)]
        confirm = self.file.tournament.confirm
        if confirm is not None:
            found.append(matchup("confirm", (f"{name}-tuned", f"{name}-start"), confirm))
        return tuple(found)

    # -- games ---------------------------------------------------------------------------------------------------------

    def game(self, block: GameBlock) -> _MatchGame | None:
        """What a block means once it was laid over the defaults; None after a fault."""
        if block.variant is None:
            self.missing("defaults.variant", "a SPEC such as aleago:size=13")
            return None
        rules = self.rules.read(block.variant, block.spec_options, block.path)
        if rules is None:
            return None
        values = dict(block.settings)
        has_score = rules.standing(rules.start()) is not None
        if not has_score and values.get("on_move_limit") == "score":
            self.fault(f"{block.path}.on_move_limit", f"{rules.name} has no score; expected void or draw")
        values.setdefault("on_move_limit", "score" if has_score else "void")
        if block.on_crash is not None:
            values["on_crash"], values["replays"] = block.on_crash
        settings = GameSettings(rules.spec, **values)
        if settings.handicap:
            try:
                openings.handicap_points(rules, settings.handicap)
            except NotationError as error:
                self.fault(f"{block.path}.handicap", str(error))
        if settings.match == 2 and len(rules.colours) != 2:
            self.fault(f"{block.path}.match", f"a match of two games is for two players, not {len(rules.colours)}")
        if settings.tiebreak != "none" and settings.match != 2:
            self.fault(f"{block.path}.tiebreak", "decides a match of two games; expected `match: 2` beside it")
        return _MatchGame(rules, settings, block.limits)

    # -- who meets whom ------------------------------------------------------------------------------------------------

    def meetings(self) -> list[_Meeting]:
        """Everybody who can meet, in the order of the schedule."""
        tournament = self.file.tournament
        if not self.file.players:
            self.missing("players", "at least two, such as `mine: {command: bot:greedy}`")
        if not tournament.type:
            self.missing("tournament.type", f"expected {either(TYPES)}")
        for key, only in _KEYS_OF_TYPES.items():
            if getattr(tournament, key) is not None and tournament.type not in (*only, None):
                self.fault(f"tournament.{key}", f"belongs to a {either(only)}, not to a {tournament.type}")
        if tournament.type != "tune":
            refuse_open_places(self.file.players, self.node)
        if tournament.matchups is not None:
            return self.explicit_meetings(tournament)
        everybody = tuple(self.file.players)
        game = self.game(self.file.defaults)
        size = 2 if game is None else game.size
        named = everybody if tournament.players is None else tournament.players
        names = self.check_names(named, "tournament.players", 1 if tournament.type == "tune" else size)
        if tournament.type == "swiss":
            self.check_rounds(tournament, len(names))
        elif tournament.pairs is None:
            self.missing("tournament.pairs", "each pair is two games, colours swapped")
        if game is not None:
            self.check_size(tournament.type, names, game.size)
        if tournament.type == "tune":
            self.tuning = resolve_tuning(tournament, names, self.file.players, self.node)
            others = [name for name in names if self.tuning is not None and name != self.tuning.player.name]
            refuse_open_places({name: self.file.players[name] for name in others}, self.node)
            return [] if self.tuning is None or game is None else [_Meeting(names, self.tuning.pairs, game)]
        together = self.pair_players(tournament, names, size)
        return [] if game is None else [_Meeting(each, tournament.pairs or 1, game) for each in together]

    def check_rounds(self, tournament: TournamentBlock, count: int) -> None:
        most = count - 1 if count % 2 == 0 else count
        if tournament.rounds is None:
            self.missing("tournament.rounds", f"{count} players can meet in up to {most} rounds")
        elif count > 1 and tournament.rounds > most:
            self.fault("tournament.rounds", f"expected at most {most}: then everybody has met everybody")

    def check_size(self, kind: str, names: Sequence[str], size: int) -> None:
        """Whether so many players, who are not too few, can meet in games of `size`."""
        if kind == "playoff" and len(names) > size:
            self.fault("tournament.players", f"a playoff has {size} players or matchups, not {len(names)} players")
        if kind in ("gauntlet", *ADAPTIVE) and size != 2:
            self.fault("tournament.type", f"a {kind} is for games of two; {size} meet in a playoff or roundrobin")

    def pair_players(self, tournament: TournamentBlock, names: Sequence[str], size: int) -> list[tuple[str, ...]]:
        """Who meets: everybody everybody else, or in a gauntlet the seeds all others."""
        if tournament.type != "gauntlet" and tournament.seeds is None:
            return list(combinations(names, size))
        if tournament.seeds is None:
            self.missing("tournament.seeds", "the players who meet all the others")
            return []
        seeds = self.check_names(tournament.seeds, "tournament.seeds", 1)
        others = [name for name in names if name not in seeds]
        if not others:
            self.fault("tournament.players", "there is nobody for the seeds to meet")
        return [(seed, other) for other in others for seed in seeds]

    def explicit_meetings(self, tournament: TournamentBlock) -> list[_Meeting]:
        """The matchups of a playoff, each with its own players, pairs and game."""
        found = []
        for index, block in enumerate(tournament.matchups or ()):
            path = f"tournament.matchups[{index}]"
            names = self.check_names(block.players or (), f"{path}.players", 0)
            pairs = block.pairs or tournament.pairs
            if pairs is None:
                self.missing(f"{path}.pairs", "")
            game = self.game(block.game.over(self.file.defaults))
            if game is None:
                continue
            if len(names) != game.size:
                self.fault(f"{path}.players", f"expected {'two' if game.size == 2 else 'three'} players")
            found.append(_Meeting(names, pairs or 1, game))
        return found

    def check_names(self, names: Sequence[str], path: str, fewest: int = 2) -> tuple[str, ...]:
        """The names, which must be of players, at least `fewest` and none twice."""
        for index, name in enumerate(names):
            if name not in self.file.players:
                hint = nearest(name, list(self.file.players))
                self.fault(f"{path}[{index}]", f"no player is called {quote(name)}; {hint}")
            if name in names[:index]:
                self.fault(f"{path}[{index}]", f"{name} is named twice; a bot that plays itself needs two names")
        # Where there is nobody at all that has been said.
        if len(names) < fewest and self.file.players:
            said = _PLAYER_COUNTS.get(fewest) or f"{fewest} players, as this game is for {fewest}"
            self.fault(path, f"expected at least {said}")
        return tuple(names)

    # -- openings and stops --------------------------------------------------------------------------------------------

    def openings(self, meetings: Sequence[_Meeting]) -> tuple[Opening, ...]:
        """The openings of the file, which every game of the match can begin with."""
        block = self.file.book
        if not block.file:
            return ()
        if any(meeting.game.settings.handicap for meeting in meetings):
            self.fault("openings", "handicap stones and openings do not go together")
        found: tuple[Opening, ...] = ()
        for rules in {meeting.game.settings.spec: meeting.game.rules for meeting in meetings}.values():
            try:
                path = self.node.folder / user_path(block.file)
                # A file beside the match, or the name of one of ours.
                found = openings.load(path if path.exists() else configs.openings(block.file), rules, block.plies)
            except ConfigError as error:
                for fault in error.faults:
                    self.fault("openings.file", fault)
            except NotationError as error:
                self.fault("openings.file", str(error))
                break
            except OSError as error:
                self.fault("openings.file", f"{quote(block.file)} cannot be read: {error.strerror or error}")
                break
        if found and block.start > len(found):
            self.fault("openings.start", f"expected 1 to {len(found)}: so many openings there are")
        return found

    def check_export(self) -> None:
        """Note as a fault that samples are wished and cannot be written."""
        form = self.file.outputs.export
        missing = "" if form == "none" else describe_missing(form)
        if missing:
            self.fault("outputs.export", missing)

    def check_tls(self) -> None:
        """Note as a fault that there are files of TLS and no TLS."""
        if self.file.tls is not None and not self.file.executor.startswith(TLS):
            self.fault("tls", f"expected executor: {TLS}HOST:PORT with it, got {self.file.executor}")

    def stops(self, meetings: Sequence[_Meeting]) -> Stops:
        """When the match stops; a test is about the only two who meet unless it says about whom."""
        stops = self.file.stops
        if self.file.tournament.type in ("knockout", "halving", "tune") and stops != Stops():
            self.fault("stop", f"a {self.file.tournament.type} ends by itself")
        if stops.elo_error is not None and any(meeting.game.size != 2 for meeting in meetings):
            self.fault("stop.elo_error", "there is no Elo in games of three")
        test = stops.sprt
        if test is None:
            return stops
        path = "stop.sprt"
        meetings = [meeting for meeting in meetings if all(name in self.file.players for name in meeting.names)]
        pairs = {meeting.names for meeting in meetings if len(meeting.names) == 2}
        names = test.players
        if names:
            self.check_names(names, f"{path}.players")
        elif len(meetings) == 1 and pairs:
            names = meetings[0].names
        else:
            self.missing(f"{path}.players", "the two players it is about, the first against the second")
        if names and meetings and not {names, names[::-1]} & pairs:
            self.fault(f"{path}.players", f"{' and '.join(names)} do not meet in this tournament")
        if test.elo1 is not None and test.elo1 <= test.elo0:
            self.fault(f"{path}.elo1", f"expected more than elo0, which is {test.elo0:g}")
        return replace(stops, sprt=replace(test, players=names))


def load(path: Path) -> MatchConfig:
    """The match a file describes. Raises ConfigError with every fault, OSError if the file cannot be read."""
    return read(fields.load(path), path.stem, path.parent, str(path))


def read(text: str, name: str = "match", folder: Path = Path(), file: str = "") -> MatchConfig:
    """The match a YAML text describes; `name` unless it says its own; files it names are sought from `folder`.

    With the name of a `file` every fault begins with FILE:LINE:COLUMN.
    """
    node = fields.parse(text, folder, file)
    return resolve(fields.read(MatchFile, node), node, name)
