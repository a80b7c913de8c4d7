"""The command `gtp-variants match`, which plays, checks, reports and merges matches between bots and GTP engines."""

import argparse
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count

from gtp_variants import configs
from gtp_variants.ai.backend import announcement
from gtp_variants.arena.config import configure, resolve
from gtp_variants.arena.config.match_config import FORMATS, MatchConfig, Stops
from gtp_variants.arena.config.player_config import BotConfig, identity
from gtp_variants.arena.report import plan, text_report
from gtp_variants.arena.report.files import MatchFiles
from gtp_variants.arena.report.game_publisher import broadcast
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.report.text_report import follow
from gtp_variants.arena.run.preflight import find_repeating, prepare, try_players
from gtp_variants.arena.run.runner import COMPLETE, INTERRUPTED, WRONG, RunOptions, RunStatus, run
from gtp_variants.arena.schedule import WHOLE, Shard, count_games
from gtp_variants.arena.store import MatchStore
from gtp_variants.base.config_files import list_faults
from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.cores import available_cores
from gtp_variants.cli.commands import called_as
from gtp_variants.cli.parser import COUNT, CommandParser, add_watch_option, language_of
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.lang import say, translate_fault
from gtp_variants.players.publisher import Place
from gtp_variants.rules import parse

_SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


