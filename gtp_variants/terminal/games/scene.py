"""The visible state of a game at the keyboard, from which the full screen is drawn."""

from dataclasses import dataclass

from gtp_variants.players.clock import Clock
from gtp_variants.records.drawing.drawing_model import Picture, picture
from gtp_variants.records.sentences import draw_sentence
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.views import View
from gtp_variants.terminal.games.enquiries import heard_turns, word_of
from gtp_variants.terminal.games.play_session import PlaySession


@dataclass(frozen=True, slots=True)
class SceneSeat:
    """One side: its name and player, the number of stones it has taken, and its clock when the scene was made.

    `spent_s` is its thinking time so far, or None if that would reveal hidden tries. `is_asked` is True if it must act
    now, so that its clock is running.
    """

    colour: int
    name: str
    who: str
    taken: int
    is_asked: bool
    spent_s: float | None
    clock: Clock


@dataclass(frozen=True, slots=True)
class SceneMove:
    """A stone, pass or swap as the seat heard of it. `word` is "?" if it is hidden, `taken` the number of captures."""

    number: int
    colour: int
    word: str
    taken: int


@dataclass(frozen=True, slots=True)
class SceneBoard:
    """A visible board, with a title if there are several. `dead` has the points of stones marked dead."""

    title: str
    picture: Picture
    dead: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class GameScene:
    """A game as the seat at the keyboard may see it now.

    `boards` is () while nobody may look, and has several boards once a hidden game is shown. `notes` are sentences on
    the throw, the turn or the result. `commands` are the names of the useful commands. `levels` describe the levels of
    the bot, the lowest first. `is_asking` is True if the next line answers the question in `prompt`, `is_curtained` if
    that line only moves the curtain between two people, and `takes_dead` if Enter marks the stone at the cursor dead.
    """

    title: str
    board: Board
    boards: tuple[SceneBoard, ...]
    seats: tuple[SceneSeat, ...]
    moves: tuple[SceneMove, ...]
    notes: tuple[str, ...]
    faces: tuple[int, ...]
    prompt: str
    commands: frozenset[str]
    lang: str
    levels: tuple[str, ...] = ()
    is_asking: bool = False
    is_curtained: bool = False
    takes_dead: bool = False
    is_finished: bool = False


def scene_of(session: PlaySession) -> GameScene:
    """Return the current scene of a session."""
    host, game, rules = session.host, session.game, session.rules
    hides, view = session.keyboard.is_covered, session.keyboard.view
    may_call_dead = rules.agrees_on_dead and (game.is_counting or (rules.is_open and host.table.suspended))
    return GameScene(
        title=rules.title,
        board=rules.board,
        boards=() if hides else tuple(_boards(session, view)),
        seats=tuple(_seat(session, colour, view, hides) for colour in rules.colours),
        moves=() if hides else tuple(_moves(session, view)),
        notes=() if hides else tuple(_notes(session)),
        faces=() if hides else _picture(session, view).faces,
        prompt=session.prompt,
        commands=frozenset(session.useful_commands()),
        lang=session.lang,
        levels=session.bots.level_meanings(),
        is_asking=bool(host.question.text),
        is_curtained=session.keyboard.is_curtained,
        takes_dead=may_call_dead,
        is_finished=session.is_finished,
    )


def _picture(session: PlaySession, view: View) -> Picture:
    """Return the main board, either as the seat knows it or complete once nothing is hidden any more."""
    if session.game.is_shown:
        return picture(session.rules, session.host.table.position)
    return picture(session.rules, None, view)


def _boards(session: PlaySession, view: View) -> list[SceneBoard]:
    rules, table = session.rules, session.host.table
    dead = table.position.dead if session.game.is_shown else frozenset()
    if rules.is_open or not session.game.is_shown:
        return [SceneBoard("", _picture(session, view), dead)]
    title = session.host.say("counting.referee_board")
    boards = [SceneBoard(title, _picture(session, view), dead)]
    for colour in rules.colours:
        title = session.host.say("counting.seat_board", name=session.host.name(colour))
        boards.append(SceneBoard(title, picture(rules, None, table.view(colour))))
    return boards


def _seat(session: PlaySession, colour: int, view: View, hides: bool) -> SceneSeat:
    game = session.game
    if view.position is not None:
        taken = view.position.taken[colour]
    else:
        taken = 0 if hides else sum(news.count for news in view.news if news.actor == colour)
    name, who = session.host.name(colour), session.bots.title_of(colour) or session.bots.who(colour)
    is_asked, clock = colour == game.asked(), game.clocks.clock(colour)
    return SceneSeat(colour, name, who, taken, is_asked, _spent_s(session, colour), clock)


def _spent_s(session: PlaySession, colour: int) -> float | None:
    """Return a side's thinking time, or None as long as it would reveal hidden tries."""
    game = session.game
    if not game.is_shown:
        return None
    events = game.table.game.events
    acted = (time for number, time in game.times.items() if number < len(events) and events[number].actor == colour)
    return sum(time.took_s or 0.0 for time in acted) + (game.clocks.spent_s if colour == game.asked() else 0.0)


def _moves(session: PlaySession, view: View) -> list[SceneMove]:
    """Return the turns as the seat heard of them, or in full once nothing is hidden any more."""
    host = session.host
    turns = heard_turns(host, view)
    if session.game.is_shown and not session.rules.is_open:
        game = host.table.game
        turns = (
            (event.actor, word_of(host, event.action), len(game.positions[number + 1].captured))
            for number, event in enumerate(game.events)
            if game.is_turn(number)
        )
    return [SceneMove(number, *turn) for number, turn in enumerate(turns, 1)]


def _notes(session: PlaySession) -> list[str]:
    """Return sentences on the throw of the dice, the end of the game and whose turn it is."""
    rules, host, table = session.rules, session.host, session.host.table
    position = table.position
    outcome = rules.outcome(position) if session.game.is_shown else None
    if outcome is not None and rules.is_final(position):
        return [outcome.sentence(session.lang)]
    if rules.is_open:
        notes = [*filter(None, [draw_sentence(rules, position)])]
    else:
        notes = [] if session.game.is_shown else [*_picture(session, session.keyboard.view).lines[1:2]]
    if session.game.is_counting:
        notes.append(host.say("terminal.counting"))
    elif table.suspended:
        notes.append(host.say("terminal.suspended"))
    if not session.game.is_counting:
        notes.append(host.say("game.turn", turn=position.turn, name=host.name(position.mover)))
    return notes
