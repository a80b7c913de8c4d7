"""The command `gtp-variants train`, which trains a network by self-play."""

import argparse
import os
import shutil
import sys
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gtp_variants.ai.backend import describe_missing_kernel
from gtp_variants.base.folders import user_path
from gtp_variants.base.installation import install_command
from gtp_variants.base.json_values import Json
from gtp_variants.base.number_ranges import NumberRange
from gtp_variants.base.pages import Axes, Plot, PlotCurve, PlotPoint, render
from gtp_variants.base.processes import dask_cluster
from gtp_variants.base.processes.cores import available_cores
from gtp_variants.base.processes.dask_cluster import LOCAL, TLS, DaskCluster, TlsFiles
from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.cli.engines.training_gate import TrainingGate, show_strengths
from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import ConfigError
from gtp_variants.lang import say, translate_fault
from gtp_variants.players.config_readers import command, scalar
from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.drawing.svg import svg
from gtp_variants.records.files import write
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.training.settings import SETTING_RANGES, TrainingSettings

if TYPE_CHECKING:
    from gtp_variants.training.folder import Progress
    from gtp_variants.training.teacher import Teacher
    from gtp_variants.training.trainer import Trainer

_MOST_SAMPLES = 4
_MOST_THREADS = 1024
# The options that are fields of `TrainingSettings`, which declares their ranges and defaults.
_SETTINGS = (
    *("seed", "positions", "batch", "chunk", "channels", "blocks", "passes", "playouts", "deep_share", "deep_playouts"),
    "start_positions",
)
_USUAL = {field.name: field.default for field in fields(TrainingSettings)}
PAGE = "training.html"
_LOCK = ".lock"
# Name of the file with the process ID of the lock's holder.
_HOLDER = ".lock.pid"
_AUTO, _CPU, _CUDA = _DEVICES = "auto", "cpu", "cuda"
# Minimum number of parallel games for using a graphics card. With fewer games, the processor alone is as fast.
_LEAST_CHUNK_OF_A_CARD = 1024
# Warn if a chunk's estimated positions are this many times the positions of an iteration. The estimate is rough.
_MUCH_MORE = 2


def main(arguments: Sequence[str]) -> int:
    """Train until the time or iterations are used up. Ctrl-C interrupts the training; the same command continues it."""
    asked = parser()
    options = asked.parse_args(arguments)
    if options.start_positions is not None and not options.start:
        asked.error(f"--start-positions {options.start_positions}: expected --start FILE with it")
    if (options.teacher_share, options.teacher_visits, options.teacher_processes) != (1, 1, 1) and not options.teacher:
        asked.error("--teacher-share, --teacher-visits, --teacher-processes: expected --teacher COMMAND with them")
    for spec in options.specs:
        if missing := describe_missing_kernel(parse(spec)):
            raise ConfigError([f"training needs the compiled kernel: {missing}"])
    executor: str = options.executor
    files = [options.tls_ca, options.tls_cert, options.tls_key]
    if any(files) and not (all(files) and executor.startswith(TLS)):
        asked.error(f"--tls-ca, --tls-cert, --tls-key: expected all three, with --executor {TLS}HOST:PORT")
    tls = TlsFiles(*files) if all(files) else None
    with ExitStack() as opened:
        cluster = None
        opened.enter_context(lock_training_folder(options.into))
        if executor != LOCAL:
            from gtp_variants.training.cluster_self_play import find_missing

            cluster = opened.enter_context(dask_cluster.open_cluster(executor, options.threads, tls, find_missing))
        teachers = []
        if options.teacher:
            from gtp_variants.training.teacher import Teacher

            made = [Teacher(options.teacher) for _ in range(options.teacher_processes)]
            teachers = [opened.enter_context(closing(each)) for each in made]
        return _train(options, cluster, teachers)


