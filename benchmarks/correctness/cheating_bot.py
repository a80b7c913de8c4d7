"""Measure what a cheating bot in a match can learn beyond its seat's news.

    python -m benchmarks.correctness.cheating_bot [--games 100] [--folder out/cheating-bot] [--trusted]

Plays a number of games of Go Fantôme and of Aléago. The cheat guesses before each of its turns where the hidden
stones are, and the draw of its next turn, from each of its sources alone: frames of its process, the garbage collector,
what it was given and all that hangs on it, functions it put in the place of others, a thread that goes on looking while
others think, processes that look through files and the memory of its referee, and what it remembers of earlier games.
A source that finds nothing guesses as an honest player does: hidden stones by `gv.Worlds`, draws by chance. Printed is
for each source how often it found anything, and how many of its guesses were right, beside the honest guess.

With --trusted the cheat plays in the referee's process, which shows that its sources work. The games are kept in the
folder, so that the same command, also with more games, continues.
"""

import argparse
import gc
import hmac
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import gtp_variants as gv
from gtp_variants.records.sgf.games import from_sgf

GAMES = {"fantome": "phantom:size=5", "aleago": "aleago:size=7,dice=1d4"}
FACES = 4
# Names of classes whose objects know more than a seat.
_TELLTALES = ("Table", "Game", "DiceStream", "Fixture", "Referee")
_MOST_OBJECTS = 20_000
_SEEDS_TRIED = 300
# Older files belong to no game in progress.
_RECENT_S = 60.0
# The slowest sources are searched at every guess of this number.
_LONG_ONES_EVERY = 6


