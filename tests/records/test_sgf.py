"""SGF: exact round trips of our own files, other programs' files, and boards that any program shows correctly."""

from itertools import groupby

import pytest
from sgfmill import boards, sgf

from gtp_variants.errors import RecordError
from gtp_variants.records.record import Record, Time
from gtp_variants.records.sgf.dialects import size_of
from gtp_variants.records.sgf.games import from_sgf, read_collection, to_sgf
from gtp_variants.records.sgf.syntax import games_of
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, RED, WHITE, Event
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from tests.records.games import game, names, recorded

Stones = set[tuple[str, tuple[int, int]]]


def is_known_to_sgfmill(rules: Rules) -> bool:
    """Return True if sgfmill supports the board: it must be square, of size 2 to 26."""
    return rules.board.geometry == "rect" and 1 < rules.board.width == rules.board.height


@pytest.mark.parametrize("name", names())
def test_a_game_comes_back_exactly(name: str) -> None:
    played = recorded(name)
    text = to_sgf(Record(played))
    assert from_sgf(text).game == played
    assert from_sgf(text.encode()).game == played


def test_a_record_comes_back_exactly() -> None:
    record = Record(
        game("aleago:size=9", "chance 3, b C3, chance 1, w resign"),
        dice="secret",
        commitment="ab" * 32,
        secret=b"\x00\xff",
        told=frozenset({2, 7}),
        players={BLACK: 'Zoé "Z"', WHITE: "]\\"},
        comment="one \\ two ]\n;B[aa]",
    )
    assert from_sgf(to_sgf(record)) == record
    assert from_sgf(to_sgf(Record(record.game, secret=b""))).secret == b""


def test_the_text_reads_as_documented() -> None:
    played = game("aleago:size=9", "chance 3, b C3, chance 1, w pass, b set_dice 2d6, chance 2 5, b resign")
    assert to_sgf(Record(played, players={BLACK: "Ada"}, dice="shared")) == (
        "(;GM[1]FF[4]CA[UTF-8]AP[gtp-variants:1]SZ[9]KM[7.5]RU[Aléago]PB[Ada]RE[W+R]"
        f"VARIANT[{played.rules.spec}]DICE[shared]\n"
        ";EVENT[chance 3]B[cg]C[draw 3: line 3 is open]\n"
        ";EVENT[chance 1]W[]C[draw 1: line 1 is open]\n"
        ";EVENT[b set_dice 2d6][chance 2 5][b resign]C[White wins by resignation])\n"
    )


def test_refused_tries_and_announcements_are_told() -> None:
    text = to_sgf(Record(game("phantom:size=5,lang=fr", "b C3, w C3, w D3, b pass")))
    assert ";EVENT[w C3]W[dc]C[C3: coup impossible\nBlanc a joué]" in text


def test_red_stones_have_properties_of_their_own() -> None:
    played = game("pentalath:players=3", "b D4, r E4, w resign", {0: RED, 5: WHITE, 9: BLACK}, BLACK)
    text = to_sgf(Record(played))
    assert "AB[cl]AW[fm]ADDRED[am]PL[B]" in text
    assert ";B[dj]\n;R[ej]\n;EVENT[w resign]" in text


def test_a_handicap_is_one_for_other_programs() -> None:
    played = game("go:size=9", "", {20: BLACK, 60: BLACK, 24: BLACK}, WHITE)
    assert "HA[3]AB[cg][gg][gc]PL[W]" in to_sgf(Record(played))


@pytest.mark.parametrize("name", names(is_known_to_sgfmill))
def test_other_programs_show_the_same_boards(name: str) -> None:
    """Boards are compared at every node, a setup node together with the move before it, in games of all kinds."""
    played = recorded(name)
    ours = [_named(played.rules.board, position.stones) for position in played.positions]
    assert _without_repeats(_boards_of_sgfmill(to_sgf(Record(played)))) == _without_repeats(ours)


def _boards_of_sgfmill(text: str) -> list[Stones]:
    read = sgf.Sgf_game.from_string(text)
    board = boards.Board(read.get_size())
    shown = []
    nodes = read.get_main_sequence()
    for node, following in zip(nodes, [*nodes[1:], None], strict=True):
        colour, move = node.get_move()
        if move is not None:
            board.play(*move, colour)
        if node.has_setup_stones():
            board.apply_setup(*node.get_setup_stones())
        if following is None or not following.has_setup_stones():
            shown.append({(colour, point) for colour, point in board.list_occupied_points()})
    return shown


