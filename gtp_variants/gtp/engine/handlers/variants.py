"""Commands for what ordinary Go does not have: the choice of the game, dice, announcements, immunity, lines."""

from collections.abc import Callable
from typing import Any

from gtp_variants.errors import CommandFailed, NotationError, VariantsError
from gtp_variants.gtp.engine.handlers.standard import wanted
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import legal_actions, possible_tries, set_dice
from gtp_variants.records.notation import read_faces, write_faces
from gtp_variants.rules import GAMES, game_class, split_spec, words
from gtp_variants.rules.actions import CHANCE, LEAVING, MARK_DEAD, RESIGN, RESUME, SETTLE, pack
from gtp_variants.rules.options import text_of
from gtp_variants.rules.position import Position
from gtp_variants.rules.views import Said

Handler = Callable[[Session, list[str]], str]


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def only_in(game: str) -> Callable[[Handler], Handler]:
    """A decorator: the command answers `not a NAME game` elsewhere."""

    def wrap(handler: Handler) -> Handler:
        def checked(session: Session, arguments: list[str]) -> str:
            if session.rules.name != game:
                raise CommandFailed(f"not a {game} game")
            return handler(session, arguments)

        return checked

    return wrap


# -- every game --------------------------------------------------------------------------------------------------------


# How GoGui says it.
_BOOLS = {"0": "false", "1": "true"}


def bot_param(session: Session, arguments: list[str]) -> str:
    """The bot's parameters as GoGui's parameter dialog reads them, or set one."""
    from gtp_variants.players.bots import kind, parameters

    if arguments:
        wanted(arguments, 2, "bot-param KEY VALUE")
        key, text = arguments[0], " ".join(arguments[1:])
        bot = session.make_player()
        if key in parameters(bot) and kind(bot, key) is bool:
            text = _BOOLS.get(text, text)
        session.set_bot_parameter(key, text)
        return ""
    bot = session.make_player()
    lines = []
    for key, value in parameters(bot).items():
        is_bool = kind(bot, key) is bool and value is not None
        lines.append(f"[bool] {key} {int(bool(value))}" if is_bool else f"[string] {key} {_parameter_text(value)}")
    return "\n".join(lines)


def _parameter_text(value: object) -> str:
    return "none" if value is None else str(value)


def variant_list(session: Session, arguments: list[str]) -> str:
    return "\n".join(f"{name} {game_class(name).title}" for name in GAMES)


def variant_set(session: Session, arguments: list[str]) -> str:
    if len(arguments) != 1:
        raise NotationError("expected variant-set SPEC, without blanks in it")
    session.set_game(arguments[0])
    return ""


def variant_get(session: Session, arguments: list[str]) -> str:
    return session.rules.spec


def variant_describe(session: Session, arguments: list[str]) -> str:
    rules = session.rules_of(*split_spec(arguments[0])) if arguments else session.rules
    plain = type(rules)()
    board = rules.board
    listed = board.order
    described: dict[str, Any] = {
        "name": rules.name,
        "title": rules.title,
        "players": [words.COLOUR_LETTERS[colour] for colour in rules.colours],
        "options": [
            {
                "name": option.key,
                "type": option.kind,
                "default": text_of(plain.values[option.key]),
                "choices": option.words(),
                "meaning": option.meaning,
            }
            for option in rules.options
        ],
        **({"rule_sets": {name: dict(given) for name, given in rules.rule_sets.items()}} if rules.rule_sets else {}),
        "grid": [board.width, board.height],
        "geometry": board.geometry,
        "points": {
            board.vertices[p]: [list(board.cells[p]), [round(part, 4) for part in board.drawn_at(p)]] for p in listed
        },
        "edges": [[board.vertices[p], board.vertices[q]] for p, q in board.edges()],
    }
    if board.faces:
        described["faces"] = [rules.named(face) for face in board.faces]
    lines = getattr(rules, "lines", None)
    if lines is not None:
        described["lines"] = {board.vertices[point]: lines[point] for point in listed}
    from gtp_variants.mcts import search_backend

    described["search"] = search_backend()
    return _json(described)


