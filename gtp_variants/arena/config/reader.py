"""Reads a match from YAML. Every fault is told at once, with its path and the nearest known key."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from gtp_variants import configs
from gtp_variants.arena.config import openings
from gtp_variants.arena.config.games_reader import GameBlock, GamesReader
from gtp_variants.arena.config.match_config import (
    MOST_PAIRS,
    GameSettings,
    MatchConfig,
    Matchup,
    Opening,
    Outputs,
    Sprt,
    Stops,
)
from gtp_variants.config import yaml
from gtp_variants.config.tree import either, nearest, shown
from gtp_variants.errors import ConfigError

TYPES = ("playoff", "roundrobin", "gauntlet", "swiss")
MODELS = ("normalized", "logistic", "bayesian")
FORMATS = ("text", "json", "html")

_TOP = (
    *("arena", "name", "description", "players", "defaults", "tournament", "openings", "stop", "seed"),
    *("concurrency", "executor", "outputs"),
)
_TOURNAMENT = ("type", "players", "seeds", "pairs", "rounds", "matchups")
_SPRT = ("players", "elo0", "elo1", "alpha", "beta", "model")


def load(path: Path) -> MatchConfig:
    """The match a file describes. Raises ConfigError with every fault, OSError if the file cannot be read."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError([f"byte {error.start}: not UTF-8"]) from None
    return read(text, path.stem, path.parent)


def read(text: str, name: str = "match", folder: Path = Path()) -> MatchConfig:
    """The match a YAML text describes; `name` unless it says its own; files it names are sought from `folder`."""
    tree, faults = yaml.read(text)
    return match_of(tree, name, folder, faults)


def match_of(tree: Any, name: str = "match", folder: Path = Path(), faults: Sequence[str] = ()) -> MatchConfig:
    """The match that a tree of dicts, lists and texts describes. `faults` were found when the tree was made."""
    reader = MatchReader(folder)
    reader.faults += faults
    config = reader.match(tree, name)
    if reader.faults or config is None:
        raise ConfigError(reader.faults)
    return config


# Who meets, how many pairs, under which settings.
_Meeting = tuple[tuple[str, ...], int, GameSettings, Mapping[str, Any]]