def _named(board: Board, stones: bytes) -> Stones:
    """Return stones in sgfmill's form: colour, (row, column)."""
    return {(COLOUR_LETTERS[colour], board.cells[p][::-1]) for p, colour in enumerate(stones) if colour}


def _without_repeats(shown: list[Stones]) -> list[Stones]:
    return [stones for stones, _ in groupby(shown)]


# -- files of other programs ------------------------------------------------------------------------------------------


def vertices(record: Record) -> list[str]:
    """Return the moves of a game as texts such as "b D4"."""
    board = record.game.rules.board
    return [
        f"{COLOUR_LETTERS[e.actor]} {board.vertex(e.action) if e.action >= 0 else 'pass'}" for e in record.game.turns()
    ]


def test_size_komi_and_moves_of_a_plain_file() -> None:
    record = from_sgf("(;GM[1]SZ[9]KM[0.5]PB[Ada]RE[B+R];B[cc];W[gg];B[];W[tt])")
    assert record.game.rules.spec.startswith("go:size=9,komi=0.5,")
    assert vertices(record) == ["b C7", "w G3", "b pass", "w pass"]
    assert (record.players, record.result) == ({BLACK: "Ada"}, "B+R")


def test_the_default_size_is_19_and_blanks_do_not_count() -> None:
    record = from_sgf("\ufeff some mail header\n( ;\n B [ dd ]\t;W[\npp])  trailing ")
    assert vertices(record) == ["b D16", "w Q4"]


def test_a_root_without_its_semicolon() -> None:
    record = from_sgf("(\r\nPB[Ada]\nKO[6.5] SZ[9]\n;B[aa];W[bb](;B[cc])(;B[dd]))(;SZ[9])")
    assert vertices(record) == ["b A9", "w B8", "b C7"]
    assert record.players == {BLACK: "Ada"}
    assert vertices(from_sgf("see (note[1])\n(;SZ[9];B[aa])")) == ["b A9"]


def test_the_main_line_is_the_first_variation() -> None:
    text = "(;SZ[9];B[aa](;W[bb](;B[cc];W[dd])(;B[ee]))(;W[ff];B[gg]))"
    assert vertices(from_sgf(text)) == ["b A9", "w B8", "b C7", "w D6"]


def test_old_property_names_and_escapes() -> None:
    record = from_sgf("(;SiZe[9]PlayerBlack[A\\]\\\\\\\nd\\a]Comment[x];Black[aa];White[bb])")
    assert record.players == {BLACK: "A]\\da"}
    assert vertices(record) == ["b A9", "w B8"]


def test_encodings() -> None:
    assert from_sgf("(;SZ[9]PB[Zoé])".encode("latin-1")).players == {BLACK: "Zoé"}
    assert from_sgf("(;CA[UTF-8]SZ[9]PB[é])".encode()).players == {BLACK: "é"}
    assert from_sgf("\ufeff(;SZ[9]PB[é])".encode()).players == {BLACK: "é"}
    assert from_sgf("(;SZ[9]PB[棋])".encode()).players == {BLACK: "棋"}
    # The second byte of a Shift JIS character may be a backslash.
    assert from_sgf("(;CA[Shift_JIS]SZ[9]PB[ソ表])".encode("cp932")).players == {BLACK: "ソ表"}
    assert from_sgf("(;CA[x-sjis]SZ[9]PB[ソ])".encode("cp932")).players == {BLACK: "ソ"}
    assert from_sgf("(;CA[gb18030]SZ[9]PB[棋])".encode("gb18030")).players == {BLACK: "棋"}
    for charset in ("utf-16-le", "utf-16-be"):
        assert from_sgf("\ufeff(;SZ[9]PB[棋])".encode(charset)).players == {BLACK: "棋"}
        assert from_sgf("(;CA[UTF-16]SZ[9]PB[棋])".encode(charset)).caveats == []
        unmarked = from_sgf("\n(;SZ[9]PB[棋])".encode(charset))
        assert unmarked.players == {BLACK: "棋"}
        assert [(each.key, each.parts["charset"]) for each in unmarked.caveats] == [("encoding", charset)]
    assert from_sgf("(;CA[zip]SZ[9]PB[é])".encode()).players == {BLACK: "é"}
    # If every byte is ASCII, the encoding does not matter.
    assert from_sgf(b"(;CA[nonsense]SZ[9]PB[Ada])").players == {BLACK: "Ada"}