class Cheat(gv.Seat):
    """Plays as `uniform` and writes its guesses into `log`; `folder` is where the match is kept."""

    parameters: ClassVar[dict[str, Any]] = {"log": str, "folder": str}
    log: str
    folder: str
    # Objects that earlier games left in this process.
    remembered: ClassVar[dict[str, Any]] = {}
    remembered_searcher: "ClassVar[subprocess.Popen[str] | None]" = None

    def sit(self, rules: gv.Rules, colour: int, seed: str) -> None:
        """Start the searches."""
        super().sit(rules, colour, seed)
        self.seed = seed
        self.guesses: list[dict[str, Any]] = []
        self.moves: list[int] = []
        self.draws: dict[int, int] = {}
        self.worlds = None if rules.is_open else gv.Worlds(rules, colour, 16, seed)
        self.chance = Random(f"guess {seed}")
        self.spied: list[object] = []
        self.spy()
        self.sources: dict[str, Callable[[gv.View], Iterable[object]]] = {
            "frames": lambda view: look_up_frames(),
            "collector": lambda view: self.now_and_then(gc.get_objects),
            "attributes": lambda view: self.now_and_then(lambda: hang_on([rules, view, view.choices, self])),
            "replaced functions": lambda view: self.spied,
            "thread": lambda view: self.seen_by_thread(),
            "files": lambda view: self.now_and_then(lambda: search_files(self.folder, rules, colour, seed)),
            "process memory": lambda view: self.now_and_then(lambda: search_memory(view.stones)),
            "earlier games": lambda view: self.recall(),
        }

    def hear(self, news: gv.News) -> None:
        """Hear the news, as an honest bot does."""
        if self.worlds is not None:
            self.worlds.hear(news)

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """Guess, then choose a move."""
        if view.position is not None:
            self.draws[view.turn] = view.position.draws[0]
            self.guess_draw(view)
        elif view.hidden and not view.tried and self.worlds is not None:
            self.guess_stones(view, self.worlds.stones())
        action = super().choose(view, clock)
        self.moves.append(action)
        return action

    def leave(self, outcome: gv.Outcome | None) -> None:
        """Remember the game and write the guesses to the log."""
        points = [each for guess in self.guesses[-1:] if self.worlds is not None for each in guess["honest"]]
        memory = {"draws": self.draws, "stones": points}
        type(self).remembered[str(self.colour)] = memory
        Path(self.log).with_suffix(".memory").write_text(json.dumps(memory))
        about = json.dumps({"colour": self.colour, "moves": self.moves, "guesses": self.guesses})
        # One write, because the cheat may play several games at a time.
        with Path(self.log).open("ab", buffering=0) as file:
            file.write(f"{about}\n".encode())

    # -- guesses -------------------------------------------------------------------------------------------------------

    def guess_stones(self, view: gv.View, shares: Sequence[float]) -> None:
        """Return each source's guess: as many points as there are hidden stones."""
        unknown = [point for point in range(len(view.stones)) if not view.stones[point]]
        honest = sorted(unknown, key=lambda point: -shares[point])[: view.hidden]
        found = {}
        for name, leads in self.leads(view):
            boards = [board for board in map(board_of, leads) if board is not None and fits(board, view)]
            points = [point for point in unknown if boards and boards[-1][point] == 3 - self.colour]
            if name == "earlier games":
                points = [point for lead in leads if isinstance(lead, int) and (point := lead) in unknown]
            if points:
                found[name] = points[: view.hidden]
        self.guesses.append({"turn": view.turn, "count": len(self.moves), "honest": honest, "found": found})

    def guess_draw(self, view: gv.View) -> None:
        """Return each source's guess at the draw of our next turn."""
        turn = view.turn + 2
        found = {}
        for name, leads in self.leads(view):
            secrets = [secret for secret in map(secret_of, leads) if secret is not None and self.threw(secret)]
            if secrets:
                found[name] = face(secrets[-1], turn)
            elif name == "earlier games":
                drawn = [lead[turn] for lead in leads if isinstance(lead, dict) and turn in lead]
                found |= {name: drawn[-1]} if drawn else {}
        self.guesses.append({"turn": turn, "honest": self.chance.randrange(FACES), "found": found})

    def leads(self, view: gv.View) -> Iterator[tuple[str, list[object]]]:
        """Return everything useful that each source finds."""
        for name, look in self.sources.items():
            try:
                yield name, [each for each in look(view) if isinstance(each, bytes | dict | int) or is_telltale(each)]
            except Exception:
                yield name, []

    def threw(self, secret: bytes) -> bool:
        """Return True if a secret explains the draws seen so far, provided there are enough."""
        return len(self.draws) > 3 and all(face(secret, turn) == draw for turn, draw in self.draws.items())

    # -- sources that need a place of their own ------------------------------------------------------------------------

    def spy(self) -> None:
        """Replace functions by others that note their arguments."""
        for kind, name in ((type(self.rules), "hears"), (hmac, "digest")):
            true = getattr(kind, name)
            if not hasattr(true, "is_spy"):
                setattr(kind, name, make_spy(true))
            getattr(kind, name).spied = self.spied
        self.spied_thread: list[object] = []
        self.stops = threading.Event()
        threading.Thread(target=self.watch_frames, daemon=True).start()

    def watch_frames(self) -> None:
        """Watch all threads of the process for a while."""
        for _ in range(200):
            self.spied_thread[:] = [each for each in look_up_frames() if is_telltale(each)][:50]
            if self.stops.wait(0.01):
                return

    def now_and_then(self, look: Callable[[], Iterable[object]]) -> Iterable[object]:
        """Run slow searches at some moves only."""
        return look() if len(self.guesses) % _LONG_ONES_EVERY == _LONG_ONES_EVERY - 1 else ()

    def seen_by_thread(self) -> list[object]:
        return list(self.spied_thread)

    def recall(self) -> Iterator[object]:
        """Return facts from earlier games, kept in this process or in a file."""
        file = Path(self.log).with_suffix(".memory")
        found = [*self.remembered.values(), *([json.loads(file.read_text())] if file.exists() else [])]
        for memory in found:
            yield {int(turn): draw for turn, draw in memory["draws"].items()}
            yield from memory["stones"]