class MatchReader(GamesReader):
    """Reads the whole file: what stands beside players and games, and who meets whom."""

    # -- the file ------------------------------------------------------------------------------------------------------

    def match(self, tree: Any, name: str) -> MatchConfig | None:
        if not isinstance(tree, dict):
            self.fault("", "expected the keys of a match: " + ", ".join(_TOP))
            return None
        top = self.mapping(tree, "", _TOP)
        if "arena" not in top:
            self.fault("arena", "is missing; this version reads `arena: 1`")
        else:
            self.choice(top["arena"], "arena", ("1",))
        name = self.take(top, "name", "", self.name, name)
        outputs = self.outputs(top.get("outputs"), name)
        self.read_players(top.get("players"), outputs.gtp_log)
        base = self.settings(top.get("defaults"), "defaults")
        kind, rounds, matchups = self.tournament(top.get("tournament"), base)
        stops = self.stops(top.get("stop"), matchups)
        found, order, start = self.openings(top.get("openings"), matchups)
        limits = base.limits
        return MatchConfig(
            name,
            {player: given.under(limits) for player, given in self.players.items()},
            matchups,
            seed=self.take(top, "seed", "", self.text, ""),
            outputs=outputs,
            type=kind,
            swiss_rounds=rounds,
            openings=found,
            opening_file=Path(top["openings"]["file"]).name if found else "",
            opening_order=order,
            opening_start=start,
            stops=stops,
            concurrency=self.take(top, "concurrency", "", self.whole, 1),
            executor=self.take(top, "executor", "", self.executor, "local"),
            description=self.take(top, "description", "", self.text, "").strip(),
        )

    def executor(self, value: Any, path: str) -> str | None:
        word = self.text(value, path)
        if word is None or word in ("local", "dask") or word.startswith(("dask:tcp://", "dask:tls://")):
            return word
        self.fault(path, f"expected local, dask or dask:tcp://HOST:PORT, not {shown(word)}")
        return None

    def outputs(self, tree: Any, name: str) -> Outputs:
        path = "outputs"
        block = self.mapping(tree, path, ("dir", "db", "sgf", "gtp_log", "csv", "report"))
        report = self.mapping(block.get("report"), f"{path}.report", ("every", "format"))
        formats = self.texts(report["format"], f"{path}.report.format") if "format" in report else ()
        for index, each in enumerate(formats):
            self.choice(each, f"{path}.report.format[{index}]", FORMATS)
        folder = self.take(block, "dir", path, self.text, "out/{name}").replace("{name}", name)
        return Outputs(
            Path(folder).expanduser(),
            self.take(block, "db", path, self.db, "arena.db"),
            self.take(block, "sgf", path, self.sgf, "per-game"),
            self.take(block, "csv", path, self.truth, False),
            self.take(report, "every", f"{path}.report", self.whole, 0),
            formats,
            self.take(block, "gtp_log", path, self.log, "on-failure"),
        )

    def db(self, value: Any, path: str) -> str | None:
        word = self.text(value, path)
        if word is None or word.lower() in ("true", "yes", "on"):
            return None
        if word.lower() in ("false", "no", "off") or Path(word).name != word:
            self.fault(
                path, f"expected true or the name of a file in outputs.dir, not {shown(word)}; results live in it"
            )
            return None
        return word

    def sgf(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("per-game", "collection", "none"))

    def log(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("never", "on-failure", "always"))

    # -- who meets whom ------------------------------------------------------------------------------------------------

    def tournament(self, tree: Any, base: GameBlock) -> tuple[str, int, tuple[Matchup, ...]]:
        path = "tournament"
        block = self.mapping(tree, path, _TOURNAMENT)
        kind = self.take(block, "type", path, self.kind, "") if "type" in block else None
        if kind is None:
            self.fault(f"{path}.type", f"is missing; expected {either(TYPES)}")
        for key, only in {"seeds": "gauntlet", "rounds": "swiss", "matchups": "playoff"}.items():
            if key in block and kind not in (only, "", None):
                self.fault(f"{path}.{key}", f"belongs to a {only}, not to a {kind}")
        pairs = self.take(block, "pairs", path, self.count_of_pairs, None)
        if "matchups" in block:
            return "playoff", 0, self.matchups(block["matchups"], pairs, base)
        names = self.some_players(block.get("players", list(self.players)), f"{path}.players")
        if "pairs" not in block and kind != "swiss":
            self.fault(f"{path}.pairs", "is missing; each pair is two games, colours swapped")
        game = self.game(base)
        rounds = self.rounds(block, names) if kind == "swiss" else 0
        meetings = self.meetings(kind or "", block, names, game)
        if game is None or (pairs is None and kind != "swiss"):
            return kind or "", 0, ()
        found = [(meeting, pairs or 1, game, base.limits) for meeting in meetings]
        return kind or "", rounds, self.numbered(found)

    def kind(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, TYPES)

    def count_of_pairs(self, value: Any, path: str) -> int | None:
        found = self.whole(value, path)
        if found is not None and found > MOST_PAIRS:
            self.fault(path, f"expected at most {MOST_PAIRS}")
            return None
        return found

    def rounds(self, block: Mapping[str, Any], names: Sequence[str]) -> int:
        most = len(names) - 1 if len(names) % 2 == 0 else len(names)
        if "rounds" not in block:
            self.fault("tournament.rounds", f"is missing; {len(names)} players can meet in up to {most} rounds")
            return 0
        found: int = self.take(block, "rounds", "tournament", self.whole, 0)
        if len(names) > 1 and found > most:
            self.fault("tournament.rounds", f"expected at most {most}: then everybody has met everybody")
        return found

    def meetings(
        self, kind: str, block: Mapping[str, Any], names: list[str], game: GameSettings | None
    ) -> list[tuple[str, ...]]:
        """Everybody who can meet, in the order of the schedule."""
        size = 2 if game is None else len(self.rules_of[game.spec].colours)
        if game is not None and len(names) < size:
            self.fault("tournament.players", f"this game is for {size}, expected at least {size} players")
        if kind == "playoff" and game is not None and len(names) != size:
            self.fault("tournament.players", f"a playoff has {size} players or matchups, not {len(names)} players")
        if kind in ("gauntlet", "swiss") and size != 2:
            self.fault("tournament.type", f"a {kind} is for games of two; {size} meet in a playoff or roundrobin")
        if kind != "gauntlet":
            return list(combinations(names, size))
        if "seeds" not in block:
            self.fault("tournament.seeds", "is missing; the players who meet all the others")
            return []
        seeds = self.some_players(block["seeds"], "tournament.seeds", 1)
        others = [name for name in names if name not in seeds]
        if not others:
            self.fault("tournament.players", "there is nobody for the seeds to meet")
        return [(seed, other) for other in others for seed in seeds]

    def matchups(self, tree: Any, pairs: int | None, base: GameBlock) -> tuple[Matchup, ...]:
        if not isinstance(tree, list) or not tree:
            self.fault("tournament.matchups", "expected a list such as [{players: [a, b], pairs: 20}]")
            return ()
        found: list[_Meeting] = []
        for index, each in enumerate(tree):
            path = f"tournament.matchups[{index}]"
            block = self.mapping(each, path, ("players", "pairs", "game"))
            names = self.some_players(block.get("players"), f"{path}.players")
            count = self.take(block, "pairs", path, self.count_of_pairs, pairs)
            if count is None and "pairs" not in block:
                self.fault(f"{path}.pairs", "is missing")
            settings = self.settings(block.get("game"), f"{path}.game").over(base)
            game = self.game(settings)
            if game is None or count is None:
                continue
            size = len(self.rules_of[game.spec].colours)
            if len(names) != size:
                self.fault(f"{path}.players", f"expected {'two' if size == 2 else 'three'} players")
            elif all(name in self.players for name in names):
                found.append((tuple(names), count, game, settings.limits))
        return self.numbered(found)

    def some_players(self, tree: Any, path: str, fewest: int = 2) -> list[str]:
        names: list[str] = []
        for index, value in enumerate(self.listing(tree, path)):
            word = self.text(value, f"{path}[{index}]")
            if word is None:
                continue
            if word not in self.players:
                self.fault(
                    f"{path}[{index}]", f"no player is called {shown(word)}; {nearest(word, list(self.players))}"
                )
            if word in names:
                self.fault(f"{path}[{index}]", f"{word} is named twice; a bot that plays itself needs two names")
            names.append(word)
        if len(names) < fewest:
            self.fault(path, f"expected at least {'two players' if fewest == 2 else 'one player'}")
        return names

    def numbered(self, meetings: Sequence[_Meeting]) -> tuple[Matchup, ...]:
        """Matchups named after their players; those of a name that is taken get a number."""
        taken: set[str] = set()
        found = []
        for names, pairs, game, limits in meetings:
            if not all(name in self.players for name in names):
                continue
            id = wanted = "-".join(names)
            number = 1
            while id in taken:
                number += 1
                id = f"{wanted}-{number}"
            taken.add(id)
            players = tuple(self.players[name].under(limits) for name in names)
            found.append(Matchup(id, players, pairs, game))
        return tuple(found)

    # -- openings and stops --------------------------------------------------------------------------------------------

    def openings(self, tree: Any, matchups: Sequence[Matchup]) -> tuple[tuple[Opening, ...], str, int]:
        path = "openings"
        if tree is None:
            return (), "random", 1
        block = self.mapping(tree, path, ("file", "order", "plies", "start"))
        order = self.take(block, "order", path, self.order, "random")
        start = self.take(block, "start", path, self.whole, 1)
        plies = self.take(block, "plies", path, self.whole, None)
        if "file" not in block:
            self.fault(f"{path}.file", "is missing; an SGF file, a folder of them, or a text of moves")
            return (), order, start
        if any(matchup.game.handicap for matchup in matchups):
            self.fault(path, "handicap stones and openings do not go together")
        word = self.text(block["file"], f"{path}.file")
        found: tuple[Opening, ...] = ()
        for spec in dict.fromkeys(matchup.game.spec for matchup in matchups) if word else ():
            try:
                found = openings.load(self.opening_file(str(word)), self.rules_of[spec], plies)
            except ConfigError as error:
                for fault in error.faults:
                    self.fault(f"{path}.file", fault)
            except OSError as error:
                self.fault(f"{path}.file", f"{shown(str(word))} cannot be read: {error.strerror or error}")
                break
        if found and start > len(found):
            self.fault(f"{path}.start", f"expected 1 to {len(found)}: so many openings there are")
        return found, order, start

    def order(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("random", "sequential"))

    def opening_file(self, word: str) -> Path:
        """A file beside the match, or the name of one of ours."""
        path = self.folder / Path(word).expanduser()
        return path if path.exists() else configs.openings(word)

    def stops(self, tree: Any, matchups: Sequence[Matchup]) -> Stops:
        block = self.mapping(tree, "stop", ("sprt", "elo_error", "games"))
        sprt = self.sprt(block["sprt"], matchups) if "sprt" in block else None
        if "elo_error" in block and any(len(matchup.players) != 2 for matchup in matchups):
            self.fault("stop.elo_error", "there is no Elo in games of three")
        return Stops(
            sprt,
            self.take(block, "elo_error", "stop", self.positive, None),
            self.take(block, "games", "stop", self.whole, None),
        )

    def sprt(self, tree: Any, matchups: Sequence[Matchup]) -> Sprt | None:
        path = "stop.sprt"
        block = self.mapping(tree, path, _SPRT)
        pairs = {matchup.names for matchup in matchups if len(matchup.players) == 2}
        if "players" in block:
            names = tuple(self.some_players(block["players"], f"{path}.players"))
        elif len(matchups) == 1 and pairs:
            names = matchups[0].names
        else:
            self.fault(f"{path}.players", "is missing; the two players it is about, the first against the second")
            names = ()
        if names and matchups and not {names, names[::-1]} & pairs:
            self.fault(f"{path}.players", f"{' and '.join(names)} do not meet in this tournament")
        elo0 = self.take(block, "elo0", path, self.number, 0.0)
        elo1 = self.take(block, "elo1", path, self.number, None)
        if "elo1" not in block:
            self.fault(f"{path}.elo1", "is missing; how much stronger the first player is if the test is to accept it")
        elif elo1 is not None and elo1 <= elo0:
            self.fault(f"{path}.elo1", f"expected more than elo0, which is {elo0:g}")
        if len(names) != 2 or elo1 is None:
            return None
        alpha = self.take(block, "alpha", path, self.share, 0.05)
        beta = self.take(block, "beta", path, self.share, 0.05)
        model = self.take(block, "model", path, self.model, "normalized")
        return Sprt((names[0], names[1]), elo0, elo1, alpha, beta, model)

    def model(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, MODELS)
