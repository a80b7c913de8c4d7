"""Verifiable dice (gtp.md 4, "Dice"). The test vectors here are computed from the description alone."""

import hashlib
import hmac
from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from gtp_variants.errors import GameOver
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, SET_DICE, TURN, WHITE, pack
from gtp_variants.rules.dice import read_dice
from gtp_variants.rules.dice_stream import DiceStream, Nonce, SharedDice, throw_face
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import faces_of

SECRET = b"paper/0042"


def face(secret: bytes, draw: int, index: int, sides: int) -> int:
    """Return face `index` of draw `draw`, computed by the description for people who verify a game."""
    for attempt in range(1000):
        block = hmac.new(secret, b"draw %d face %d try %d" % (draw, index, attempt), hashlib.sha256).digest()
        number = int.from_bytes(block[:8], "big")
        if number < 2**64 - 2**64 % sides:
            return number % sides + 1
    raise AssertionError("a thousand rejections")


def throw(game: Game, dice: DiceStream) -> tuple[int, ...]:
    """Throw the dice of the game; return what they show."""
    before = game.position
    event = game.play(CHANCE, dice.draw(game))
    return faces_of(game.rules, before, event.action)


# -- faces -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [1, 2, 3, 4, 6, 8, 10, 20, 100, 999])
def test_faces_are_those_of_the_description(sides: int) -> None:
    for draw in (1, 2, 77):
        for index in (0, 1, 1000):
            assert throw_face(SECRET, draw, index, sides) == face(SECRET, draw, index, sides)


def test_a_few_faces_in_figures() -> None:
    """The values were computed once with `openssl dgst -sha256 -hmac secret` and must never change."""
    assert [throw_face(b"secret", draw, 0, 6) for draw in range(1, 7)] == [1, 2, 6, 5, 2, 5]


def test_numbers_that_would_spoil_uniformity_are_rejected() -> None:
    """gtp.md 4: "faces by rejection so that they are exactly uniform": here about half of all tries."""
    sides = 2**63 + 1
    rejected = 0
    for draw in range(1, 60):
        block = hmac.new(SECRET, f"draw {draw} face 0 try 0".encode(), hashlib.sha256).digest()
        rejected += int.from_bytes(block[:8], "big") >= sides
        assert throw_face(SECRET, draw, 0, sides) == face(SECRET, draw, 0, sides)
    assert 10 < rejected < 50


# By degrees of freedom: the 99.9 % quantiles of the chi-square distribution.
QUANTILES = {4: 16.27, 6: 20.52, 8: 24.32, 10: 27.88}


@pytest.mark.parametrize("sides", QUANTILES)
def test_faces_are_uniform(sides: int) -> None:
    thrown = Counter(throw_face(SECRET, draw, index, sides) for draw in range(1, 2001) for index in range(2))
    assert set(thrown) == set(range(1, sides + 1))
    expected = 4000 / sides
    assert sum((count - expected) ** 2 / expected for count in thrown.values()) < QUANTILES[sides]


def test_two_dice_of_one_draw_are_independent() -> None:
    pairs = Counter((throw_face(SECRET, k, 0, 4), throw_face(SECRET, k, 1, 4)) for k in range(1, 3201))
    assert len(pairs) == 16
    # The 99.9 % quantile for 15 degrees of freedom.
    assert sum((count - 200) ** 2 / 200 for count in pairs.values()) < 37.70


def test_successive_draws_are_independent() -> None:
    faces = [throw_face(SECRET, k, 0, 4) for k in range(1, 3202)]
    pairs = Counter(pairwise(faces))
    assert sum((count - 200) ** 2 / 200 for count in pairs.values()) < 37.70


# -- secrets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", ["paper/0042", "é", "", b"\x00\xff"])
def test_the_commitment_is_the_hash_of_the_secret(secret: str | bytes) -> None:
    """gtp.md 4: "the commitment `sha256(secret)`", lower-case hex."""
    raw = secret.encode() if isinstance(secret, str) else secret
    assert DiceStream(secret).commitment == hashlib.sha256(raw).hexdigest()
    assert DiceStream(secret).secret == raw


