"""Turns the blocks of a match file into a match. Reports all faults at once, each with its path."""

import dataclasses
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from gtp_variants import configs
from gtp_variants.ai.samples.formats import describe_missing
from gtp_variants.arena import openings
from gtp_variants.arena.config import match_config, player_config
from gtp_variants.arena.config.match_config import GameSettings, MatchConfig, MatchFile, Matchup, Stops, TournamentBlock
from gtp_variants.arena.openings import Opening
from gtp_variants.base import config_files as files
from gtp_variants.base.config_files import FieldUnreadable, Node, either, nearest, quote
from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.dask_cluster import TLS
from gtp_variants.errors import ConfigError, NotationError, SpecError
from gtp_variants.gtp.client.bot_reader import BOT
from gtp_variants.gtp.client.isolated_bot import describe
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

_PLAYER_COUNTS = {1: "one player", 2: "two players"}
# Keys that only some tournament types have, with those types.
_KEYS_OF_TYPES = {
    "seeds": ("gauntlet", "halving"),
    "rounds": ("swiss",),
    "matchups": ("playoff",),
    **dict.fromkeys(("parameters", "method", "batch", "confirm"), ("tune",)),
}
_YES = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def load(path: Path) -> MatchConfig:
    """Return the match that a file describes. Raises ConfigError with every fault, OSError for an unreadable file."""
    return read(files.load(path), path.stem, path.parent, str(path))


def read(text: str, name: str = "match", folder: Path = Path(), file: str = "") -> MatchConfig:
    """Return the match that a YAML text describes. The match is called `name` unless the text names it.

    Paths in the text are relative to `folder`. Raises ConfigError; with `file`, its faults begin FILE:LINE:COLUMN.
    """
    node = files.parse(text, folder, file)
    return resolve(files.read(MatchFile, node), node, name)


def resolve(file: MatchFile, node: Node, name: str = "match") -> MatchConfig:
    """Return the match that the blocks of a file describe. The match is called `name` unless the file names it.

    `node` is the file's root node. Raises ConfigError with the faults noted there and all faults found here.
    """
    resolver = _Resolver(file, node)
    matchups = resolver.matchups()
    stops = resolver.stops(matchups)
    found = resolver.openings()
    resolver.check_outputs()
    if node.faults:
        raise node.error()
    return resolver.match(file.name or name, matchups, stops, found)


def unique(name: str, taken: Container[str]) -> str:
    """Return the name, with a number appended if it is in `taken`."""
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


