"""Valid GTP lines, invalid lines, and bytes that are not lines."""

from random import Random

SPECS = (
    "go:size=3 go:size=1 go:size=5,repetition=nssk,dead=agreed go:size=2,repetition=simple go:size=9,repetition=none "
    "aleago:size=5,dice=1d4 aleago:size=9,crystal_ball=true aleago:size=5,free_player=b,crystal_ball=true "
    "aleago:size=5,dice=2d4,overflow=reroll aleago:size=4,mapping=original aleago:size=3,agreement=false "
    "aleago:size=3,end_passes=1 aleago:size=5,dice=2d4,overflow=pass,double_whole_board=true,fallback_ko=false "
    "aleago:size=1 aleago:size=3,free_player=w,dead=agreed aleago:size=2,mapping=1.2/2.1,star_lines=inner "
    "phantom:size=3 phantom:size=5,lang=fr,announce=joined phantom:size=4,impossible=private,dead=agreed "
    "phantom:size=5,atari=all,self_atari=new_only "
    "rosette:n=1 rosette:n=2 rosette:n=2,supply=4,rosette_suicide=legal rosette:n=2,immunity=false,repetition=psk "
    "alter-igo:size=3 alter-igo:width=2,height=4,white_passes=2 alter-igo:size=1 alter-igo:size=2,repetition=situation "
    "alter-igo:width=1,height=3,first=w,repeat_count=2 "
    "pentalath pentalath:board=hexhex5,swap=true,repetition=draw3 pentalath:players=3,no_move=pass,supply=5 "
    "pentalath:players=3,no_move=loss,supply=3,repetition=draw3_situation pentalath:no_move=loss,supply=4"
).split()

_COLOURS = "b w b w b w black white r B W x".split()
_VERTICES = [f"{column}{row}" for column in "ABCDEFG" for row in range(1, 8)]
_WORDS = [*_VERTICES, "pass", "pass", "resign", "swap", "J9", "AA3", "I5", "Z99", "A0", "7", "a1", "PASS", "#", "A1#"]
_NUMBERS = "0 1 2 3 4 5 7 9 13 -1 1.5 x 99999999999 7.5 1e9 nan 1e400 inf 0x10 1_000 ٣".split()
_DICE = "1d4 1d6 2d4 1d1 9d9 x 2d50 1d999".split()
_KEYS = (
    "interval N;minmoves N;maxmoves N;ownership true;movesOwnership true;rootInfo true;rootInfo maybe;avoid C V 1;"
    "avoid C V,V,pass N;allow C V,V 2;allow C V N;allow C;N"
).split(";")
_TIMES = ("none", "absolute 5", "byoyomi 5 5 2", "canadian 1 1 1", "fischer 5 1", "fischer-capped 1 2 3 4", "x")

# Each kind of line as often as it stands here; C is a colour, V a vertex, N a number, K a key of analysis, and so on.
_FORMS = (
    ["play C V"] * 30
    + ["genmove C"] * 20
    + ["undo"] * 4
    + """gg-undo N;aleago-draw;aleago-draw C N;aleago-draw C N N;aleago-draw C free;aleago-open;aleago-set_dice D
    aleago-resume;aleago-reveal;aleago-commitment;phantom-view C;phantom-announcements;phantom-announcements all
    alter-igo-losing_moves;alter-igo-losing_moves C;pentalath-line;rosette-immune;variant-state;variant-state C
    variant-legal_moves;variant-legal_moves C;variant-result;variant-resign C;variant-record;variant-describe
    variant-get;variant-describe S;variant-dead V;gogui-rules_game_id;gogui-rules_board;gogui-rules_legal_moves
    gogui-rules_board_gfx;gogui-rules_side_to_move;gogui-rules_captured_count;gogui-rules_final_result;gogui-rules_board_size;gogui-title
    gogui-play_sequence C V C V C V;gogui-setup C V C V;gogui-setup_player C;clear_board;boardsize N;komi N
    rectangular_boardsize N N;kgs-rules aga;kgs-rules japanese;kgs-rules x;fixed_handicap N;place_free_handicap N
    set_free_handicap V V V;final_score;final_status_list alive;final_status_list dead;reg_genmove C;showboard;printsgf
    time_settings N N N;time_left C N N;kgs-time_settings T;kata-time_settings T;kata-list_time_settings
    set_random_seed N;known_command V;variant-set S;loadsgf none;kgs-genmove_cleanup C;kgs-game_over;variant-list
    list_commands;name;version;protocol_version;cputime;gomill-describe_engine;gomill-explain_last_move;gogui-interrupt
    lz-analyze C N;kata-analyze K K;lz-genmove_analyze C N K;kata-genmove_analyze C K K;cgos-genmove_analyze C
    show-ownership;show-principal_variation;phantom-odds C;show-atari;show-eyes
    show-liberties;show-rosettes;show-odds;show-open_line;gogui-analyze_commands;bot-param;bot-param N N
    trymove C V;popgo;restricted_genmove C V V;top_moves C;is_legal C V;all_legal C;countlib V;findlib V;color V
    last_move;move_history;unconditional_status V;final_status V;set_position C V C V;gg-undo N N;undo N;komi N N
    kata-set-rule ko SIMPLE;kata-set-rules S;kata-get-params;kata-set-param nosuch N;clear_cache;show-explanation
    kata-search C;boardsize N N;time_left C N N;time_left C N N;nonsense V""".replace("\n", ";").split(";")
)


def valid(rng: Random) -> str:
    """A line that some host might send."""
    kinds = {"C": _COLOURS, "V": _WORDS, "N": _NUMBERS, "D": _DICE, "S": SPECS, "T": _TIMES}
    words = []
    for word in rng.choice(_FORMS).split():
        for part in rng.choice(_KEYS).split() if word == "K" else [word]:
            words.append(",".join(rng.choice(kinds[kind]) if kind in kinds else kind for kind in part.split(",")))
    if rng.random() < 0.1:
        words.insert(0, str(rng.randrange(10**6)))
    return " ".join(words)


def mutated(rng: Random, line: bytes) -> bytes:
    """A line with a few bytes changed, cut, doubled or moved."""
    data = bytearray(line)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data[at:at] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[at : at + rng.randint(1, 5)]
        elif kind == 2:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 3:
            data[at:at] = data[: rng.randint(0, len(data))]
        elif kind == 4:
            data[at:at] = rng.choice([b"\t", b"\r", b"#", b"\x00", b" ", "é".encode(), b"\xff", b"9" * 30, b"-", b"="])
        else:
            data.reverse()
    return bytes(data)


def hostile(rng: Random) -> bytes:
    """A line without its newline: of a host, a broken one, or anything."""
    kind = rng.random()
    if kind < 0.7:
        return valid(rng).encode()
    if kind < 0.95:
        return mutated(rng, valid(rng).encode()).replace(b"\n", b" ")
    return rng.randbytes(rng.randrange(60)).replace(b"\n", b" ")


def is_dangerous(line: bytes) -> bool:
    """Return True if a line writes a file or ends the engine; other tests cover these."""
    return b"printsgf " in line.replace(b"\t", b" ") or b"quit" in line