def test_setup_point_lists_and_who_begins() -> None:
    record = from_sgf("(;SZ[5]AB[aa:bb][ee]AW[ca];W[cc])")
    assert record.game.setup == {15: BLACK, 16: BLACK, 20: BLACK, 21: BLACK, 4: BLACK, 22: WHITE}
    assert record.game.first == WHITE
    assert from_sgf("(;SZ[9]HA[2]AB[cc][gg])").game.position.mover == WHITE
    assert from_sgf("(;SZ[9]AB[cc]PL[B])").game.position.mover == BLACK
    assert from_sgf("(;SZ[9];PL[W])").game.position.mover == WHITE
    # GoGui writes PL into every node, for the turn that follows the node's move.
    gogui = from_sgf("(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[9]\n;B[aa]PL[W]\n;W[bb]PL[B])").game
    assert (gogui.first, len(gogui.events)) == (None, 2)


def test_a_setup_later_on_makes_a_new_start() -> None:
    played = from_sgf("(;SZ[9];B[aa];W[bb];AE[aa]AB[cc];W[dd])").game
    assert played.setup == {64: WHITE, 56: BLACK}
    assert vertices(Record(played)) == ["w D6"]


def test_turns_passed_over_and_games_that_continue_after_two_passes() -> None:
    played = from_sgf("(;SZ[9];B[aa];B[bb];W[];B[];W[cc];W[];B[];W[];B[])").game
    words = [(event.actor, event.action) for event in played.events]
    assert vertices(Record(played)) == ["b A9", "b B8", "w pass", "b pass", "w C7", "w pass", "b pass", "w pass"]
    assert len(words) == 8 + 3


def test_stones_after_three_passes_or_more() -> None:
    """Go programs have no confirmed end: a stone may follow any number of passes."""
    for count in range(2, 7):
        moves = ["aa", *[""] * count, "cc", ""]
        text = "".join(f";{colour}[{move}]" for colour, move in zip("BW" * 5, moves, strict=False))
        played = from_sgf(f"(;SZ[9]{text})").game
        assert [words.split()[1] for words in vertices(Record(played))] == ["A9", *["pass"] * count, "C7", "pass"]
        assert not played.rules.is_over(played.position)
    ended = from_sgf("(;SZ[9];B[aa];W[];B[];W[];B[])").game
    assert ended.rules.is_final(ended.position)
    with pytest.raises(RecordError, match=r"node 4: illegal move \(game over\)"):
        from_sgf("(;SZ[9];B[aa];W[];B[];W[bb])", parse("aleago:size=9,agreement=false"), draws=lambda game, event: 0)


def test_the_position_before_a_move() -> None:
    text = "(;SZ[9];B[aa];C[no move];W[bb];B[cc]RE[x])"
    assert vertices(from_sgf(text, before_move=3)) == ["b A9", "w B8"]
    assert vertices(from_sgf(text, before_move=1)) == []
    assert vertices(from_sgf(text, before_move=99)) == ["b A9", "w B8", "b C7"]
    own = to_sgf(Record(game("phantom:size=5", "b C3, w C3, w D3, b pass, w pass, b resume, b A1, w resign")))
    assert len(from_sgf(own, before_move=2).game.events) == 1
    assert len(from_sgf(own, before_move=5).game.events) == 6
    draws = to_sgf(Record(game("aleago:size=9", "chance 3, b C3, chance 1, w pass")))
    thrown = from_sgf(draws, before_move=2)
    assert (thrown.game.events[-1].actor, thrown.game.position.to_play, thrown.result) == (CHANCE, WHITE, None)


def test_other_games_than_go_by_their_rules() -> None:
    record = from_sgf("(;SZ[9:5];B[aa];W[ie])", parse("alter-igo:width=9,height=5"))
    assert vertices(record) == ["b A5", "w J1"]
    with pytest.raises(RecordError, match=r"SZ\[9:9\]: expected 9:5, the size of this board"):
        from_sgf("(;SZ[9])", parse("alter-igo:width=9,height=5"))
    with pytest.raises(RecordError, match="node 2: illegal move \\(not your turn\\)"):
        from_sgf("(;SZ[9];B[aa];B[ie])", parse("alter-igo"))