class _Resolver:
    """Checks the blocks of one file against each other. Faults are noted at `node`."""

    def __init__(self, file: MatchFile, node: Node) -> None:
        self.file, self.node = file, node
        self._tuning: match_config.TuningConfig | None = None
        self._matchups: dict[str, Matchup] = {}
        # Rules by SPEC and options, so that each SPEC is read, and its faults noted, only once; None after a fault.
        self._known: dict[tuple[str, ...], Rules | None] = {}
        # Rules of the games that are played, by their full SPEC.
        self._rules: dict[str, Rules] = {}

    def fault(self, path: str, sentence: str) -> None:
        self.node.child(path).fault(sentence)

    def missing(self, path: str, expected: str) -> None:
        self.node.child(path).missing(expected)

    def match(self, name: str, matchups: Sequence[Matchup], stops: Stops, found: tuple[Opening, ...]) -> MatchConfig:
        """Return the match that the blocks describe. The blocks must have no faults."""
        file, book = self.file, self.file.book
        players = {player: self._player(player, file.defaults.limits) for player in file.players}
        if self._tuning is not None:
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
        return MatchConfig(**said, matchups=tuple(matchups), tuning=self._tuning, openings=found)

    def _player(self, name: str, limits: Mapping[str, Any]) -> player_config.PlayerConfig:
        """Return a player with the limits of its games; its own limits take precedence."""
        player = self.file.players[name]
        player = replace(player, limits=replace(player_config.NO_LIMITS, **{**limits, **player.own_limits}))
        if not isinstance(player, player_config.ProgramConfig):
            return player
        outputs = self.file.outputs
        return replace(player, gtp_log=outputs.gtp_log, is_analysing=outputs.export != "none")

    def _game(self, block: match_config.GameBlock) -> GameSettings | None:
        """Return the settings of a block that has been merged over the defaults; None if its rules cannot be read."""
        if block.variant is None:
            self.missing("defaults.variant", "a SPEC such as aleago:size=13")
            return None
        options = block.spec_options
        key = (block.variant, *sorted(f"{name}={word}" for name, word in options.items()))
        if key not in self._known:
            self._known[key] = _read_rules(block.variant, options, self.node.child(block.path))
        rules = self._known[key]
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
            if self.file.book.file:
                self.fault("openings", "cannot be combined with handicap stones")
        if settings.match == 2 and len(rules.colours) != 2:
            self.fault(f"{block.path}.match", f"a match of two games is for two players, not {len(rules.colours)}")
        if settings.tiebreak != "none" and settings.match != 2:
            self.fault(f"{block.path}.tiebreak", "applies only to a match of two games; expected `match: 2` beside it")
        self._rules[rules.spec] = rules
        return settings

    def matchups(self) -> list[Matchup]:
        """Return all possible matchups between known players, in the order of the schedule."""
        tournament, players = self.file.tournament, self.file.players
        if not players:
            self.missing("players", "at least two players, each like `mine: {command: bot:greedy}`")
        if not tournament.type:
            self.missing("tournament.type", f"expected {either(match_config.TYPES)}")
        for key, only in _KEYS_OF_TYPES.items():
            if getattr(tournament, key) is not None and tournament.type not in (*only, None):
                self.fault(f"tournament.{key}", f"belongs to a {either(only)}, not to a {tournament.type}")
        is_tuning = tournament.type == "tune"
        if not is_tuning:
            _refuse_placeholders(players.values(), self.node)
        if tournament.matchups is not None:
            self._add_listed_matchups(tournament)
            return list(self._matchups.values())
        game = self._game(self.file.defaults)
        size = 2 if game is None else len(self._rules[game.spec].colours)
        named = tuple(players) if tournament.players is None else tournament.players
        self._check_names(named, "tournament.players", 1 if is_tuning else size)
        if tournament.type == "swiss":
            self._check_rounds(tournament, len(named))
        elif tournament.pairs is None:
            self.missing("tournament.pairs", "each pair is two games, colours swapped")
        if game is not None:
            self._check_size(tournament.type, named, size)
        if is_tuning:
            return self._tuned_matchups(named, game)
        together = self._pair_players(tournament, named, size)
        if game is not None:
            for names in together:
                self._add(names, tournament.pairs or 1, game, self.file.defaults.limits)
        return list(self._matchups.values())

    def _add(self, names: Sequence[str], pairs: int, game: GameSettings, limits: Mapping[str, Any]) -> None:
        """Add a matchup of these players if all of them are known."""
        if all(name in self.file.players for name in names):
            id = unique("-".join(names), self._matchups)
            self._matchups[id] = Matchup(id, tuple(self._player(name, limits) for name in names), pairs, game)

    def _add_listed_matchups(self, tournament: TournamentBlock) -> None:
        """Add the matchups of a playoff, each with its own players, pairs and game."""
        for index, block in enumerate(tournament.matchups or ()):
            path = f"tournament.matchups[{index}]"
            names = block.players or ()
            self._check_names(names, f"{path}.players", 0)
            pairs = block.pairs or tournament.pairs
            if pairs is None:
                self.missing(f"{path}.pairs", "")
            whole = block.game.over(self.file.defaults)
            game = self._game(whole)
            if game is None:
                continue
            size = len(self._rules[game.spec].colours)
            if len(names) != size:
                self.fault(f"{path}.players", f"expected {'two' if size == 2 else 'three'} players")
            self._add(names, pairs or 1, game, whole.limits)

    def _tuned_matchups(self, names: Sequence[str], game: GameSettings | None) -> list[Matchup]:
        """Return the matchup that tunes and, if wanted, the matchup that confirms the result; [] after a fault."""
        tuning = self._tuning = _resolve_tuning(self.file.tournament, names, self.file.players, self.node)
        if tuning is None:
            return []
        player, name = tuning.player, tuning.player.name
        _refuse_placeholders((self.file.players[each] for each in names if each != name), self.node)
        if game is None:
            return []
        filled = tuning.fill(player, tuning.start)
        if isinstance(filled, player_config.BotConfig):
            with suppress(FieldUnreadable):
                BOT.read(self.node.child(f"players.{name}.command", filled.bot))
                filled = replace(filled, threads=max(filled.threads, describe(filled.bot).threads))
        limits = self.file.defaults.limits
        filled = replace(filled, limits=self._player(name, limits).limits)
        sides = (f"{name}+", f"{name}-") if tuning.method == "spsa" else (name, tuning.against or f"{name}-start")
        players = [
            self._player(each, limits) if each == tuning.against else replace(filled, name=each) for each in sides
        ]
        found = [Matchup(f"{name}-tune", tuple(players), tuning.pairs, game)]
        confirm = self.file.tournament.confirm
        if confirm is not None:
            players = [replace(filled, name=f"{name}-{end}") for end in ("tuned", "start")]
            found.append(Matchup(f"{name}-confirm", tuple(players), confirm, game))
        return found

    def _check_rounds(self, tournament: TournamentBlock, count: int) -> None:
        most = count - 1 if count % 2 == 0 else count
        if tournament.rounds is None:
            self.missing("tournament.rounds", f"{count} players can meet in up to {most} rounds")
        elif count > 1 and tournament.rounds > most:
            self.fault("tournament.rounds", f"expected at most {most}, after which all players have met")

    def _check_size(self, kind: str, names: Sequence[str], size: int) -> None:
        """Note a fault if the tournament does not suit games for `size` players."""
        if kind == "playoff" and len(names) > size:
            self.fault("tournament.players", f"a playoff has {size} players or matchups, not {len(names)} players")
        if kind in ("gauntlet", *match_config.ADAPTIVE) and size != 2:
            self.fault("tournament.type", f"{kind}: expected a game for two; use playoff or roundrobin")

    def _pair_players(self, tournament: TournamentBlock, names: Sequence[str], size: int) -> list[tuple[str, ...]]:
        """Return all combinations of players; in a gauntlet or with seeds, each seed with each of the other players."""
        if tournament.type != "gauntlet" and tournament.seeds is None:
            return list(combinations(names, size))
        seeds = tournament.seeds
        if seeds is None:
            self.missing("tournament.seeds", "the players who meet all the others")
            return []
        self._check_names(seeds, "tournament.seeds", 1)
        others = [name for name in names if name not in seeds]
        if not others:
            self.fault("tournament.players", "expected players besides the seeds")
        return [(seed, other) for other in others for seed in seeds]

    def _check_names(self, names: Sequence[str], path: str, fewest: int = 2) -> None:
        """Note a fault for each name that is unknown or given twice, and one if there are fewer names than `fewest`."""
        for index, name in enumerate(names):
            if name not in self.file.players:
                hint = nearest(name, list(self.file.players))
                self.fault(f"{path}[{index}]", f"no player is called {quote(name)}; {hint}")
            if name in names[:index]:
                self.fault(f"{path}[{index}]", f"{name} is named twice; a bot that plays itself needs two names")
        # A file without any players has been reported already, so say no more.
        if len(names) < fewest and self.file.players:
            said = _PLAYER_COUNTS.get(fewest) or f"{fewest} players, as this game is for {fewest}"
            self.fault(path, f"expected at least {said}")

    def openings(self) -> tuple[Opening, ...]:
        """Return the openings of the file, and note a fault for any that is not legal in every game of the match."""
        block = self.file.book
        found: tuple[Opening, ...] = ()
        for rules in self._rules.values() if block.file else ():
            try:
                path = self.node.folder / user_path(block.file)
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
            self.fault("openings.start", f"expected 1 to {len(found)}, the number of openings")
        return found

    def check_outputs(self) -> None:
        """Note a fault if the library for samples is missing, or if TLS files are given for an executor without TLS."""
        form = self.file.outputs.export
        if form != "none" and (missing := describe_missing(form)):
            self.fault("outputs.export", missing)
        if self.file.tls is not None and not self.file.executor.startswith(TLS):
            self.fault("tls", f"expected executor: {TLS}HOST:PORT with it, got {self.file.executor}")

    def stops(self, matchups: Sequence[Matchup]) -> Stops:
        """Return the stop rules. If an SPRT names no players and only two meet, it compares those two."""
        stops = self.file.stops
        if self.file.tournament.type in ("knockout", "halving", "tune") and stops != Stops():
            self.fault("stop", f"not allowed, as a {self.file.tournament.type} ends by itself")
        if stops.elo_error is not None and any(len(rules.colours) != 2 for rules in self._rules.values()):
            self.fault("stop.elo_error", "only games of two players give an Elo")
        test = stops.sprt
        if test is None:
            return stops
        path = "stop.sprt"
        pairs = {matchup.names for matchup in matchups if len(matchup.names) == 2}
        names = test.players
        if names:
            self._check_names(names, f"{path}.players")
        elif len(matchups) == 1 and pairs:
            names = matchups[0].names
        else:
            self.missing(f"{path}.players", "the two players to test, the first against the second")
        if names and matchups and not {names, names[::-1]} & pairs:
            self.fault(f"{path}.players", f"{' and '.join(names)} do not meet in this tournament")
        if test.elo1 is not None and test.elo1 <= test.elo0:
            self.fault(f"{path}.elo1", f"expected more than elo0, which is {test.elo0:g}")
        return replace(stops, sprt=replace(test, players=names))


