"""Which games are lent to which machine, and until when: no clock, no network, no thread in it.

A machine keeps its leases as long as it is heard of. One that is silent for longer than `term_s`, or is sent away,
loses them, and somebody else plays those games. With a seed of the user's they are the same games; without one they
begin again with other dice, because somebody has seen how these fell.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from secrets import token_hex

from gtp_variants.arena.run.pool import begin_anew
from gtp_variants.arena.schedule import Fixture

TERM_S = 60.0


@dataclass(slots=True)
class Machine:
    """A machine that joined, what it is called, until when it counts as there, and its games by lease."""

    name: str
    until_s: float
    leases: dict[str, Fixture] = field(default_factory=dict)


class LeaseBook:
    """The games that wait and the games that are lent."""

    def __init__(self, clock: Callable[[], float], term_s: float = TERM_S) -> None:
        self._clock = clock
        self._term_s = term_s
        self._waiting: deque[Fixture] = deque()
        self._machines: dict[str, Machine] = {}
        # Who was sent away, and why.
        self._banned: dict[str, str] = {}

    @property
    def machines(self) -> list[Machine]:
        """The machines that are there."""
        return list(self._machines.values())

    @property
    def is_idle(self) -> bool:
        """Whether no game waits and none is lent."""
        return not self._waiting and not any(machine.leases for machine in self._machines.values())

    @property
    def waiting(self) -> int:
        """How many games wait for somebody."""
        return len(self._waiting)

    def add_machine(self, name: str) -> str:
        """A machine joins; the word by which it is known from now on."""
        word = token_hex(16)
        self._machines[word] = Machine(name, self._clock() + self._term_s)
        return word

    def put(self, fixture: Fixture) -> None:
        """Somebody is to play a game."""
        self._waiting.append(fixture)

    def find(self, word: str) -> Machine | None:
        """The machine that is known by a word, heard of just now; None for one that is not there."""
        machine = self._machines.get(word)
        if machine is not None:
            machine.until_s = self._clock() + self._term_s
        return machine

    def reason(self, word: str) -> str:
        """Why a machine was sent away, "" if it was not."""
        return self._banned.get(word, "")

    def take(self, machine: Machine) -> tuple[str, Fixture] | None:
        """A lease and its game; None while no game waits."""
        if not self._waiting:
            return None
        lease, fixture = token_hex(16), self._waiting.popleft()
        machine.leases[lease] = fixture
        return lease, fixture

    def remove(self, word: str, why: str = "") -> int:
        """A machine leaves, or is sent away for a reason; how many games wait again."""
        if why:
            self._banned[word] = why
        machine = self._machines.pop(word, None)
        fixtures = [] if machine is None else list(machine.leases.values())
        # They were due before those that wait.
        self._waiting.extendleft(begin_anew(each) for each in reversed(fixtures))
        return len(fixtures)

    def expire(self) -> Iterator[tuple[str, int]]:
        """Remove the machines that were not heard of for too long: their names, and how many games wait again."""
        now_s = self._clock()
        for word, machine in list(self._machines.items()):
            if machine.until_s < now_s:
                yield machine.name, self.remove(word)