def test_without_a_secret_there_are_32_fresh_bytes() -> None:
    """gtp.md 4: "32 fresh random bytes a game"."""
    one, other = DiceStream(), DiceStream()
    assert len(one.secret) == len(other.secret) == 32
    assert one.secret != other.secret


# -- draws of a game ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "count", "sides"), [("aleago", 1, 6), ("aleago:size=19,dice=2d4", 2, 4)])
def test_draw_k_is_that_of_turn_k(spec: str, count: int, sides: int) -> None:
    """gtp.md 4: "the turn number k is stones and passes so far + 1"."""
    game, dice = Game(parse(spec)), DiceStream("paper/0042")
    for turn in range(1, 30):
        assert throw(game, dice) == tuple(face(SECRET, turn, i, sides) for i in range(count))
        actions = game.rules.actions(game.position)
        # Pass now and then, but never twice in a row.
        game.play(
            game.position.mover, PASS if turn % 5 == 0 or len(actions) == 1 else actions[turn % (len(actions) - 1)]
        )


def test_handicap_refused_moves_and_sides_passed_over_do_not_count() -> None:
    """gtp.md 4: "(handicap stones, refused moves and sides passed over do not count)"."""
    rules = parse("aleago:size=9")
    game, dice = Game(rules, {rules.board.point("E5"): BLACK}, WHITE), DiceStream(SECRET)
    assert throw(game, dice) == (face(SECRET, 1, 0, 4),)
    game.play(WHITE, rules.actions(game.position)[0])
    game.play(WHITE, TURN)
    assert throw(game, dice) == (face(SECRET, 2, 0, 4),)


def test_the_same_turn_gets_the_same_dice_after_undo() -> None:
    """gtp.md 4: "The same after undo, crash or reconnection"."""
    game, dice = Game(parse("aleago")), DiceStream(SECRET)
    first = throw(game, dice)
    game.play(BLACK, game.rules.actions(game.position)[0])
    second = throw(game, dice)
    for _ in range(3):
        game.undo()
    assert throw(game, dice) == first
    game.play(BLACK, PASS)
    assert throw(game, DiceStream(SECRET)) == second


def test_nonces_change_the_draws_for_which_they_count() -> None:
    """The key of such a draw is computed here from the description; a nonce that comes late changes no earlier draw."""
    nonces = [Nonce(3, WHITE, b"\x7a"), Nonce(1, BLACK, b"\x00\xff"), Nonce(3, BLACK, b"late")]
    game, dice = Game(parse("aleago")), DiceStream(SECRET, nonces)
    first = hmac.new(SECRET, b"nonces b 00ff", hashlib.sha256).digest()
    later = hmac.new(SECRET, b"nonces b 00ff b 6c617465 w 7a", hashlib.sha256).digest()
    for turn in range(1, 30):
        assert throw(game, dice) == (face(first if turn < 3 else later, turn, 0, 6),)
        game.play(game.position.mover, game.rules.actions(game.position)[0])
    assert dice.commitment == DiceStream(SECRET).commitment


def test_no_dice_fall_when_none_are_due() -> None:
    game, dice = Game(parse("aleago")), DiceStream(SECRET)
    throw(game, dice)
    with pytest.raises(GameOver):
        dice.draw(game)
    with pytest.raises(GameOver):
        dice.draw(Game(parse("go")))
    free = Game(parse("aleago:free_player=b"))
    with pytest.raises(GameOver):
        dice.draw(free)


def test_the_crystal_ball_shows_the_same_draws_earlier() -> None:
    """[A-9]: "same sequence of draws, only information changes"."""
    game, dice = Game(parse("aleago:crystal_ball=true")), DiceStream(SECRET)
    assert [throw(game, dice), throw(game, dice)] == [(face(SECRET, 1, 0, 6),), (face(SECRET, 2, 0, 6),)]
    for turn in range(3, 12):
        game.play(game.position.mover, game.rules.actions(game.position)[0])
        assert throw(game, dice) == (face(SECRET, turn, 0, 6),)


