"""How many playouts a second: every game, both forms, one thread and all."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from typing import Any

from gtp_variants.errors import ConfigError
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules
from gtp_variants.thinking import form, playout

# What is measured unless SPECs are named.
SPECS = (
    "go:size=9",
    "go:size=13",
    "go:size=19",
    "aleago:size=9",
    "aleago:size=13",
    "aleago:size=19",
    "phantom:size=9",
    "rosette:n=4",
    "rosette:n=7",
    "alter-igo:size=5",
    "alter-igo:size=9",
    "pentalath",
    "pentalath:players=3",
)

_ROUNDS = 5

Row = dict[str, str | int | float]
Run = Callable[[int, int], tuple[int, int]]


def playout_rates(specs: Iterable[str] = SPECS, seconds: float = 1.0) -> Iterator[Row]:
    """Rows `spec, what, form, threads, per_second, moves_per_second` of uniform playouts from the start position.

    `seconds` is spent on each row. A rate is the median of five rounds: on one thread of the thread's own CPU time,
    which other work on the machine does not bend, on all threads of the time that went by. Moves count passes too.
    Raises ConfigError unless `seconds` is above 0, SpecError for an unknown game or option.
    """
    if not 0 < seconds < float("inf"):
        raise ConfigError([f"seconds={seconds}: expected more than 0"])
    for spec in specs:
        rules = parse(spec)
        if form() == "native":
            counts = sorted({1, os.cpu_count() or 1})
            for threads in counts:
                run, clock = _native(rules, threads), time.thread_time if threads == 1 else time.perf_counter
                yield _row(spec, "native", threads, *_rate(run, clock, seconds))
        yield _row(spec, "python", 1, *_rate(_python(rules), time.thread_time, seconds))


def _row(spec: str, form_name: str, threads: int, per_second: float, moves_per_second: float) -> Row:
    return {
        "spec": spec,
        "what": "playouts",
        "form": form_name,
        "threads": threads,
        "per_second": round(per_second),
        "moves_per_second": round(moves_per_second),
    }


def _native(rules: Rules[Any], threads: int) -> Run:
    from gtp_variants.thinking import _kernel, native

    state = native.start(rules)

    def run(n: int, seed: int) -> tuple[int, int]:
        return n, _kernel.playouts(state, n, seed, threads).turns

    return run


def _python(rules: Rules[Any]) -> Run:
    start = playout.Start(rules, rules.start())

    def run(n: int, seed: int) -> tuple[int, int]:
        return n, playout.run_playouts(start, n, seed).turns

    return run


def _rate(run: Run, clock: Callable[[], float], seconds: float) -> tuple[float, float]:
    """Playouts and moves a second: medians over rounds that together last about so many seconds."""
    n, took = 1, 0.0
    # Twice as many until they can be timed; this warms everything up as well.
    while took < seconds / 20:
        began = clock()
        run(n, 0)
        took = clock() - began
        n *= 2
    n = max(1, int(n / 2 / took * seconds / _ROUNDS))
    rates = []
    for seed in range(1, _ROUNDS + 1):
        began = clock()
        played, turns = run(n, seed)
        took = max(clock() - began, 1e-9)
        rates.append((played / took, turns / took))
    return median(rate for rate, _ in rates), median(rate for _, rate in rates)
