"""`verify`: which statements of a record are true."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record, Verdict, verify
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, RESIGN, SET_DICE, WHITE, pack
from gtp_variants.rules.dice import read_dice
from gtp_variants.rules.dice_stream import DiceStream, Nonce
from gtp_variants.rules.game import Game
from tests.records.games import game


def thrown(spec: str = "aleago:size=9", secret: str = "s", nonces: Sequence[Nonce] = ()) -> Record:
    """Return the record of a game of ten turns with honest dice, one draw of which was given by the host."""
    dice, played = DiceStream(secret, nonces), Game(parse(spec))
    while played.position.turn < 11:
        while played.position.to_play == CHANCE:
            honest = dice.draw(played)
            told = played.position.turn == 4
            played.play(CHANCE, (honest + 1) % 4 if told else honest)
        played.play(played.position.mover, played.rules.actions(played.position)[0])
    played.play(played.position.mover, RESIGN)
    return Record(played, "secret", dice.commitment, dice.secret, told=frozenset({4}), nonces=nonces)


def test_honest_dice_and_result() -> None:
    verdict = verify(from_json(to_json(thrown())))
    assert verdict.kind == "consistent"
    assert verdict.unproved == ("dice",)
    assert verdict.lines == (
        "the secret matches the commitment",
        "throws checked: 9, wrong: 0",
        "throws set by the host, which cannot be checked: 1",
        "result W+R: White wins by resignation",
    )


def test_draws_follow_from_the_secret_and_the_nonces() -> None:
    nonces = (Nonce(1, BLACK, b"Ada's"), Nonce(6, WHITE, b"Bea's"))
    record = thrown(nonces=nonces)
    for read in (from_json(to_json(record)), from_sgf(to_sgf(record))):
        assert read.nonces == nonces
        verdict = verify(read)
        assert verdict.kind == "consistent"
        assert verdict.lines[1].startswith(
            "the draws depend on the players' nonces (first draw, colour, hex): 1 b 41646127"
        )
        assert verdict.lines[2] == "throws checked: 9, wrong: 0"
    # A host that leaves a nonce out, or lets it count later, is found out.
    for other in ((), nonces[:1], (nonces[0], Nonce(7, WHITE, b"Bea's")), (nonces[0], Nonce(6, WHITE, b"Eve's"))):
        assert verify(replace(record, nonces=other)).kind == "false"


def test_the_crystal_ball_looks_one_turn_ahead() -> None:
    assert verify(replace(thrown("aleago:size=9,crystal_ball=true"), told=frozenset({4, 5}))).kind == "consistent"


def test_a_draw_that_was_not_thrown() -> None:
    verdict = verify(replace(thrown(), told=frozenset()))
    assert verdict.kind == "false"
    assert verdict.faults[0].startswith("draw of turn 4: the dice show ")


def test_another_secret_than_the_committed_one() -> None:
    verdict = verify(replace(thrown(), secret=b"t"))
    assert verdict.kind == "false"
    assert verdict.faults[0] == "the secret does not match the commitment"


def test_unverifiable_facts_are_listed() -> None:
    hidden = verify(replace(thrown(), secret=None))
    assert hidden.kind == "consistent"
    assert "throws that cannot be checked: 9 (the secret is not revealed)" in hidden.lines
    contradiction = verify(replace(thrown(), dice="shared"))
    assert contradiction.kind == "false"
    uncommitted = verify(replace(thrown(), commitment=None))
    assert uncommitted.kind == "false"
    shared = verify(replace(thrown(), dice="shared", secret=None, commitment=None))
    assert shared.kind == "consistent"
    assert "throws that cannot be checked: 9 (the dice are shared)" in shared.lines


def test_dice_that_were_changed_and_a_free_player() -> None:
    dice, played = DiceStream("x"), Game(parse("aleago:size=9,free_player=b"))
    played.play(BLACK, PASS)
    played.play(CHANCE, dice.draw(played))
    played.play(WHITE, pack(SET_DICE, read_dice("3d20").code))
    played.play(CHANCE, dice.draw(played))
    verdict = verify(Record(played, "secret", dice.commitment, dice.secret))
    assert verdict.kind == "proven"
    assert "throws checked: 2, wrong: 0" in verdict.lines


def test_a_result_the_board_does_not_bear_out() -> None:
    verdict = verify(Record(game("go:size=3", "b B2, w pass, b pass"), result="W+R"))
    assert verdict == Verdict(("the record says W+R, but the replayed game ends with B+1.5",), ())
    assert verify(Record(game("go:size=3", "b B2"))).lines == ("the game is not over",)


@pytest.mark.parametrize("result", ["B+R", "W+Resign", "B+T", "W+Time", "B+F", "W+", "B+3.5", "Void", "?", "0"])
def test_how_a_game_of_another_program_was_given_up_cannot_be_checked(result: str) -> None:
    """Such a file has only moves; only its result says that somebody resigned or ran out of time."""
    verdict = verify(from_sgf(f"(;GM[1]SZ[9]RE[{result}];B[ee];W[cc])".encode()))
    assert verdict.kind == "consistent"
    assert verdict.lines == (
        f"the moves end before the game is over; the record says {result}, which cannot be checked",
    )
    # In our own record the resignation is an event, which ends the game.
    assert verify(replace(thrown(), result=result)).kind == "false"


@pytest.mark.parametrize("result", ["W+3.5x", "X+R", "Both Lost", "see comments"])
def test_unreadable_result_of_another_program_cannot_be_checked(result: str) -> None:
    line = f"the record's result, {result}, cannot be read or checked"
    assert verify(from_sgf(f"(;GM[1]SZ[9]RE[{result}];B[ee])".encode())) == Verdict((), (line,), ("result",))
    assert verify(foreign(result)) == Verdict((), (line,), ("result",))
    # Our own records state results in one form only.
    assert verify(replace(thrown(), result=result)).kind == "false"


def test_result_in_other_words_is_shown_with_its_meaning() -> None:
    verdict = verify(from_sgf("(;GM[1]CA[UTF-8]SZ[9]RE[白中盘胜];B[ee])".encode()))
    line = "the moves end before the game is over; the record says 白中盘胜 (W+R), which cannot be checked"
    assert verdict == Verdict((), (line,), ("result",))


@pytest.mark.parametrize(
    "result", ["White wins by 1.5 points", "W+1,5", "白勝１目半", "백 1집반승", "白胜3/4子", "W+1 1/2."]
)
def test_result_in_other_words_holds_where_the_board_bears_it_out(result: str) -> None:
    assert verify(foreign(result, "RU[Tromp-Taylor]")).lines == ("result W+1.5: White wins by 1.5 points",)


@pytest.mark.parametrize("result", ["Black wins by 1.5 points", "W+1 3/4 zi", "Jigo", "흑 반집승"])
def test_result_in_other_words_does_not_hold_against_the_board(result: str) -> None:
    verdict = verify(foreign(result, "RU[Tromp-Taylor]"))
    assert verdict.kind == "false"
    assert verdict.faults[0].endswith("the replayed game ends with W+1.5")


@pytest.mark.parametrize("result", ["", " "])
def test_empty_result_says_nothing(result: str) -> None:
    verdict = verify(from_sgf(f"(;GM[1]SZ[9]RE[{result}];B[ee])".encode()))
    assert verdict == Verdict((), ("the game is not over",))


def test_letters_that_steer_a_terminal_are_not_shown() -> None:
    verdict = verify(from_sgf(b"(;GM[1]SZ[9]RE[\x1b]0;x\x07];B[ee])".replace(b"]0", b"\\]0")))
    assert all(line.isprintable() for line in verdict.lines)


def foreign(result: str, rules: str = "RU[Japanese]") -> Record:
    """Return a game with two walls and two passes: by area Black has three columns of five, White two and the komi."""
    moves = "B[cc];W[dc];B[cb];W[db];B[ca];W[da];B[cd];W[dd];B[ce];W[de];B[];W[]"
    return from_sgf(f"(;GM[1]CA[UTF-8]SZ[5]KM[6.5]{rules}RE[{result}];{moves})".encode())


@pytest.mark.parametrize(
    ("rules", "named"), [("RU[Japanese]", "Japanese"), ("RU[Chinese]", "Chinese"), ("", "not named")]
)
@pytest.mark.parametrize("result", ["B+2.5", "W+16.5", "0", "Draw"])
def test_another_programs_count_is_shown_beside_ours(rules: str, named: str, result: str) -> None:
    """The file does not say by which rules the program counted and which stones it took for dead."""
    verdict = verify(foreign(result, rules))
    assert verdict.kind == "consistent"
    assert verdict.lines == (
        f"the record says {result}, counted by another program (rules: {named}); counted here by area, with every "
        "stone as it stands, it is W+1.5. The other count cannot be checked, because the file does not say which "
        "stones were dead",
    )


@pytest.mark.parametrize("result", ["W+1.5", "W+1.50"])
def test_another_program_that_counted_as_we_do(result: str) -> None:
    assert verify(foreign(result)).lines == ("result W+1.5: White wins by 1.5 points",)


@pytest.mark.parametrize("result", ["B+R", "W+T", "?", "Void"])
def test_another_programs_game_that_was_given_up_after_the_passes(result: str) -> None:
    verdict = verify(foreign(result))
    assert verdict.kind == "consistent"
    assert verdict.lines == (f"the game ends by passes; the record says {result}, which cannot be checked",)


def test_a_wrong_count_by_our_rules_is_found() -> None:
    """Tromp-Taylor rules count as we do. A record in our format must state our count, whoever wrote its result."""
    for rules in ("RU[Tromp-Taylor]", "RU[tromp taylor]", "VARIANT[go:size=5,komi=6.5]RU[Japanese]"):
        assert verify(foreign("B+2.5", rules)).kind == "false"
        assert verify(foreign("W+1.5", rules)).kind == "proven"
    ours = foreign("B+2.5").game
    assert verify(from_json(to_json(Record(ours, result="B+2.5")))).kind == "false"


GUESSED = [
    ("KM[abc]RE[B+17.5];B[cc];W[];B[])", "no_komi"),
    ("KM[375]RE[B+17.5];B[cc];W[];B[])", "komi"),
    ("KM[7.5]RE[B+17.5]AB[zz];B[cc];W[];B[])", "no_point"),
    ("KM[7.5]RE[B+17.5];B[cc];W[];B[]", "ends"),
    ("KM[7.5]RE[B+17.5];B[cc]!;W[];B[])", "stray"),
    ("KM[7.5]RE[B+17.5];B[cc];W[];B[](;W[]);W[aa])", "misplaced"),
]


@pytest.mark.parametrize(("text", "caveat"), GUESSED)
@pytest.mark.parametrize("rules", ["RU[Tromp-Taylor]", "RU[Chinese]"])
def test_what_was_guessed_proves_no_result_and_contradicts_none(text: str, caveat: str, rules: str) -> None:
    for result in ("B+17.5", "B+3"):
        record = from_sgf(f"(;GM[1]SZ[5]{rules}{text.replace('B+17.5', result)}", is_lenient=True)
        assert caveat in {each.key for each in record.caveats}
        verdict = verify(record)
        assert (verdict.kind, verdict.unproved) == ("consistent", ("result",))
    certain = from_sgf(f"(;GM[1]SZ[5]{rules}KM[7.5]RE[B+17.5]PB[Zoé];B[cc];W[];B[])".encode("cp1252"))
    assert ([each.key for each in certain.caveats], verify(certain).kind) == (["encoding"], "proven")


def test_commitment_that_a_player_noted_counts() -> None:
    record = replace(thrown(), told=frozenset({4}))
    noted = str(record.commitment)
    assert verify(record, commitment=noted) == verify(record)
    assert verify(replace(record, commitment=None), commitment=noted).faults == ()
    other = verify(record, commitment="0" * 64)
    assert other.faults == (
        f"the record's commitment, {noted}, is not the given commitment",
        "the secret does not match the commitment",
    )


def test_forged_draw_is_never_proven() -> None:
    """Whatever a forger also cuts away or adds, the draws cannot be proved or contradict the secret."""
    dice, played = DiceStream("s"), Game(parse("aleago:size=9"))
    due = dice.draw(played)
    for draw in range(4):
        played = Game(parse("aleago:size=9"))
        played.play(CHANCE, draw)
        played.play(BLACK, RESIGN)
        told = frozenset({1})
        whole = Record(played, "secret", dice.commitment, dice.secret)
        assert verify(whole).kind == ("proven" if draw == due else "false")
        for changed in (
            replace(whole, secret=None),
            replace(whole, secret=None, commitment=None),
            replace(whole, secret=None, commitment=None, dice=None),
            replace(whole, secret=None, commitment=None, dice="shared"),
            replace(whole, told=told),
        ):
            assert verify(changed).kind == "consistent"
            assert verify(changed).unproved == ("dice",)
        assert verify(replace(whole, commitment=None)).kind == "false"
