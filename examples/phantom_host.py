"""A host that referees Go Fantôme between two GTP engines, written from docs/protocol/ alone. It prints the record.

`python3 phantom_host.py SIZE BLACK WHITE`, where BLACK and WHITE are commands such as "gtp-variants gtp".
"""

import json
import shlex
import subprocess
import sys
from contextlib import suppress
from threading import Timer

OTHER = {"b": "w", "w": "b"}
OPTIONS = "komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,dead=none,lang=en"
PATIENCE_S, REFUSALS_PER_POINT = 60.0, 20


class Forfeit(Exception):
    """An engine has ended, is silent, or answers against the protocol. The argument is its colour."""


class Engine:
    def __init__(self, colour, command):
        self.colour, pipe = colour, subprocess.PIPE
        self.process = subprocess.Popen(shlex.split(command), stdin=pipe, stdout=pipe, encoding="utf-8")

    def ask(self, command):
        """Return the answer to a command. Raises Forfeit."""
        answer, watchdog = "", Timer(PATIENCE_S, self.process.kill)
        watchdog.start()
        with suppress(OSError):
            print(command, file=self.process.stdin, flush=True)
            answer = "\n".join(iter(lambda: self.process.stdout.readline().strip(), ""))
        watchdog.cancel()
        if not answer.startswith("="):
            raise Forfeit(self.colour)
        return answer[1:].strip()


class Board:
    """The referee's board. Points are vertices; `past` has each board so far and who left it, by a pass too."""

    def __init__(self, size):
        grid = {(x, y): f"{'ABCDEFGHJKLMNOPQRSTUVWXYZ'[x]}{y + 1}" for x in range(size) for y in range(size)}
        around = {(x, y): ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)) for x, y in grid}
        self.near = {grid[point]: {grid[near] for near in around[point] if near in grid} for point in grid}
        self.stones, self.past = {}, [({}, "w")]

    def chain(self, stones, point):
        """Return the connected points of one kind, a colour or none, and the kind of each point around them."""
        chain, todo, around = {point}, [point], set()
        for each in todo:
            same = {near for near in self.near[each] if stones.get(near) == stones.get(point)} - chain
            chain, around = chain | same, around | self.near[each]
            todo += same
        return chain, [stones.get(each) for each in around - chain]

    def play(self, colour, point):
        """Play a stone. Return its effects in the words of the news, or None if the move is impossible."""
        stones = {**self.stones, point: colour}
        chains = [self.chain(stones, near) for near in self.near[point] if stones.get(near) == OTHER[colour]]
        taken = set().union(*(chain for chain, around in chains if None not in around))
        atari = set().union(*(chain for chain, around in chains if around.count(None) == 1))
        stones = {each: stones[each] for each in stones if each not in taken}
        liberties = self.chain(stones, point)[1].count(None)
        if point in self.stones or not liberties or (stones, colour) in self.past:
            return None
        self.stones, self.past = stones, [*self.past, (stones, colour)]
        effects = f" captured {' '.join(sorted(taken))}" if taken else ""
        return effects + (f" atari {len(atari)}" if atari else "") + (" self-atari" if liberties == 1 else "")

    def result(self):
        """Return the result by area."""
        owners = [self.stones.get(point) or {*self.chain(self.stones, point)[1]} for point in self.near]
        lead = sum(owner in ("b", {"b"}) for owner in owners) - sum(owner in ("w", {"w"}) for owner in owners) - 7.5
        return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


def play(engines, board, events):
    """Play a game, add its events to the list, and return the result. Raises Forfeit."""

    def tell(own, hidden):
        for engine in engines.values():
            engine.ask(f"phantom-hear {own if engine.colour == colour else hidden}")

    colour, passes, refusals = "b", 0, 0
    while passes < 2:
        move = engines[colour].ask(f"genmove {colour}").upper()
        if refusals > REFUSALS_PER_POINT * len(board.near) or move not in (*board.near, "PASS", "RESIGN"):
            raise Forfeit(colour)
        events.append([colour, move if move in board.near else move.lower()])
        if move == "RESIGN":
            return f"{OTHER[colour].upper()}+R"
        if move == "PASS":
            passes += 1
            board.past.append((board.stones, colour))
            tell(f"{colour} pass", f"{colour} pass")
        elif (effects := board.play(colour, move)) is None:
            refusals += 1
            tell(f"{colour} refused {move}", f"{colour} refused ?")
            continue
        else:
            passes = 0
            tell(f"{colour} {move}{effects}", f"{colour} ?{effects}")
        colour = OTHER[colour]
    return board.result()


def main(size, *commands):
    spec, events = f"phantom:size={size},{OPTIONS}", []
    engines = {colour: Engine(colour, command) for colour, command in zip("bw", commands, strict=True)}
    try:
        for engine in engines.values():
            engine.ask(f"variant-set {spec}")
            engine.ask(f"phantom-seat {engine.colour}")
        result = play(engines, Board(int(size)), events)
    except Forfeit as failure:
        (loser,) = failure.args
        events.append([loser, "forfeit"])
        result = f"{OTHER[loser].upper()}+F"
    for engine in engines.values():
        with suppress(Forfeit, OSError):
            engine.ask(f"phantom-hear end {result}")
            engine.process.communicate("quit\n")
    print(json.dumps({"format": "gtp-variants", "version": 1, "spec": spec, "events": events, "result": result}))


main(*sys.argv[1:])