def test_draws_that_a_file_lacks_come_from_the_caller() -> None:
    rules, text = parse("aleago:size=9"), "(;SZ[9];B[cc];W[aa];B[])"

    def opened(played: Game, event: Event) -> int:
        return played.rules.lines[event.action] - 1 if event.action >= 0 else 0  # type: ignore[attr-defined]

    with pytest.raises(RecordError, match="node 1: the file lacks the dice throws of this game"):
        from_sgf(text, rules)
    record = from_sgf(text, rules, draws=opened)
    assert [event.action for event in record.game.events if event.actor == CHANCE] == [2, 0, 0]


@pytest.mark.parametrize(
    ("written", "komi"),
    [
        *[(text, 6.5) for text in ("6.5", "6,5", " 6.5 points", "6.5 pts.", "6.5moku", "6.5目", "+6.5 Points")],
        *[("-1 point", -1), ("", 7.5)],
    ],
)
def test_komi_with_its_unit(written: str, komi: float) -> None:
    assert from_sgf(f"(;SZ[9]KM[{written}])").game.rules.values["komi"] == komi


@pytest.mark.parametrize(
    ("written", "colour"),
    [("1", BLACK), ("2", WHITE), ("b", BLACK), ("WHITE", WHITE), ("Black to play", BLACK), ("w ", WHITE)],
)
def test_spellings_of_who_begins(written: str, colour: int) -> None:
    assert from_sgf(f"(;SZ[9]AB[aa]AW[bb]PL[{written}])").game.position.mover == colour


def test_a_collection() -> None:
    text = "(;SZ[9];B[aa])\n\n(;SZ[5];B[bb](;W[cc])(;W[dd])) "
    assert [vertices(record) for record in read_collection(text) if isinstance(record, Record)] == [
        ["b A9"],
        ["b B4", "w C3"],
    ]
    assert [size_of(read.main_line()[0]) for read in games_of(text)] == [(9, 9), (5, 5)]
    good, bad = read_collection("(;SZ[9])(;SZ[9]AB[aa];W[aa])")
    assert isinstance(good, Record)
    assert str(bad) == "game 2: node 1: illegal move (occupied): A9 holds a black stone"
    assert vertices(from_sgf(text, number=2)) == ["b B4", "w C3"]
    for number in (3, 0, -1):
        with pytest.raises(RecordError, match=f"game {number}: expected 1 to"):
            from_sgf(text, number=number)


def test_a_fault_in_a_game_spoils_no_other() -> None:
    first, second, third = read_collection("(;SZ[9];B[aa])(;SZ[x])(;SZ[9];B[bb]")
    assert isinstance(first, Record)
    assert str(second) == "game 2: SZ[x]: expected a size such as 19 or 13:9"
    assert isinstance(third, Record)
    assert vertices(third) == ["b B8"]


def test_repetition_as_the_rules_of_the_file_have_it() -> None:
    for named, meant in {"Japanese": "simple", "AGA": "ssk", "Chinese": "psk", "": "psk"}.items():
        assert from_sgf(f"(;SZ[9]RU[{named}])").game.rules.values["repetition"] == meant


def test_times_as_every_program_reads_them_and_exactly_for_us() -> None:
    played = game("phantom:size=5", "b C3, w C3, w D3, b pass, w resign")
    times = {0: Time(1.25, 598.75), 1: Time(0.1), 2: Time(1e-7, 30.0, 3), 4: Time(left_s=0.0)}
    record = Record(played, main_s=600, overtime="3x30 byo-yomi", times=times)
    text = to_sgf(record)
    assert "TM[600]OT[3x30 byo-yomi]" in text
    assert ";B[cc]BL[598.75]TIME[0 1.25 598.75 -]" in text
    assert ";EVENT[w C3]W[dc]WL[30]OW[3]TIME[0 0.1 - -][1 0.0000001 30 3]" in text
    assert from_sgf(text) == record
    assert set(from_sgf(text, before_move=2).times) == {0}