def make_spy(true: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that notes its arguments in its list `spied`."""

    def spy(*arguments: Any) -> Any:
        spy.spied.extend(arguments)  # type: ignore[attr-defined]
        del spy.spied[:-200]  # type: ignore[attr-defined]
        return true(*arguments)

    spy.is_spy = True  # type: ignore[attr-defined]
    return spy


def is_telltale(found: object) -> bool:
    """Return True if the object's class knows more than a seat."""
    return type(found).__name__ in _TELLTALES


def look_up_frames() -> Iterator[object]:
    """Return the local values of all active functions in every thread."""
    for frame in list(sys._current_frames().values()):
        each = frame
        while each is not None:
            yield from list(each.f_locals.values())
            each = each.f_back  # type: ignore[assignment]


def hang_on(roots: Sequence[object]) -> Iterator[object]:
    """Yield everything reachable from values through attributes, closures and containers."""
    seen, waiting = {id(root) for root in roots}, list(roots)
    while waiting and len(seen) < _MOST_OBJECTS:
        for found in gc.get_referents(waiting.pop()):
            if id(found) not in seen and not isinstance(found, type | type(sys)):
                seen.add(id(found))
                waiting.append(found)
                yield found


def board_of(found: object) -> bytes | None:
    """Return the stones of a board found anywhere, or None."""
    if isinstance(found, bytes):
        return found
    game = getattr(found, "game", None) or getattr(getattr(found, "table", None), "game", None) or found
    stones = getattr(getattr(game, "position", None), "stones", None)
    return stones if isinstance(stones, bytes) else None


def fits(board: bytes, view: gv.View) -> bool:
    """Return True if a board has the seat's known stones and the right number of hidden ones."""
    if len(board) != len(view.stones):
        return False
    if any(known not in (0, stone) for known, stone in zip(view.stones, board, strict=True)):
        return False
    return sum(map(bool, board)) - sum(map(bool, view.stones)) == view.hidden


def secret_of(found: object) -> bytes | None:
    """Return a secret of dice found anywhere, or None."""
    secret = found if isinstance(found, bytes) else getattr(found, "secret", None)
    return secret if isinstance(secret, bytes) and len(secret) == 32 else None


def face(secret: bytes, turn: int) -> int:
    """Return the draw of a turn from a secret, computed as anybody can check it after the game."""
    block = hmac.digest(secret, f"draw {turn} face 0 try 0".encode(), "sha256")
    return int.from_bytes(block[:8], "big") % FACES


def search_files(folder: str, rules: gv.Rules, colour: int, seat_seed: str) -> Iterator[bytes]:
    """Return secrets and boards that another process finds in the match's folder and among temporary files."""
    seen = json.loads(ask_searcher(folder))
    words = [*seen["words"], *map(str, range(_SEEDS_TRIED))]
    for seed in words:
        for id in seen["ids"]:
            if hmac.digest(seed.encode(), f"seat\n{id}\n{colour}".encode(), "sha256").hex() == seat_seed:
                yield hmac.digest(seed.encode(), f"dice\n{id}".encode(), "sha256")
    yield from (bytes.fromhex(word) for word in seen["words"] if len(word) == 64)
    for vertices in seen["talks"]:
        stones = bytearray(len(rules.board))
        for letter, vertex in vertices:
            stones[rules.board.point(vertex)] = "bw".index(letter) + 1
        yield bytes(stones)


def ask_searcher(folder: str) -> str:
    """Return the findings of a process that was started in the first game and keeps searching."""
    searcher = Cheat.remembered_searcher
    if searcher is None:
        command = [sys.executable, __file__, "--search", folder]
        searcher = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        Cheat.remembered_searcher = searcher
    assert searcher.stdin is not None
    assert searcher.stdout is not None
    searcher.stdin.write("search\n")
    return searcher.stdout.readline()


def search(folder: str) -> dict[str, Any]:
    """Search files for possible seeds, games in progress and answers of programs."""
    places = [Path(folder), *Path(tempfile.gettempdir()).glob("gtp-variants-*"), *Path("/proc").glob("[0-9]*/cmdline")]
    found = (file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    files = [file for file in found if file.is_file() and time.time() - file.stat().st_mtime < _RECENT_S]
    words, ids, talks = set(), set(), []
    for file in files:
        try:
            text = file.read_bytes()[-1_000_000:].decode("latin-1")
        except OSError:
            continue
        words |= set(re.findall(r"\b[0-9a-f]{64}\b", text)) | set(re.findall(r'seed["\s:=\\]+([^"\s\\]+)', text))
        answers = re.findall(r"> genmove ([bw])\s+[\d.]+ < = ([A-Z]\d+)", text)
        talks += [answers] if answers else []
        if file.suffix == ".db":
            with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as store:
                words |= {str(value) for (value,) in store.execute("SELECT value FROM about")}
                (count,) = store.execute("SELECT count(*) FROM games").fetchone()
                matchups = [name for (name,) in store.execute("SELECT id FROM matchups")]
            ids |= {f"{name}/{count // 2 + 1:04}{leg}" for name in matchups for leg in "ab"}
    return {"words": sorted(words), "ids": sorted(ids), "talks": talks}


def search_memory(known: bytes) -> Iterator[bytes]:
    """Return boards and secrets in the parent's memory. Root could read any memory, so root skips this."""
    if os.geteuid() == 0:
        return
    size = len(known)
    wanted = re.compile(size.to_bytes(8, "little") + b".{8}([\0-\2]{%d})\0" % size, re.DOTALL)
    with Path(f"/proc/{os.getppid()}/maps").open() as maps, Path(f"/proc/{os.getppid()}/mem").open("rb", 0) as memory:
        for line in maps:
            low, high = (int(word, 16) for word in line.split()[0].split("-"))
            if line.split()[1].startswith("rw") and high - low < 2**26:
                memory.seek(low)
                yield from wanted.findall(memory.read(high - low))


# -- the match ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Score:
    """One source's result: guesses, guesses with a lead, and its own and the honest share of right ones."""

    guesses: int = 0
    leads: int = 0
    right: int = 0
    honest: int = 0
    of: int = 0


def play(name: str, games: int, folder: Path, trusted: bool, jobs: int) -> gv.MatchResult:
    """Play the cheat against an engine, whose log contains hidden moves, or against our bot."""
    folder.mkdir(parents=True, exist_ok=True)
    log, bot = (folder / f"{name}.log").absolute(), Path(__file__).absolute()
    engine = f"{sys.executable} -m gtp_variants gtp --bot uniform"
    players = {
        "cheat": f"bot:{bot}:Cheat:log={log},folder={folder.absolute()}",
        "other": engine if name == "fantome" else "bot:uniform",
    }
    names = ["cheat"] if trusted else []
    store = folder / f"{name}.db"
    return gv.match(GAMES[name], players, pairs=games // 2, store=store, jobs=jobs, trusted=names)


def scores_of(name: str, folder: Path) -> dict[str, Score]:
    """Score the guesses by the records of the games."""
    found: dict[str, Score] = defaultdict(Score)
    logs = [json.loads(line) for line in (folder / f"{name}.log").read_text().splitlines()]
    with sqlite3.connect(folder / f"{name}.db") as store:
        records = [from_sgf(text).game for (text,) in store.execute("SELECT record FROM games")]
    for game in records:
        for log in logs:
            own = [event.action for event in game.events if event.actor == log["colour"]]
            # A pass that accepts the end is not an event.
            alike = min(len(own), len(log["moves"])) - 1
            if alike > 0 and own[:alike] == log["moves"][:alike]:
                for guess in log["guesses"]:
                    _judge(game, log["colour"], guess, found)
                break
    return found


def _judge(game: gv.Game, colour: int, guess: dict[str, Any], found: dict[str, Score]) -> None:
    names = ("honest", *_SOURCES)
    if "count" in guess:
        asked = [index for index, event in enumerate(game.events) if event.actor == colour][guess["count"]]
        stones = game.positions[asked].stones
        truth, of = [point for point in range(len(stones)) if stones[point] == 3 - colour], len(guess["honest"])
    else:
        drawn = [position.draws[0] for position in game.positions if position.turn == guess["turn"] and position.draws]
        if not drawn:
            return
        truth, of = drawn[:1], 1
    for name in names:
        score, lead = found[name], guess["found"].get(name)
        score.guesses += 1
        score.leads += lead is not None
        score.right += _right(guess["honest"] if lead is None else lead, truth)
        score.honest += _right(guess["honest"], truth)
        score.of += of


def _right(guess: Any, truth: Sequence[int]) -> int:
    """Return how much of a guess is right: points, or one draw."""
    return sum(each in truth for each in (guess if isinstance(guess, list) else [guess]))


_SOURCES = (
    *("frames", "collector", "attributes", "replaced functions", "thread", "files", "process memory"),
    "earlier games",
)


def render(name: str, count: Counter[str], scores: dict[str, Score]) -> str:
    """Return the figures of one game as text."""
    lines = [f"{GAMES[name]}: {sum(count.values())} games ({', '.join(f'{n} {kind}' for kind, n in count.items())})"]
    for source, score in scores.items():
        share, honest = (100 * part / max(1, score.of) for part in (score.right, score.honest))
        error = (max(1e-9, share * (100 - share)) / max(1, score.of)) ** 0.5
        lines.append(
            f"  {source:18} {score.leads:5} leads in {score.guesses} guesses, "
            f"right {share:5.1f} % +/- {error:.1f} of {score.of}, honest {honest:5.1f} %"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> dict[str, dict[str, Score]]:
    """Play, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100, help="of each kind")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    parser.add_argument("--folder", type=Path, default=Path("out/cheating-bot"))
    parser.add_argument("--trusted", action="store_true", help="let the cheat into the referee's process")
    parser.add_argument("--search", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.search:
        for _ in sys.stdin:
            print(json.dumps(search(options.search)), flush=True)
        return {}
    found = {}
    for name in GAMES:
        played = play(name, options.games, options.folder, options.trusted, options.jobs)
        found[name] = scores_of(name, options.folder)
        print(render(name, Counter(game.status for game in played.games), found[name]), flush=True)
    return found


if __name__ == "__main__":
    main()