def parser() -> CommandParser:
    made = CommandParser(
        "match",
        usage="%(prog)s FILE [ACTION] [options]\n       %(prog)s --variant SPEC --player A --player B [options]",
    )
    made.parts["pairs"] = configure.USUAL_PAIRS
    made.parts["ours"] = ", ".join(configs.names())
    made.add_argument("words", nargs="*", metavar="FILE")
    made.add_argument("--seed", metavar="TEXT")
    made.add_argument("--max-games", type=COUNT.read_whole, metavar="N")
    made.add_argument("-j", "--jobs", type=COUNT.read_whole, metavar="N")
    made.add_argument("--shard", type=_shard, metavar="K/N")
    made.add_argument("--only", metavar="PLAYER")
    add_watch_option(made)
    made.add_argument("--quiet", action="store_true")
    made.add_argument("--json", action="store_true")
    made.add_argument("--csv", action="store_true")
    configure.add_options(made)
    made.suggested["words"] = [*configs.names(), *ACTIONS]
    return made


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status. Prints ConfigErrors; raises OSErrors and other VariantsErrors."""
    asked = parser()
    options = asked.parse_intermixed_args(arguments)
    words = list(options.words)
    name = "the command line" if options.player else words.pop(0) if words else ""
    if not name:
        asked.error("expected a FILE, or --variant and at least two of --player")
    action = words.pop(0) if words else "run"
    if action not in ACTIONS:
        beside = ", as there is no FILE beside --player" if options.player else ""
        asked.error(f"{action[:40]!r}: expected one of {', '.join(ACTIONS)}{beside}")
    if words and action != "merge":
        asked.error(f"{words[0][:40]!r}: expected only options after {action}")
    used = [] if options.player else configure.used_options(options)
    if used and (action, used) != ("plan", ["--elo-error"]):
        asked.error(f"{used[0]} is only for a match without a file; write it into the file")
    for option, only in (("only", "reset"), ("shard", "run"), ("watch", "run")):
        if getattr(options, option) is not None and action != only:
            asked.error(f"--{option} is for {only}, not for {action}")
    options.others, options.lang = [user_path(word) for word in words], language_of(options)
    try:
        return _act(name, ACTIONS[action], options)
    except ConfigError as error:
        sys.stderr.write(list_faults(name, error, partial(translate_fault, lang=options.lang)))
        return WRONG


def _act(name: str, action: "Action", options: argparse.Namespace) -> int:
    path = user_path(name)
    path = path if options.player or path.is_file() else configs.path(name)
    config = configure.match_of(options) if options.player else resolve.load(path)
    if options.player and options.dir is None:
        config = _find_version(config, options, may_be_new=action is _run)
    with MatchStore(config.store_file) as store:
        return action(_complete(config, store, options), store, options)


def _complete(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> MatchConfig:
    """Return a match with the seed and dice of its options or its stored games."""
    if options.seed is not None:
        config = replace(config, seed=options.seed)
    elif not config.seed:
        config = replace(config, seed=store.seed(), has_fresh_seeds=bool(store.seed()))
    return replace(config, dice=config.dice or store.dice())


def _find_version(config: MatchConfig, options: argparse.Namespace, *, may_be_new: bool) -> MatchConfig:
    """Return the match in the folder whose games had these players and settings: out/NAME, out/NAME-2 and so on.

    If no folder fits, return the match in a new folder or, unless `may_be_new`, in the last folder.
    """
    found, earlier, why = config, config, ""
    for number in count(2):
        with MatchStore(found.store_file) as store:
            is_stored = store.path.is_file()
            changes = store.changes(_complete(found, store, options)) if is_stored else []
        if not changes:
            break
        earlier, why = found, "; ".join(map(str, changes))
        folder = config.folder.with_name(f"{config.folder.name}-{number}")
        found = replace(config, outputs=replace(config.outputs, folder=folder))
    if is_stored or not why:
        return found
    if not may_be_new:
        return earlier
    parts = {"changes": why, "folder": found.folder, "earlier": earlier.folder}
    sys.stderr.write(say("match.new_version", options.lang, **parts) + "\n")
    return found


def _shard(text: str) -> Shard:
    found = _SHARD.fullmatch(text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ValueError("expected a part such as 3/64")
    return Shard(int(found[1]), int(found[2]))


@contextmanager
def _lock(store: MatchStore) -> Iterator[None]:
    """Hold the lock of a match. Raises VariantsError if another process holds it."""
    with store.lock() as is_ours:
        if not is_ours:
            raise VariantsError(f"another process is playing this match in {store.path.parent}; `stop` it first")
        yield


def _run(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    if options.shard is not None:
        config = _in_part(config)
    with _lock(store):
        if not options.quiet:
            bots = [player.threads for player in config.players.values() if isinstance(player, BotConfig)]
            sys.stderr.write(f"{announcement(max(bots, default=1), options.lang)}\n")
        place = None if options.watch is None else Place(options.watch)
        config = prepare(config, store)
        jobs = options.jobs or config.concurrency
        _warn(config, jobs, options.lang)
        part = RunOptions(jobs, options.max_games, options.shard or WHOLE)
        files = MatchFiles(config, store)
        kept = store.rows()
        with follow(config, kept, options.quiet, options.lang) as screen, broadcast(config, place) as shown:
            ending = run(config, store, part, [files, screen, *shown])
        files.finish()
    result = Result(config, store.rows(), ending.status)
    _print(result, options)
    _say(ending, result, options, is_new=len(kept) < len(result.every_row))
    return ending.status


def _in_part(config: MatchConfig) -> MatchConfig:
    """Return the settings for a match that several machines share: the same settings without rules for an early end.

    Such rules cannot work, because no machine knows the whole result. Raises ConfigError if the match cannot be shared.
    """
    if config.is_adaptive:
        why = "cannot be shared among machines: its pairings depend on the results"
        raise ConfigError([f"tournament.type: a {config.tournament.type} {why}"])
    if not config.seed:
        raise ConfigError(["seed: missing; all parts need the same seed, in the file or by --seed"])
    return replace(config, stops=Stops())


def _warn(config: MatchConfig, jobs: int, lang: str) -> None:
    cores, found = available_cores(), []
    # In each game only one player thinks at a time, so only the largest number of threads counts.
    threads = max((player.threads for player in config.players.values()), default=1)
    if jobs * threads > cores and config.executor == "local":
        found.append(say("match.few_cores", lang, jobs=jobs, threads=threads, cores=cores))
    pairs = max((matchup.pairs for matchup in config.matchups), default=0) * max(1, config.swiss_rounds)
    if 0 < len(config.openings) < pairs:
        openings = len(config.openings)
        found.append(say("match.few_openings", lang, openings=openings, pairs=pairs, first=openings + 1))
    for sentence in [*found, *(translate_fault(each, lang) for each in find_repeating(config))]:
        sys.stderr.write(f"{say('match.warning', lang, text=sentence)}\n")


def _print(result: Result, options: argparse.Namespace) -> None:
    if options.json:
        sys.stdout.write(json.dumps(result.as_json(), ensure_ascii=False) + "\n")
    elif options.csv:
        sys.stdout.write(text_report.as_csv(result.rows))
    else:
        sys.stdout.write(text_report.render_text(result, options.lang) + "\n")


def _say(ending: RunStatus, result: Result, options: argparse.Namespace, *, is_new: bool) -> None:
    """Print how the match ended, `is_new` if this run has played games, and what the user can do next."""
    if ending.status != COMPLETE:
        resume = say("match.resume", options.lang) if ending.status == INTERRUPTED else ""
        sys.stderr.write(f"{translate_fault(ending.why, options.lang)}{resume}\n")
        return
    if options.quiet:
        return
    lang, program = options.lang, called_as()
    lines = [text_report.summarise(result, lang), "" if is_new else say("match.nothing_new", lang)]
    records = [path for row in result.every_row if (path := result.config.folder / f"{row.id}.sgf").is_file()]
    if records:
        lines.append(say("match.to_see", lang, program=program, record=shlex.quote(str(records[-1]))))
    if len(specs := {matchup.game.spec for matchup in result.config.matchups}) == 1:
        lines.append(say("match.to_play", lang, program=program, spec=parse(specs.pop()).short_spec))
    lines.append(say("match.folder", lang, folder=result.config.folder))
    sys.stderr.write("".join(f"{line}\n" for line in lines if line))


def _show(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    for change in store.changes(config):
        warning = say("match.other_settings", options.lang, change=change)
        sys.stderr.write(f"{say('match.warning', options.lang, text=warning)}\n")
    _print(Result(config, store.rows()), options)
    return COMPLETE


def _report(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    config = replace(config, outputs=replace(config.outputs, csv=True))
    for path in MatchFiles(config, store).finish(FORMATS):
        sys.stdout.write(f"{path}\n")
    return COMPLETE


def _check(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    lang = options.lang
    lines = [say("match.games_in", lang, name=config.name, count=count_games(config), folder=config.folder)]
    lines += plan.describe_meetings(config, lang)
    lines += [say("match.openings_count", lang, count=len(config.openings))] if config.openings else []
    for name, player in try_players(config).players.items():
        about = identity(player)
        bot = about.get("bot") or about.get("command")
        lines.append(say("match.ready", lang, name=name, bot=bot, version=about["version"]))
    sys.stdout.write("\n".join(lines) + "\n")
    return COMPLETE


def _plan(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    result, jobs = Result(config, rows := store.rows()), options.jobs or config.concurrency
    wished = None if options.elo_error is None else configure.read_option("elo_error", options.elo_error)
    games = plan.render_games(config, rows, jobs, options.lang)
    sys.stdout.write(f"{games}\n\n{plan.render_plan(config, result, jobs, wished, options.lang)}\n")
    return COMPLETE


def _merge(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    if not options.others:
        raise ConfigError(["merge: expected the stores of the other parts: match FILE merge OTHER.db..."])
    with _lock(store), ExitStack() as opened:
        for path in options.others:
            if not path.is_file():
                raise ConfigError([f"{path}: no such file"])
            other = opened.enter_context(MatchStore(path))
            config = replace(config, dice=config.dice or other.dice())
            for change in other.changes(replace(config, seed=config.seed or other.seed())):
                raise VariantsError(f"{other.path}: played with other settings: {change}")
            new, known, otherwise = store.merge(other)
            warning = say("match.otherwise", options.lang, count=otherwise) if otherwise else ""
            said = say("match.merged", options.lang, path=path, new=new, known=known)
            sys.stdout.write(f"{said}{warning}\n")
        sys.stdout.write(say("match.here", options.lang, count=len(store.rows()), of=count_games(config)) + "\n")
        MatchFiles(config, store).finish()
    return COMPLETE


def _reset(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    if options.only is not None and options.only not in config.players:
        raise ConfigError([f"--only: no player is called {options.only[:40]!r}; known: {', '.join(config.players)}"])
    deleted = 0
    if store.path.is_file():
        with _lock(store):
            ids = [row.id for row in store.rows().values() if options.only in (None, *row.players)]
            deleted = store.forget(options.only)
        if options.only is None:
            store.delete()
        MatchFiles(config, store).delete(ids)
    sys.stdout.write(say("match.deleted", options.lang, count=deleted, folder=config.folder) + "\n")
    return COMPLETE


def _stop(config: MatchConfig, store: MatchStore, options: argparse.Namespace) -> int:
    if store.path.is_file():
        with store.lock() as is_ours:
            if not is_ours:
                store.ask_to_stop()
                sys.stdout.write(say("match.asked_to_stop", options.lang) + "\n")
                return COMPLETE
    sys.stderr.write(say("match.not_playing", options.lang, folder=config.folder) + "\n")
    return WRONG


Action = Callable[[MatchConfig, MatchStore, argparse.Namespace], int]

ACTIONS: dict[str, Action] = {
    "run": _run,
    "show": _show,
    "report": _report,
    "check": _check,
    "plan": _plan,
    "merge": _merge,
    "reset": _reset,
    "stop": _stop,
}