def variant_state(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    if session.seated is not None:
        seat = session.seated.colour if seat is None else seat
        return _json(_hidden_state(session, seat))
    if seat is not None and not session.rules.is_open and not session.table.is_final:
        # What a seat heard last is not part of the position.
        return _json(_hidden_state(session, seat))
    return session.cached(f"state {seat}", lambda: _json(state_for(session, seat)))


def state_for(session: Session, seat: int | None) -> dict[str, Any]:
    """Everything about the position, or in a hidden game, as long as it goes on, what a colour may know of it."""
    if seat is None or session.rules.is_open or session.table.is_final:
        return {**state(session), **_legal_of(session, seat)}
    from gtp_variants.gtp.engine.remote_seat import seen_state

    return seen_state(session.rules, session.view(seat))


def _hidden_state(session: Session, seat: int) -> dict[str, Any]:
    """What the player of a colour may know, and where the other's stones may be."""
    from gtp_variants.gtp.engine.remote_seat import seen_state

    rules, odds = session.rules, session.odds(seat)
    shown = seen_state(rules, session.view(seat))
    if session.seated is not None and session.seated.result:
        shown |= {"over": True, "suspended": False, "result": session.seated.result, "legal": []}
    vertices, order = rules.board.vertices, rules.board.order
    likely = None if odds is None else {vertices[point]: round(odds[point], 3) for point in order if odds[point]}
    return {**shown, "odds": likely}


def state(session: Session) -> dict[str, Any]:
    """Everything about the position."""
    table, rules = session.table, session.rules
    position: Any = table.position
    letters = words.COLOUR_LETTERS
    stones, over, outcome = position.stones, rules.is_over(position), table.game.outcome
    return {
        "variant": rules.name,
        "move_number": position.turn - 1,
        "to_play": letters[position.mover],
        "over": over,
        "suspended": table.suspended,
        "result": None if outcome is None else outcome.sgf,
        "reason": "" if outcome is None else outcome.sentence(rules.lang),
        "stones": {rules.board.vertices[p]: letters[stones[p]] for p in rules.board.order if stones[p]},
        "captures": {letters[colour]: position.taken[colour] for colour in rules.colours},
        "legal": [] if over else legal_words(session, None),
        "passes": position.passes,
        "draw": None,
        "announcements": [],
        "last": _last(session),
        **rules.describe_state(position),
    }


def _last(session: Session) -> dict[str, Any] | None:
    position: Position = session.position
    event = position.last
    if event is None:
        return None
    return {
        "colour": words.COLOUR_LETTERS[event.actor],
        "vertex": "resign" if event.action in LEAVING else session.word(event.action),
        "captured": session.rules.named(position.captured),
    }


def _legal_of(session: Session, seat: int | None) -> dict[str, Any]:
    """What the player of a colour may do, where that is asked."""
    over = session.rules.is_over(session.position)
    return {} if seat is None or over else {"legal": legal_words(session, seat)}


def legal_words(session: Session, seat: int | None) -> list[str]:
    """What may be played, as words: by the side to move, or by the player of a colour as far as he may know."""
    table, rules = session.table, session.rules
    if seat is None:
        actions = rules.legal(table.position)
    elif rules.is_open:
        actions = legal_actions(table, seat)
    else:
        actions = possible_tries(table, seat)
    points = rules.named(action for action in actions if action >= 0)
    return points + [session.word(action) for action in sorted(actions) if action < 0]


def variant_legal_moves(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    if session.seated is not None:
        from gtp_variants.gtp.engine.remote_seat import seen_state

        return " ".join(
            seen_state(session.rules, session.view(session.seated.colour if seat is None else seat))["legal"]
        )
    if session.rules.is_over(session.position):
        return ""
    return session.cached(f"legal {seat}", lambda: " ".join(legal_words(session, seat)))


def variant_result(session: Session, arguments: list[str]) -> str:
    if session.seated is not None:
        return f"{session.seated.result} as the referee says" if session.seated.result else "none"
    outcome = session.table.game.outcome
    return "none" if outcome is None else f"{outcome.sgf} {outcome.sentence(session.rules.lang)}"


def variant_resign(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "variant-resign COLOUR")
    colour = session.colour(arguments[0])
    if session.is_revealed:
        raise session.rules.illegal("game over")
    session.table.play(colour, RESIGN)
    return ""


def variant_record(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.json import to_json

    return to_json(session.record())


def variant_dead(session: Session, arguments: list[str]) -> str:
    """Both sides agree that the chains on these points are dead (or no longer); answers all that are."""
    table = session.table
    points = [session.rules.board.point(vertex) for vertex in arguments]
    mark = table.mark()
    try:
        for point in points:
            table.play(table.position.mover, pack(MARK_DEAD, point))
    except VariantsError as error:
        table.go_back(mark)
        raise CommandFailed(str(error)) from None
    return " ".join(session.rules.named(getattr(table.position, "dead", ())))


# -- Aléago ------------------------------------------------------------------------------------------------------------


@only_in("aleago")
def aleago_draw(session: Session, arguments: list[str]) -> str:
    table, rules = session.table, session.rules
    position: Any = table.position
    if not arguments:
        if table.is_final:
            return ""
        order = (position.mover, rules.after(position, position.mover))
        known = zip(order, position.draws, strict=False)
        return "\n".join(
            f"{words.COLOUR_LETTERS[colour]} {write_faces(rules.faces(position, draw))}" for colour, draw in known
        )
    colour = session.colour(arguments[0])
    faces = arguments[1:]
    if session.is_revealed or table.is_final:
        raise CommandFailed("game over")
    table.tell_draw(colour, read_faces(faces, position.dice))
    return ""


@only_in("aleago")
def aleago_open(session: Session, arguments: list[str]) -> str:
    rules: Any = session.rules
    if rules.is_over(session.position):
        return ""
    return session.cached("open", lambda: " ".join(rules.named(rules.open_points(session.position))))


@only_in("aleago")
def aleago_set_dice(session: Session, arguments: list[str]) -> str:
    from gtp_variants.rules.diced import read_dice

    wanted(arguments, 1, "aleago-set_dice DICE")
    try:
        dice = read_dice(arguments[0])
    except ValueError as error:
        raise NotationError(f"{arguments[0][:20]}: expected {error}") from None
    if session.is_revealed or session.rules.is_over(session.position):
        raise CommandFailed("game over")
    set_dice(session.table, dice.count, dice.sides)
    return ""


@only_in("aleago")
def aleago_resume(session: Session, arguments: list[str]) -> str:
    if session.is_revealed or session.table.is_final:
        raise CommandFailed("game over")
    if not session.table.suspended:
        raise CommandFailed("game not suspended")
    session.table.play(session.position.mover, RESUME)
    return ""


@only_in("aleago")
def aleago_commitment(session: Session, arguments: list[str]) -> str:
    return str(_secret_dice(session).commitment)


@only_in("aleago")
def aleago_reveal(session: Session, arguments: list[str]) -> str:
    dice = _secret_dice(session)
    if not session.rules.is_over(session.position):
        raise CommandFailed("game not over")
    if session.table.suspended:
        session.table.play(CHANCE, SETTLE)
    session.is_revealed = True
    return str(dice.secret.hex())


def _secret_dice(session: Session) -> Any:
    if session.seed is None:
        raise CommandFailed("shared dice: start with --seed")
    return session.make_dice()


# -- Go Fantôme --------------------------------------------------------------------------------------------------------


@only_in("phantom")
def phantom_view(session: Session, arguments: list[str]) -> str:
    from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows

    wanted(arguments, 1, "phantom-view COLOUR")
    seat = session.colour(arguments[0])
    return "\n" + board_rows(session.rules.board, session.view(seat).stones)


@only_in("phantom")
def phantom_seat(session: Session, arguments: list[str]) -> str:
    wanted(arguments, 1, "phantom-seat COLOUR")
    session.sit_down(session.colour(arguments[0]))
    return ""


@only_in("phantom")
def phantom_hear(session: Session, arguments: list[str]) -> str:
    if session.seated is None:
        raise CommandFailed("not under a referee: phantom-seat COLOUR comes first")
    session.seated.hear(arguments)
    return ""


@only_in("phantom")
def phantom_odds(session: Session, arguments: list[str]) -> str:
    """The probability of an enemy stone on each point, row by row from the top, for a seat: a `dboard` of GoGui."""
    wanted(arguments, 1, "phantom-odds COLOUR")
    board, odds = session.rules.board, session.odds(session.colour(arguments[0]))
    if odds is None:
        raise CommandFailed("no position agrees with all the news")
    size = range(board.width)
    rows = (" ".join(f"{odds[y * board.width + x]:.3f}" for x in size) for y in reversed(range(board.height)))
    return "\n" + "\n".join(rows)


@only_in("phantom")
def phantom_announcements(session: Session, arguments: list[str]) -> str:
    rules: Any = session.rules
    if arguments and arguments[0].lower() != "all":
        raise NotationError(f"{arguments[0][:20]}: expected all or nothing")
    if session.seated is not None:
        told = [news.said for news in session.seated.view.news if news.said]
        return "\n".join(text for said in (told if arguments else told[-1:]) for text in rules.sentences(said))
    if not arguments:
        return "\n".join(rules.sentences(rules.announcements(session.position)))
    game = session.table.game
    sentences: list[str] = []
    for index, (event, after) in enumerate(zip(game.events, game.positions[1:], strict=False)):
        said: tuple[Said, ...] = rules.announcements(after) if game.is_turn(index) or game.is_refused(index) else ()
        if event.actor != CHANCE:
            sentences += rules.sentences(said)
    return "\n".join(sentences)


# -- Alter Igo, Pentalath, Rosette -------------------------------------------------------------------------------------


@only_in("alter-igo")
def alter_igo_losing_moves(session: Session, arguments: list[str]) -> str:
    rules: Any = session.rules
    position = session.position
    colour = session.colour(arguments[0]) if arguments else position.mover
    return "" if rules.is_over(position) else " ".join(rules.named(rules.losing(position, colour)))


@only_in("pentalath")
def pentalath_line(session: Session, arguments: list[str]) -> str:
    rules: Any = session.rules
    return " ".join(rules.named(rules.winning_line(session.position)))


@only_in("rosette")
def rosette_immune(session: Session, arguments: list[str]) -> str:
    rules: Any = session.rules
    return " ".join(rules.named(rules.immune(session.position)))


HANDLERS: dict[str, Handler] = {
    "aleago-commitment": aleago_commitment,
    "aleago-draw": aleago_draw,
    "aleago-open": aleago_open,
    "aleago-resume": aleago_resume,
    "aleago-reveal": aleago_reveal,
    "aleago-set_dice": aleago_set_dice,
    "alter-igo-losing_moves": alter_igo_losing_moves,
    "bot-param": bot_param,
    "pentalath-line": pentalath_line,
    "phantom-announcements": phantom_announcements,
    "phantom-hear": phantom_hear,
    "phantom-odds": phantom_odds,
    "phantom-seat": phantom_seat,
    "phantom-view": phantom_view,
    "rosette-immune": rosette_immune,
    "variant-dead": variant_dead,
    "variant-describe": variant_describe,
    "variant-get": variant_get,
    "variant-legal_moves": variant_legal_moves,
    "variant-list": variant_list,
    "variant-record": variant_record,
    "variant-resign": variant_resign,
    "variant-result": variant_result,
    "variant-set": variant_set,
    "variant-state": variant_state,
}