def _read_rules(variant: str, options: Mapping[str, str], node: Node) -> Rules | None:
    """Return the rules for a SPEC and the options in the block at `node`; None after a fault."""
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
    return _make_rules(cls, {**given, **words}, words, node)


def _make_rules(cls: type[Rules], given: dict[str, str], options: Container[str], node: Node) -> Rules | None:
    """Return the rules with these options. If options are wrong, note a fault for each of them and return None."""
    try:
        return cls(given)
    except SpecError as error:
        about, _, said = str(error).partition("=")
        if about in options:
            node.child(f"options.{about}").fault(said)
        else:
            node.child("variant").fault(str(error))
        if about in given:
            _make_rules(cls, {key: word for key, word in given.items() if key != about}, options, node)
        return None


def _refuse_placeholders(players: Iterable[player_config.PlayerConfig], node: Node) -> None:
    """Note a fault for each bot with placeholders that nothing fills in, namely the fault of reading such a bot."""
    for player in players:
        if isinstance(player, player_config.BotConfig) and player_config.placeholders_in(player):
            with suppress(FieldUnreadable):
                BOT.read(node.child(f"players.{player.name}.command", player.bot))


def _resolve_tuning(
    tournament: TournamentBlock, names: Sequence[str], players: Mapping[str, player_config.PlayerConfig], node: Node
) -> match_config.TuningConfig | None:
    """Return the tuning settings of a tournament between players with these names; None after a fault."""
    parameters = tournament.parameters
    if parameters is None:
        node.child("tournament.parameters").missing("the numbers in braces in a player's command")
        return None
    for name, each in parameters.items():
        # A missing value has been reported already, so check complete parameters only.
        if None not in (each.start, each.low, each.high):
            place = node.child(f"tournament.parameters.{name}")
            if each.high <= each.low:
                place.child("max").fault(f"expected more than min, which is {each.low:g}")
            elif not each.low <= each.start <= each.high:
                place.child("start").fault(f"expected {each.low:g} to {each.high:g}, not {each.start:g}")
    known = [players[name] for name in names if name in players]
    tuned = [player for player in known if player_config.placeholders_in(player) & {*parameters}]
    if len(tuned) != 1:
        found = either([player.name for player in tuned]) if tuned else "no player"
        node.child("tournament.parameters").fault(f"expected one player whose command has these, not {found}")
        return None
    (player,) = tuned
    _check_placeholders(player, parameters, node)
    method = tournament.method or "spsa"
    others = [name for name in names if name != player.name]
    if len(others) > (method != "spsa"):
        most = "no other player, as spsa plays it against itself" if method == "spsa" else "at most one other player"
        node.child("tournament.players").fault(f"{player.name} is tuned; expected {most}")
    if node.faults:
        return None
    pairs, batch = tournament.pairs or 1, tournament.batch or match_config.BATCHES[method]
    return match_config.TuningConfig(player, parameters, method, pairs, batch, others[0] if others else "")


def _check_placeholders(
    player: player_config.PlayerConfig, parameters: Mapping[str, match_config.TuneParameter], node: Node
) -> None:
    """Note a fault for parameters without a placeholder, placeholders that nothing fills in, and a wrong `restart`."""
    found, path = player_config.placeholders_in(player), f"players.{player.name}"
    for name in parameters:
        if name not in found:
            node.child(f"tournament.parameters.{name}").fault(f"the command of {player.name} has no {{{name}}}")
    given = () if isinstance(player, player_config.BotConfig) else player_config.GIVEN_PLACEHOLDERS
    for name in sorted(found - set(parameters) - set(given)):
        node.child(f"{path}.command").fault(f"{{{name}}}: expected one of tournament.parameters")
    if not isinstance(player, player_config.ProgramConfig) or player.restart == "game":
        return
    # A program that is kept running cannot be given another command line, so its command must not change.
    if player_config.placeholders_in(replace(player, startup=())) & {*parameters}:
        why = "its command changes; expected game, or parameters in `startup` only"
        node.child(f"{path}.restart").fault(f"{player.restart}: {why}")