def test_times_of_other_programs() -> None:
    text = "(;SZ[9]TM[1800]OT[25/600 Canadian];B[aa]BL[1790.5];W[bb]WL[600]OW[25];B[cc]BL[soon];AB[dd];W[ee]WL[7])"
    assert from_sgf(text).times == {0: Time(left_s=7.0)}
    record = from_sgf(text.replace("AB[dd]", ""))
    assert (record.main_s, record.overtime) == (1800.0, "25/600 Canadian")
    assert record.times == {0: Time(left_s=1790.5), 1: Time(left_s=600.0, left_count=25), 3: Time(left_s=7.0)}
    assert from_sgf("(;SZ[9]TM[30 ages])").main_s is None


FAULTS = {
    "line 1, column 100001: variations nested more than 50000 deep": "(;" * 60_000,
    "no game found": "hello",
    "line 1, column 3: the text ends before the ) for the ( at line 1, column 1": "(;",
    "SZ[x]: expected a size": "(;SZ[x])",
    "GM[2]: expected 1, the game of Go": "(;GM[2])",
    "komi=much: expected": "(;KM[much])",
    "size=52: expected 1 to 25": "(;SZ[52])",
    "node 1: B[zz]: expected a point of a board of 9 by 9": "(;SZ[9];B[zz])",
    "node 2: illegal move (occupied)": "(;SZ[9];B[aa];W[aa])",
    "node 4: illegal move (suicide): a stone on A5 would have no liberty": "(;SZ[5];B[ba];W[ee];B[ab];W[aa])",
    "node 0: AB[a]: expected a point": "(;SZ[9]AB[a])",
    "node 0: AB: more values than": "(;SZ[2]AB[aa][aa][aa][aa][aa])",
    "node 204: more than 100 setups": "(;SZ[9]" + ";AB[aa];AE[aa]W[]" * 102 + ")",
    "node 0: setup: the chain on A9 has no liberty": "(;SZ[9]AB[aa]AW[ab][ba])",
    "node 0: PL[X]: expected a colour": "(;SZ[9]PL[X])",
    "VARIANT: unknown game 'chess'": "(;VARIANT[chess])",
    "node 1: EVENT[b]: expected two words": "(;VARIANT[go];EVENT[b])",
    "node 1: expected at most one move, got 2": "(;VARIANT[go];B[aa]W[bb])",
    "node 1: illegal move (line)": "(;VARIANT[aleago:size=9];EVENT[chance 1]B[ee])",
    "node 1: illegal move (not your turn): the dice": "(;VARIANT[aleago:size=9];B[])",
    "DICE: expected secret or shared": "(;VARIANT[go]DICE[x])",
    "SECRET: expected pairs of lower-case hex": "(;VARIANT[go]SECRET[x])",
    "NONCES: expected a first draw, a colour and hex": f"(;VARIANT[go]NONCES[1 b {'00' * 65}])",
    "NONCES: expected a first draw": "(;VARIANT[go]NONCES[1 b 00][2 b 01])",
    "TOLD: expected a list of turn numbers": "(;VARIANT[go]TOLD[x])",
    "node 1: TIME[0 1.5]: expected four numbers": "(;VARIANT[go];B[aa]TIME[0 1.5])",
    "node 1: TIME[0 9999999999 - -]: 9999999999.0 seconds": "(;VARIANT[go];B[aa]TIME[0 9999999999 - -])",
}


SUICIDE_OF_TWO = ";B[ac];W[aa];B[bb];W[ee];B[ca];W[ba];B[ed];W[ab];B[dd])"


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("RU[AGA]", "by the rules of go:size=5,komi=0,repetition=ssk,handicap_bonus=N-1 and not AGA, as the file says"),
        ("", "by the rules of go:size=5,komi=0"),
    ],
)
def test_a_move_that_only_other_rules_allow_is_told_with_the_rules_that_forbid_it(named: str, told: str) -> None:
    with pytest.raises(RecordError) as caught:
        from_sgf(f"(;SZ[5]KM[0]{named}{SUICIDE_OF_TWO}")
    assert str(caught.value) == f"node 8: illegal move (suicide): a stone on A4 would have no liberty, {told}"


@pytest.mark.parametrize(("said", "text"), FAULTS.items(), ids=list(FAULTS))
def test_a_fault_is_named_with_its_place(said: str, text: str) -> None:
    with pytest.raises(RecordError) as caught:
        from_sgf(text)
    assert said in str(caught.value)
