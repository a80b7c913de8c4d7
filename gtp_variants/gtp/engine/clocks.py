"""The clocks of a game as the host of an engine set them."""

from collections.abc import Iterable

from gtp_variants.players.clock import Clock, TimeControl


class HostClocks(dict[int, Clock]):
    """Each side's clock, by colour, under the time control that the host set last.

    A time left that the host told holds until it tells another one or sets the time anew, whatever happens to the
    board. So a host that clears the board and sends the moves again need not tell it twice. What was only counted here
    ends with the game, as many hosts set the time once for several games.
    """

    def __init__(self, colours: Iterable[int]) -> None:
        super().__init__()
        self.control = TimeControl()
        self._told: dict[int, Clock] = {}
        self.restart(colours)

    def set_control(self, control: TimeControl) -> None:
        """Start full clocks under a time control, in this game and in later ones."""
        self.control = control
        self._told.clear()
        self.restart(list(self))

    def tell(self, colour: int, left_s: float, count: int) -> None:
        """Set a side's clock to the time left that the host tells."""
        self._told[colour] = self[colour] = Clock(self.control, left_s, count)

    def restart(self, colours: Iterable[int]) -> None:
        """Begin a game of these colours with what the host told of each clock, or else with a full one."""
        self.clear()
        for colour in colours:
            self[colour] = self._told.get(colour) or Clock.full(self.control)
