"""The full-screen application, built on prompt_toolkit: keys, mouse, completion, and a session in a thread."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from math import inf
from operator import itemgetter
from queue import SimpleQueue

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.clipboard import DummyClipboard
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.containers import Float, FloatContainer, HSplit, VSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.layout import Layout
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.styles import Style

from gtp_variants.lang import say
from gtp_variants.terminal.blocks import Block
from gtp_variants.terminal.fullscreen import composition
from gtp_variants.terminal.fullscreen.board_drawing import Row
from gtp_variants.terminal.fullscreen.screen_model import Message, ScreenModel
from gtp_variants.terminal.fullscreen.themes import PLAIN, THEMES, class_name
from gtp_variants.terminal.games.commands import PLAY, TypedCommand, answer_of, fold
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.scene import GameScene, scene_of

# Maximum seconds to wait for a running request when the screen closes.
_PATIENCE_S = 2.0
_DIAGONALS = {"home": "up-left", "pageup": "up-right", "end": "down-left", "pagedown": "down-right"}
_ARROWS = {direction: direction for direction in ("up", "down", "left", "right")} | _DIAGONALS
_WHEEL_LINES = 3
# Seconds between two updates of a clock, and the shorter interval when less than `_HURRY_S` seconds are left.
_TICK_S, _HURRY_TICK_S = 1.0, 0.1
_HURRY_S = 10.0
# Seconds for which an escape character may be the beginning of another key.
_ESCAPE_S = 0.05
_BOTTOM_ROWS = 2
# Maximum number of lines that may wait while the session is busy.
_MOST_WAITING = 4


@dataclass(frozen=True, slots=True)
class SessionUpdate:
    """A block of an answer and the scene after it. Without a block, it marks the end of the answer.

    If `error` is set, the error ended the answer: KeyboardInterrupt for an interruption, or an unexpected exception.
    """

    scene: GameScene
    block: Block | None = None
    is_left: bool = False
    error: BaseException | None = None


class SessionWorker:
    """A thread that carries out requests one by one. Meanwhile other threads may only call `PlaySession.interrupt`."""

    def __init__(self, report: Callable[[SessionUpdate], None]) -> None:
        self._report = report
        self._requests: SimpleQueue[tuple[PlaySession, Callable[[], Iterable[Block]]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="session", daemon=True)
        self._thread.start()

    def request(self, session: PlaySession, blocks: Callable[[], Iterable[Block]]) -> None:
        """Queue a request, for which the thread will call `blocks`."""
        self._requests.put((session, blocks))

    def close(self) -> None:
        """Stop the thread after the queued requests. Wait up to two seconds for it."""
        self._requests.put(None)
        self._thread.join(_PATIENCE_S)

    def _work(self) -> None:
        while (request := self._requests.get()) is not None:
            session, blocks = request
            try:
                for block in blocks():
                    self._report(SessionUpdate(scene_of(session), block))
            except BaseException as error:
                self._report(SessionUpdate(scene_of(session), error=error))
            else:
                self._report(SessionUpdate(scene_of(session), is_left=session.is_left))


def completions(typed: str, scene: GameScene) -> Iterator[Completion]:
    """Yield the completions of a line, from the commands that are useful in this game, in the order of the help."""
    begun = fold(typed.lstrip())
    for command in PLAY:
        if command.name not in scene.commands:
            continue
        word = command.word(scene.lang)
        # Complete words in the other language too.
        if any(fold(each).startswith(begun) for each in command.words):
            text = f"{word} " if command.takes in ("point", "level", "dice", "colour") else word
            yield Completion(text, -len(typed), display_meta=command.meaning(scene.lang))
        elif begun.partition(" ")[0] in map(fold, command.words):
            for argument, meaning in _arguments(command, scene):
                if fold(argument).startswith(begun.partition(" ")[2]):
                    yield Completion(f"{word} {argument}", -len(typed), display_meta=meaning)


def _arguments(command: TypedCommand, scene: GameScene) -> Iterable[tuple[str, str]]:
    """Return the possible arguments of a command, points with visible stones or levels, and their meanings."""
    if command.takes in ("point", "dead") and scene.boards:
        stones = scene.boards[0].picture.stones
        meaning = command.meaning(scene.lang)
        return [(vertex, meaning) for point, vertex in enumerate(scene.board.vertices) if stones[point]]
    if command.takes == "level":
        return [(str(number), meaning) for number, meaning in enumerate(scene.levels, 1)]
    return ()


class FullscreenClient:
    """A full-screen client for a session."""

    def __init__(self, session: PlaySession, is_resumed: bool, theme: str) -> None:
        self.session = session
        is_letters = theme == PLAIN or not (sys.stdout.encoding or "").lower().startswith("utf")
        self._model = ScreenModel(scene_of(session), is_letters)
        self._is_resumed = is_resumed
        self._frame = composition.Frame(())
        self._hints: list[tuple[int, int, composition.KeyHint]] = []
        self._error: BaseException | None = None
        self._is_interrupted = False
        # Lines typed while the session was busy.
        self._waiting: list[str] = []
        found = _GameCompleter(self._completions)
        self._buffer = Buffer(completer=found, history=DummyHistory(), multiline=False, accept_handler=self._accept)
        self._app: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._bindings(),
            style=Style.from_dict({class_name(name): style for name, style in THEMES[theme].items()}),
            full_screen=True,
            mouse_support=True,
            clipboard=DummyClipboard(),
            color_depth=_color_depth(theme),
        )
        self._app.ttimeoutlen = self._app.timeoutlen = _ESCAPE_S
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker: SessionWorker | None = None

    @property
    def result(self) -> str:
        """The final sentence, which gives the result and the path of the record, or "" during the game."""
        return self._model.result

    def run(self) -> PlaySession:
        """Run until the person leaves, and return the last session. Raises any unexpected error from a session."""
        try:
            self._app.run(pre_run=self._begin, handle_sigint=False)
        finally:
            if self._worker is not None:
                self.session.interrupt()
                self._worker.close()
        if self._error is not None:
            raise self._error
        return self.session

    def _begin(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._worker = SessionWorker(self._report)
        self._request(lambda: self.session.begin(self._is_resumed, is_terse=True))
        self._app.create_background_task(self._tick())

    # -- the session ---------------------------------------------------------------------------------------------------

    def _request(self, blocks: Callable[[], Iterable[Block]]) -> None:
        assert self._worker is not None
        self._model.begin_answer()
        self._worker.request(self.session, blocks)

    def _report(self, update: SessionUpdate) -> None:
        """Pass an update from the session's thread to the screen's thread."""
        assert self._loop is not None
        # RuntimeError means that the screen has closed, so the update is dropped.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._take, update)

    def _take(self, update: SessionUpdate) -> None:
        model = self._model
        if update.block is not None:
            model.show(update.block)
        model.update(update.scene)
        is_interrupted = isinstance(update.error, KeyboardInterrupt)
        if update.error is not None and not is_interrupted:
            self._error = update.error
            self._exit()
        elif update.block is None:
            is_first = not self._is_resumed and not update.scene.moves and update.scene.boards
            model.end_answer()
            if update.is_left:
                self._exit()
            elif is_interrupted:
                self._is_interrupted = True
                self._restart()
            elif self._waiting:
                line = self._waiting.pop(0)
                self._request(lambda: self.session.answer(line))
            elif is_first and not any(message.style == "welcome" for message in model.messages):
                model.messages.append(Message(say("fullscreen.welcome", update.scene.lang), "welcome"))
        self._app.invalidate()

    def _restart(self) -> None:
        """Continue an interrupted game as last saved, unless the screen is asking whether the person wants to leave."""
        if self._is_interrupted and not self._model.is_leaving:
            self._is_interrupted = False
            self.session = self.session.again()
            self._request(lambda: self.session.begin(is_resumed=True, is_terse=True))

    def _exit(self) -> None:
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    def _send(self, line: str) -> None:
        """Send a line to the session. While the session is busy, a few lines may wait, unless a bot is thinking."""
        model = self._model
        # In a hidden game, a line must not wait for a board that its writer may not see. Enter at a curtain may wait.
        lifts_curtain = not line and model.scene.is_curtained and not model.scene.boards
        may_wait = lifts_curtain or not self.session.is_secret or model.scene.is_finished
        if model.is_busy and not model.thinking and may_wait and len(self._waiting) < _MOST_WAITING:
            self._waiting.append(line)
            return
        if model.is_busy:
            model.messages.append(Message(say("fullscreen.wait", model.scene.lang), "quiet"))
            return
        self._request(lambda: self.session.answer(line))

    async def _tick(self) -> None:
        """Keep redrawing a running clock, and check whether its time is up."""
        while True:
            seat = next((each for each in self._model.scene.seats if each.is_asked), None)
            left_s = inf if seat is None else seat.clock.longest_s - (time.monotonic() - self._model.made_s)
            await asyncio.sleep(_HURRY_TICK_S if left_s < _HURRY_S else _TICK_S)
            if seat is not None:
                self._app.invalidate()
            if left_s < 0 and not self._model.is_busy and not self._model.scene.is_finished:
                self._request(self.session.course.check_clock)

    # -- what the person does ------------------------------------------------------------------------------------------

    def _accept(self, buffer: Buffer) -> bool:
        """Carry out the typed line. An empty line has the effect of Enter, such as a move at the cursor."""
        line = buffer.text
        model = self._model
        if model.is_leaving:
            word = answer_of(line, model.scene.lang)
            if word:
                self._exit()
            elif word is False:
                model.is_leaving = False
                self._restart()
        elif line.strip():
            self._send(line)
        else:
            self._enter()
        return False

    def _enter(self) -> None:
        """Act on an empty line: close a page or the game, confirm, or play or mark a dead chain at the cursor."""
        model = self._model
        if model.page:
            model.back()
        elif model.scene.is_finished:
            self._exit()
        elif model.scene.is_asking or model.scene.is_curtained:
            self._send("")
        elif model.can_point:
            shown = model.board
            point = model.cursor.point
            is_dead = model.scene.takes_dead and shown is not None and shown.picture.stones[point]
            self._send(f"dead {model.vertex}" if is_dead else model.vertex)

    def _ask(self, name: str) -> None:
        """Carry out the action of a key shown in the last line."""
        model = self._model
        if name == "enter":
            self._enter()
        elif name == "back":
            model.back()
        elif name == "tab":
            self._complete()
        elif name == "boards":
            model.turn_board()
        elif name == "help":
            model.open_page(composition.help_page(model.scene))
        elif name == "quit" and not model.is_busy and not model.scene.is_finished:
            self._send("quit")
        elif name == "quit":
            self._leave()
        elif not model.scene.is_asking and not model.is_leaving and not model.scene.is_finished:
            command = composition.command_of(model, name)
            if command in model.scene.commands and not model.scene.is_curtained:
                self._send(command)

    def _leave(self) -> None:
        """Interrupt the session and ask whether to leave. Leave at once if the question is already shown."""
        if self._model.is_leaving or self._model.scene.is_finished:
            self._exit()
            return
        if self._model.is_busy:
            self.session.interrupt()
        self._waiting.clear()
        self._model.is_leaving = True
        self._buffer.reset()

    def _complete(self) -> None:
        buffer = self._buffer
        if buffer.complete_state:
            buffer.complete_next()
            return
        found = [each.text for each in self._completions(buffer.text)]
        if len(found) == 1:
            buffer.document = Document(found[0])
        elif found:
            buffer.start_completion(select_first=False)

    def _completions(self, typed: str) -> Iterable[Completion]:
        model = self._model
        if model.scene.is_asking or model.scene.is_curtained or model.is_leaving or model.scene.is_finished:
            return ()
        return completions(typed, model.scene)

    def _escape(self) -> None:
        if self._buffer.complete_state:
            self._buffer.cancel_completion()
        elif self._buffer.text:
            self._buffer.reset()
        elif self._model.is_leaving:
            self._model.is_leaving = False
            self._restart()
        else:
            self._model.back()

    def _move(self, direction: str) -> None:
        model = self._model
        if model.page:
            rows = self._app.output.get_size().rows
            by = {"up": -1, "down": 1, "up-right": 4 - rows, "down-right": rows - 4}.get(direction)
            by = {"up-left": -(10**6), "down-left": 10**6}.get(direction, 0) if by is None else by
            self._turn_page(by)
        elif model.can_point:
            model.cursor.move(direction)

    def _turn_page(self, by: int) -> None:
        size = self._app.output.get_size()
        self._model.turn_page(by, len(composition.page_rows(self._model, size.columns)), size.rows - _BOTTOM_ROWS - 1)

    def _scroll_log(self, by: int) -> None:
        self._model.log_scroll += by

    # -- keys ----------------------------------------------------------------------------------------------------------

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        is_pointing = Condition(lambda: not self._buffer.text and not self._buffer.complete_state)

        def bind(key: str, act: Callable[[], None], **options: object) -> None:
            def handle(_: KeyPressEvent) -> None:
                act()

            bindings.add(key, **options)(handle)  # type: ignore[arg-type]

        for key, direction in _ARROWS.items():
            bind(key, lambda direction=direction: self._move(direction), filter=is_pointing)  # type: ignore[misc]
        for key, name in composition.KEYS.items():
            bind(key.lower(), lambda name=name: self._ask(name))  # type: ignore[misc]
        bind("space", self._enter, filter=is_pointing & Condition(lambda: not self._model.is_leaving))
        bind("enter", self._buffer.validate_and_handle)
        bind("tab", self._complete)
        bind("s-tab", self._buffer.complete_previous)
        bind("escape", self._escape, eager=True)
        bind("c-c", self._leave)
        bind("c-d", self._leave, filter=is_pointing)
        bind("c-up", lambda: self._scroll_log(1))
        bind("c-down", lambda: self._scroll_log(-1))
        bind("c-l", lambda: self._app.renderer.clear())
        if hasattr(os, "killpg") and sys.platform != "win32":
            bind("c-z", lambda: self._app.suspend_to_background())
        return bindings

    def _click(self, event: MouseEvent) -> None:
        model = self._model
        if event.event_type == MouseEventType.SCROLL_UP:
            self._turn_page(-_WHEEL_LINES) if model.page else self._scroll_log(1)
        elif event.event_type == MouseEventType.SCROLL_DOWN:
            self._turn_page(_WHEEL_LINES) if model.page else self._scroll_log(-1)
        elif event.event_type == MouseEventType.MOUSE_UP and event.button in (MouseButton.LEFT, MouseButton.NONE):
            window = self._frame.window
            point = None if window is None else window.point_near(event.position.y, event.position.x)
            if point is None or not model.can_point:
                return
            if point == model.cursor.point:
                self._accept(self._buffer) if not self._buffer.text else None
            else:
                model.cursor.go_to(point)

    def _click_hint(self, event: MouseEvent) -> None:
        if event.event_type == MouseEventType.MOUSE_UP:
            for first, end, hint in self._hints:
                if first <= event.position.x < end:
                    self._ask(hint.name)

    # -- the picture ---------------------------------------------------------------------------------------------------

    def _layout(self) -> Layout:
        above = Window(FormattedTextControl(self._draw_above, show_cursor=False), wrap_lines=False)
        prompt = Window(FormattedTextControl(self._draw_prompt), height=1, dont_extend_width=True)
        line = Window(BufferControl(self._buffer), height=1)
        hints = Window(FormattedTextControl(self._draw_hints, show_cursor=False), height=1, wrap_lines=False)
        menu = Float(CompletionsMenu(max_height=12, scroll_offset=1), xcursor=True, ycursor=True)
        root = FloatContainer(HSplit([above, VSplit([prompt, line]), hints]), [menu])
        return Layout(root, focused_element=line)

    def _draw_above(self) -> StyleAndTextTuples:
        size = self._app.output.get_size()
        self._frame = composition.compose(self._model, size.columns, max(1, size.rows - _BOTTOM_ROWS))
        if self._frame.scroll is not None:
            # Stop scrolling at both ends of the messages, so that nobody has to scroll back from past the end.
            self._model.log_scroll = self._frame.scroll
        fragments: StyleAndTextTuples = []
        for row in self._frame.rows:
            fragments += [*_runs(row, self._click), ("", "\n")]
        return fragments[:-1]

    def _draw_prompt(self) -> StyleAndTextTuples:
        return [("class:prompt", composition.prompt_lines(self._model, self._app.output.get_size().columns)[-1])]

    def _draw_hints(self) -> StyleAndTextTuples:
        row, self._hints = composition.hint_row(composition.key_hints(self._model), self._app.output.get_size().columns)
        return _runs(row, self._click_hint)


class _GameCompleter(Completer):
    """An adapter that gives the game's completions to prompt_toolkit."""

    def __init__(self, find: Callable[[str], Iterable[Completion]]) -> None:
        self._find = find

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        return self._find(document.text_before_cursor)


def _runs(row: Row, handler: Callable[[MouseEvent], None]) -> StyleAndTextTuples:
    """Return a row as fragments of one style each, all with a mouse handler."""
    runs = ((style, "".join(letter for _, letter in run)) for style, run in groupby(row, itemgetter(0)))
    return [(" ".join(f"class:{class_name(name)}" for name in style.split()), text, handler) for style, text in runs]


def _color_depth(theme: str) -> ColorDepth | None:
    if theme == PLAIN:
        return ColorDepth.DEPTH_1_BIT
    return ColorDepth.DEPTH_24_BIT if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") else None