def test_the_turns_of_a_free_player_use_up_numbers_but_no_dice() -> None:
    game, dice = Game(parse("aleago:free_player=b")), DiceStream(SECRET)
    for turn in range(1, 8):
        if turn % 2 == 0:
            assert throw(game, dice) == (face(SECRET, turn, 0, 6),)
        game.play(game.position.mover, game.rules.actions(game.position)[0])


@pytest.mark.parametrize("seed", range(6))
def test_a_total_that_names_no_line_is_thrown_again(seed: int) -> None:
    """[A-2] (b): after a total that names no line, the next unused faces of the draw are taken."""
    rules = parse("aleago:size=9,dice=2d6,overflow=reroll,star=false")
    secret = f"reroll {seed}".encode()
    game, dice = Game(rules), DiceStream(secret)
    again = 0
    for turn in range(1, 25):
        index = 0
        while face(secret, turn, index, 6) + face(secret, turn, index + 1, 6) > 5:
            index += 2
            again += 1
        assert throw(game, dice) == (face(secret, turn, index, 6), face(secret, turn, index + 1, 6))
        actions = rules.actions(game.position)
        game.play(game.position.mover, actions[0] if len(actions) > 1 else PASS)
        if game.outcome is not None:
            break
    assert again > 0


def change(game: Game, dice: str) -> None:
    game.play(game.position.mover, pack(SET_DICE, read_dice(dice).code))


def test_a_change_of_dice_draws_again() -> None:
    """gtp.md 4, `aleago-set_dice`: "the draw of the side to move on, which is thrown anew with the new dice"."""
    game, dice = Game(parse("aleago")), DiceStream(SECRET)
    throw(game, dice)
    change(game, "1d900")
    assert throw(game, dice) == (face(SECRET, 1, 1000, 900),)
    change(game, "2d300")
    assert throw(game, dice) == (face(SECRET, 1, 2000, 300), face(SECRET, 1, 2001, 300))


def test_other_dice_before_the_throw() -> None:
    game, dice = Game(parse("aleago")), DiceStream(SECRET)
    change(game, "1d900")
    assert throw(game, dice) == (face(SECRET, 1, 1000, 900),)


def test_the_next_turn_after_a_change_of_dice_is_thrown_for_the_first_time() -> None:
    """The description: faces advance "each time the dice were changed in that turn", but not in the next turn."""
    game, dice = Game(parse("aleago")), DiceStream(SECRET)
    throw(game, dice)
    change(game, "1d900")
    throw(game, dice)
    game.play(BLACK, PASS)
    assert throw(game, dice) == (face(SECRET, 2, 0, 900),)
    game.play(WHITE, game.rules.actions(game.position)[0])
    assert throw(game, dice) == (face(SECRET, 3, 0, 900),)


def test_the_turn_of_a_change_of_dice_tells_them_apart_with_the_crystal_ball() -> None:
    """With the crystal ball, both known draws are thrown again, and the draw after them for the first time."""
    game, dice = Game(parse("aleago:crystal_ball=true")), DiceStream(SECRET)
    throw(game, dice)
    throw(game, dice)
    change(game, "1d900")
    assert throw(game, dice) == (face(SECRET, 1, 1000, 900),)
    assert throw(game, dice) == (face(SECRET, 2, 1000, 900),)
    game.play(BLACK, PASS)
    assert throw(game, dice) == (face(SECRET, 3, 0, 900),)


def test_a_draw_thrown_again_ahead_of_its_turn_continues_the_stream() -> None:
    """Each change of dice, in a turn or ahead of it, moves on to the next multiple of 1000."""
    game, dice = Game(parse("aleago:crystal_ball=true")), DiceStream(SECRET)
    change(game, "1d900")
    change(game, "1d901")
    throw(game, dice)
    assert throw(game, dice) == (face(SECRET, 2, 2000, 901),)
    game.play(BLACK, PASS)
    throw(game, dice)
    change(game, "1d902")
    assert throw(game, dice) == (face(SECRET, 2, 3000, 902),)
    assert throw(game, dice) == (face(SECRET, 3, 1000, 902),)