@contextmanager
def lock_training_folder(folder: Path) -> Iterator[None]:
    """Lock a folder until the context or the process ends. Make the folder if needed, and remove it if it stays empty.

    Raises ConfigError if another process is training in the folder, or RecordError if the folder cannot be locked.
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    holder = folder / _HOLDER
    with hold_file(folder / _LOCK) as is_ours:
        if not is_ours:
            number = f" {holder.read_text()}" if holder.exists() else ""
            raise ConfigError([f"{folder}: process{number} is training in it"])
        write(holder, str(os.getpid()).encode())
        try:
            yield
        finally:
            holder.unlink(missing_ok=True)
            # The lock file may have a journal beside it, so compare only the beginnings of names.
            if is_new and folder.exists() and all(each.name.startswith(_LOCK) for each in folder.iterdir()):
                shutil.rmtree(folder)


def _train(options: argparse.Namespace, cluster: DaskCluster | None, teachers: "Sequence[Teacher]") -> int:
    lang = language_of(options)
    trainer, gate = _begin(options, cluster, teachers, lang)
    _write_page(trainer, gate)
    if options.watch:
        webbrowser.open((options.into / PAGE).resolve().as_uri())
    end = float("inf") if options.hours is None else time.monotonic() + options.hours * 3600
    last = float("inf") if options.iterations is None else options.iterations

    def tell(progress: "Progress") -> None:
        sys.stderr.write(_line(progress, lang) + "\n")
        if options.gate and progress.iteration % options.gate == 0:
            play_gate(trainer, gate, progress.iteration, lang)
        _write_page(trainer, gate)

    # A training that was interrupted during a gate has written the iteration, but not all results, so play the rest.
    due = trainer.progress.iteration // options.gate * options.gate if options.gate else 0
    if due and play_gate(trainer, gate, due, lang):
        _write_page(trainer, gate)
    trainer.run(lambda: trainer.progress.iteration >= last or time.monotonic() >= end, tell, _warn)
    if trainer.progress.iteration:
        sys.stdout.write(f"{trainer.folder.weights_path(trainer.progress.iteration)}\n")
    return 0


def play_gate(trainer: "Trainer", gate: TrainingGate, iteration: int, lang: str) -> bool:
    """Play the rest of the gate after an iteration and print its results. Return True if there were new results."""
    weights = trainer.folder.weights_path(iteration)
    # Damaged weights have already been reported, so the training continues without a gate for them.
    is_playable = weights.exists() and trainer.folder.explain_damage(iteration) is None
    found = gate.play(iteration, trainer.hours_after(iteration), weights) if is_playable else ()
    for each in found:
        against = translate_fault(each.against, lang)
        said = say("cli.train_gate", lang, elo=each.elo_text, against=against, games=each.games)
        sys.stderr.write(f"{'':5}  {said}\n")
    return bool(found)


def _warn(sentence: str) -> None:
    sys.stderr.write(f"gtp-variants train: {sentence}\n")


def parser() -> CommandParser:
    made = CommandParser("train")
    made.add_argument("specs", nargs="+", metavar="SPEC")
    made.add_argument("--into", required=True, type=Path, metavar="FOLDER")
    made.add_argument("--hours", type=NumberRange(0, 1_000_000, is_more=True).read, metavar="H")
    made.add_argument("--iterations", type=NumberRange(1, 1_000_000_000).read_whole, metavar="N")
    threads = min(available_cores(), _MOST_THREADS)
    made.add_argument("--threads", type=NumberRange(1, _MOST_THREADS).read_whole, default=threads, metavar="N")
    read_where = scalar(dask_cluster.EXECUTORS, dask_cluster.read_executor).read_text
    made.add_argument("--executor", type=read_where, default=LOCAL, metavar="WHERE")
    made.add_argument("--tls-ca", type=user_path, metavar="FILE")
    made.add_argument("--tls-cert", type=user_path, metavar="FILE")
    made.add_argument("--tls-key", type=user_path, metavar="FILE")
    made.add_argument("--device", choices=_DEVICES, default=_AUTO)
    made.add_argument("--start", default="", metavar="FILE")
    for name in _SETTINGS:
        usual, allowed = _USUAL[name], SETTING_RANGES[name]
        read, metavar = (allowed.read, "X") if isinstance(usual, float) else (allowed.read_whole, "N")
        made.add_argument(f"--{name.replace('_', '-')}", type=read, default=usual, metavar=metavar)
    made.add_argument("--teacher", type=command().read_text, metavar="COMMAND")
    share = replace(SETTING_RANGES["teacher_share"], may_be_off=False).read
    made.add_argument("--teacher-share", type=share, default=1.0, metavar="X")
    made.add_argument("--teacher-visits", type=SETTING_RANGES["teacher_visits"].read_whole, default=1, metavar="N")
    made.add_argument("--teacher-processes", type=NumberRange(1, _MOST_THREADS).read_whole, default=1, metavar="N")
    made.add_argument("--play-as", default="", metavar="GAME")
    made.add_argument("--gate", type=NumberRange(0, 1_000_000_000).read_whole, default=50, metavar="N")
    made.add_argument("--gate-pairs", type=NumberRange(1, 1_000_000).read_whole, default=20, metavar="N")
    made.add_argument("--gate-seconds", type=NumberRange(0, 3600, is_more=True).read, default=0.05, metavar="S")
    made.add_argument("--watch", action="store_true")
    return made


def _begin(
    options: argparse.Namespace, cluster: DaskCluster | None, teachers: "Sequence[Teacher]", lang: str
) -> "tuple[Trainer, TrainingGate]":
    """Return the folder's training, as it was left, and its gates. Raises ConfigError if a package is missing."""
    try:
        from gtp_variants.training.trainer import Trainer
    except ModuleNotFoundError as error:
        raise ConfigError([f"training needs {error.name}; {install_command('train')}"]) from None
    given = {name: getattr(options, name) for name in (*_SETTINGS, "teacher_visits", "play_as")}
    share = options.teacher_share if teachers else 0.0
    settings = TrainingSettings(tuple(options.specs), start=options.start, teacher_share=share, **given)
    # Check the gate before the trainer writes the settings into the folder.
    played, how = settings.played_rules(parse(options.specs[0])), (options.gate_pairs, options.gate_seconds)
    gate = TrainingGate(played, options.into, *how, judges=bool(options.play_as))
    if options.gate:
        gate.check()
    device = _choose_device(options.device, options.chunk, lang)
    trainer = Trainer(settings, options.into, options.threads, cluster, device, teachers)
    if (found := settings.chunk_positions(trainer.rules)) >= _MUCH_MORE * settings.positions:
        about = {"games": f"{settings.chunk:,}", "positions": f"{round(found, 2 - len(str(found))):,}"}
        sys.stderr.write(say("cli.train_chunk", lang, wished=f"{settings.positions:,}", **about) + "\n")
    trainer.repair_weights(_warn)
    if trainer.progress.iteration:
        sys.stderr.write(say("cli.train_continues", lang, iteration=trainer.progress.iteration) + "\n")
    return trainer, gate


