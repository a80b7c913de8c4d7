"""What the engine does for each GTP command, by subject; every module has a table HANDLERS, command -> function."""

from collections.abc import Iterator
from importlib import import_module

from gtp_variants.gtp.engine.handler import Handler
from gtp_variants.gtp.engine.session import Session

# The commands of each module, which is imported when the first of them is asked for: a GUI starts several engines for
# one window, and most of them are asked for little.
COMMANDS = {
    "administration": "bot-param cputime gogui-interrupt gomill-cpu_time gomill-describe_engine "
    "gomill-explain_last_move kgs-game_over name protocol_version quit set_random_seed version",
    "setup": "boardsize clear_board fixed_handicap gogui-setup gogui-setup_player kgs-rules komi "
    "place_free_handicap rectangular_boardsize set_free_handicap",
    "moves": "genmove gg-undo gogui-play_sequence kgs-genmove_cleanup play reg_genmove undo",
    "time_control": "kata-list_time_settings kata-time_settings kgs-time_settings time_left time_settings",
    "score": "final_score final_status final_status_list variant-dead variant-resign variant-result",
    "game_files": "loadsgf printsgf showboard variant-record",
    "variants": "alter-igo-losing_moves pentalath-line rosette-immune variant-describe variant-get "
    "variant-legal_moves variant-list variant-set variant-state",
    "dice": "aleago-commitment aleago-draw aleago-open aleago-resume aleago-reveal aleago-set_dice",
    "hidden_stones": "phantom-announcements phantom-hear phantom-odds phantom-seat phantom-view",
    "gogui_rules": "gogui-rules_board gogui-rules_board_gfx gogui-rules_board_size gogui-rules_captured_count "
    "gogui-rules_final_result gogui-rules_game_id gogui-rules_legal_moves gogui-rules_side_to_move "
    "gogui-title",
    "katago": "clear_cache get_komi kata-get-models kata-get-param kata-get-params kata-get-rules kata-list-params "
    "kata-raw-nn kata-set-param kata-set-params kata-set-rule kata-set-rules set_position stop",
    "gnugo": "all_legal captures color countlib echo estimate_score findlib gg_genmove is_legal last_move list_stones "
    "move_history popgo query_boardsize restricted_genmove top_moves trymove unconditional_status",
    "live_analysis": "analyze cgos-genmove_analyze genmove_analyze kata-analyze kata-genmove_analyze kata-search "
    "kata-search_analyze kata-search_analyze_cancellable kata-search_cancellable lz-analyze lz-genmove_analyze",
    "gogui_analyze": "gogui-analyze_commands show-atari show-explanation show-eyes show-liberties show-odds "
    "show-open_line show-options show-ownership show-player show-principal_variation show-rosettes "
    "show-search show-win_rates",
}


def find_handler(subject: str, name: str) -> Handler:
    """The handler of a command, whose module is imported when it is called."""

    def call(session: Session, arguments: list[str]) -> str | Iterator[str]:
        handler: Handler = import_module(f"{__name__}.{subject}").HANDLERS[name]
        return handler(session, arguments)

    return call