def test_a_change_of_dice_is_undone_with_its_throw() -> None:
    game, dice = Game(parse("aleago")), DiceStream(SECRET)
    first = throw(game, dice)
    change(game, "1d900")
    throw(game, dice)
    game.undo()
    game.undo()
    assert game.position.draws
    game.undo()
    assert throw(game, dice) == first


# -- shared dice -------------------------------------------------------------------------------------------------------


def shared_key(setup: str, *moves: str) -> bytes:
    """Return the key as described: the HMAC of the setup under the host's key, then of each move under the last key."""
    key = hmac.new(b"host", setup.encode(), hashlib.sha256).digest()
    for move in moves:
        key = hmac.new(key, move.encode(), hashlib.sha256).digest()
    return key


def test_shared_dice_follow_the_moves() -> None:
    """gtp.md 4: "face i of draw k is a function of the host's key, the moves before draw k ..., k and i"."""
    game, dice = Game(parse("aleago:size=9,star=false")), SharedDice(b"host")
    assert throw(game, dice) == (face(shared_key(""), 1, 0, 4),)
    point = game.rules.actions(game.position)[0]
    vertex = game.rules.board.vertex(point)
    game.play(BLACK, point)
    assert throw(game, dice) == (face(shared_key("", f"b {vertex}"), 2, 0, 4),)
    game.play(WHITE, PASS)
    assert throw(game, dice) == (face(shared_key("", f"b {vertex}", "w pass"), 3, 0, 4),)


def test_shared_dice_with_the_crystal_ball_follow_the_moves_before_the_draw_before() -> None:
    """gtp.md 4: "(with `crystal_ball` before draw k-1)"."""
    game, dice = Game(parse("aleago:size=9,crystal_ball=true")), SharedDice(b"host")
    assert throw(game, dice) == (face(shared_key(""), 1, 0, 4),)
    assert throw(game, dice) == (face(shared_key(""), 2, 0, 4),)
    game.play(BLACK, PASS)
    assert throw(game, dice) == (face(shared_key("", "b pass"), 3, 0, 4),)


def test_the_key_of_an_earlier_draw_is_the_same_when_asked_for_later() -> None:
    """Verification asks for past draws: draw 1 has no moves before it, however many moves followed."""
    game, dice = Game(parse("aleago:size=9,crystal_ball=true")), SharedDice(b"host")
    for _ in range(6):
        while game.position.to_play == CHANCE:
            throw(game, dice)
        game.play(game.position.mover, game.rules.actions(game.position)[0])
    for draw in (1, 2):
        assert dice.key(game, draw) == shared_key("")


def test_shared_dice_with_a_setup() -> None:
    rules = parse("aleago:size=9")
    game, dice = Game(rules, {rules.board.point("E5"): BLACK}, WHITE), SharedDice(b"host")
    assert throw(game, dice) == (face(shared_key("b E5"), 1, 0, 4),)


@pytest.mark.parametrize("spec", ["aleago:size=5", "aleago:size=5,crystal_ball=true", "aleago:size=5,free_player=w"])
def test_shared_dice_are_the_same_whatever_was_asked_taken_back_and_played_before(spec: str) -> None:
    """gtp.md 4: "The same after undo, crash or reconnection"; several processes need not ask in the same order."""
    rules, rng = parse(f"{spec},dice=1d900,end_passes=100"), Random(spec)
    game, dice = Game(rules), SharedDice(b"host")
    for _ in range(150):
        if game.events and rng.random() < 0.3:
            game.cut(rng.randrange(len(game.events)))
        elif game.position.to_play == CHANCE:
            fresh = SharedDice(b"host").draw(Game.replay(rules, game.events))
            assert dice.draw(game) == fresh
            game.play(CHANCE, fresh)
        else:
            game.play(game.position.mover, rng.choice(rules.actions(game.position)))
    for draw in range(1, len(game.turns()) + 2):
        assert dice.key(game, draw) == SharedDice(b"host").key(game, draw)