def _choose_device(asked: str, chunk: int, lang: str) -> str:
    """Return the device for evaluating and training networks. Raises ConfigError if no card is usable for `cuda`."""
    if asked == _CPU or (asked == _AUTO and chunk < _LEAST_CHUNK_OF_A_CARD):
        return _CPU
    try:
        from gtp_variants.training.pytorch.integer_network import check_gpu

        sys.stderr.write(say("cli.train_card", lang, card=check_gpu()) + "\n")
    except ModuleNotFoundError as error:
        fault = f"needs {error.name}"
    # Catch everything, because a driver, a compiler or an old card may raise any exception.
    except Exception as error:
        fault = f"no graphics card can be used: {error}"
    else:
        return _CUDA
    if asked == _CUDA:
        raise ConfigError([f"--device {asked}: {fault}"])
    sys.stderr.write(say("cli.train_processor", lang, fault=fault) + "\n")
    return _CPU


def _line(progress: "Progress", lang: str) -> str:
    losses = progress.losses
    hidden = say("cli.train_hidden", lang, loss=losses.hidden_stones) if losses.hidden_stones else ""
    made = {"iteration": progress.iteration, "games": progress.games, "positions": progress.positions}
    return say("cli.train_line", lang, hours=progress.hours, policy=losses.policy, value=losses.value, **made) + hidden


def _write_page(trainer: "Trainer", gate: TrainingGate) -> None:
    """Write the page about the training, with sample games beside it."""
    samples = []
    for number, game in enumerate(trainer.sample_games(_MOST_SAMPLES)):
        name = f"game-{number + 1}.html"
        record = Record(game)
        write(trainer.folder.path / name, replay(record).encode())
        samples.append((name, svg(game), f"{len(game.events)} moves, {record.result or 'not finished'}"))
    title = "Training of " + " ".join(dict.fromkeys(trainer.settings.specs))
    page = progress_page(title, trainer.history(), show_strengths(gate.results), samples)
    write(trainer.folder.path / PAGE, page.encode())


def progress_page(title: str, history: Sequence[Json], strengths: str, games: Sequence[tuple[str, str, str]]) -> str:
    """Return the page for the rows of `Trainer.history`.

    `strengths` is HTML with the results of matches. Each of `games` has a file in which to replay it, its last position
    as SVG, and a caption.
    """
    about = {"last": history[-1] if history else None, "plots": _plots(history) if len(history) > 1 else ()}
    return render("cli/engines/training_page.html", title=title, **about, strengths=strengths, games=games)


def _plots(history: Sequence[Json]) -> list[Plot]:
    def over_positions(name: str, rows: Sequence[Json], values: Sequence[float]) -> PlotCurve:
        return PlotCurve(name, [PlotPoint(row["positions"], value) for row, value in zip(rows, values, strict=True)])

    plots = []
    for name in history[-1]["losses"]:
        curves = []
        for label, key in (("learnt from", "losses"), ("unseen games", "unseen")):
            # Older versions measured less. A loss of 0 is that of an output which the game does not have.
            told = [row for row in history if (row.get(key) or {}).get(name)]
            if told:
                curves.append(over_positions(label, told, [row[key][name] for row in told]))
        if curves:
            plots.append(Plot(f"Loss of the {name.replace('_', ' ')}", curves, Axes("positions", "nats")))
    before = [{"games": 0, "positions": 0}, *history[:-1]]
    steps = zip(before, history, strict=True)
    lengths = [(row["positions"] - old["positions"]) / (row["games"] - old["games"]) for old, row in steps]
    searched = over_positions("", history, lengths)
    return [*plots, Plot("Positions searched in a game", [searched], Axes("positions", "positions"))]
