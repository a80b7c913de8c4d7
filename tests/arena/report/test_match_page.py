"""The HTML report: its content, its size, and its behaviour in a browser."""

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from gtp_variants.arena.report.match_page import game_columns, render_page
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.tally import elo_history
from gtp_variants.base.pages import Axes, Plot, PlotCurve, PlotPoint, ticks
from tests.arena.report.test_report import ROUND_ROBIN, TEXT, THREE, of_three, pairs, result, row

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SPRT = "stop: {sprt: {elo1: 900, players: [mine, other]}}\n"


class PageReader(HTMLParser):
    """Notes the files a page loads, its links and its unclosed elements."""

    VOID = ("meta", "br", "hr", "img", "link", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        found = dict(attrs)
        if tag == "a":
            self.links.append(str(found["href"]))
        elif "src" in found or "href" in found:
            self.loaded.append(str(attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def several() -> Result:
    """Return a match between three players with every kind of event."""
    failed = (("other", "time", "<took> 3 s"),)
    rows = [*pairs([2, 0, 0, 0, 8]), *pairs([0, 2, 7, 0, 1], "third")]
    rows.append(row(11, "a", "mine", failures=failed, kind="forfeit", why="<took> 3 s", fingerprint="mine-other/0001a"))
    rows.append(row(12, "a", None, kind="void"))
    return result(rows, ROUND_ROBIN.replace("pairs: 10", "pairs: 12") + SPRT)


def columns(page: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(re.findall(r'id="columns">(.*?)</script>', page, re.DOTALL)[0])
    return found


def test_page_has_all_sections_and_loads_no_files() -> None:
    shown = render_page(several())
    read = PageReader()
    read.feed(shown)
    read.close()
    assert read.open == []
    assert read.loaded == []
    assert "mine-other/0011a.html" in read.links
    for part in [
        "Crosstable",
        "likelihood of superiority",
        "log-likelihood ratio",
        "Black won",
        "duplicate",
        "&lt;took&gt;",
    ]:
        assert part in shown, part
    assert "<took>" not in shown


def test_crosstable_cell_has_both_colours_and_a_link() -> None:
    shown = render_page(result(pairs([1, 0, 2, 0, 3]), ROUND_ROBIN))
    # `mine` won three pairs, lost one, and won as Black in the two shared ones.
    assert '<a href="#games-0-1">8/12</a><small><i>5/6</i><b>3/6</b></small>' in shown
    assert '<a href="#games-1-0">4/12</a><small><i>3/6</i><b>1/6</b></small>' in shown


def test_columns_have_every_game() -> None:
    found = columns(render_page(several()))
    assert found["rounds"] == {"mine-other": [[1, 10], [11, "a"], [12, "a"]], "mine-third": [[1, 10]]}
    assert found["seats"] == "01" * 10 + "00" + "01" * 10
    assert str(found["winners"]).startswith("1010" + "01" * 8 + "0x")
    assert found["same"] == {"20": 0}
    assert found["notes"] == {"20": 0}
    assert found["note_texts"] == ["<took> 3 s"]
    assert found["kind_names"] == ["played", "forfeit:time", "void"]


def test_columns_rotate_the_colours_of_three_players() -> None:
    rows = [of_three(pair, leg, "mine") for pair in (1, 2) for leg in "abc"]
    found = game_columns(result(rows, THREE).config, rows, ["mine", "other", "third"])
    assert (found["seats"], found["winners"]) == ("012012", "012012")
    assert "Crosstable" not in render_page(result(rows, THREE))


def test_columns_limit_the_size_of_notes() -> None:
    rows = [row(pair, leg, "mine", why=f"{pair}{leg} " + 500 * "x") for pair in range(1, 1001) for leg in "ab"]
    assert len(json.dumps(game_columns(result(rows).config, rows, ["mine", "other"]))) < 100_000


@pytest.mark.slow
@pytest.mark.parametrize(("players", "limit"), [(2, 200_000), pytest.param(12, 300_000, marks=pytest.mark.slow)])
def test_page_of_ten_thousand_games_is_small(players: int, limit: int) -> None:
    assert len(render_page(large_match(players, 10_000)).encode()) < limit


def large_match(players: int, games: int) -> Result:
    """Return a round robin with random results, lengths and failures."""
    rng, names = Random(1), [f"player{number}" for number in range(players)]
    each = games // (players * (players - 1))
    text = ROUND_ROBIN.replace("pairs: 10", f"pairs: {each}")
    text = re.sub(
        "players: {.*}", f"players: {{{', '.join(f'{name}: {{command: bot:greedy}}' for name in names)}}}", text
    )
    rows = []
    for matchup in result([], text).config.matchups:
        for pair in range(1, each + 1):
            for leg, seated in zip("ab", (matchup.names, matchup.names[::-1]), strict=True):
                fails = rng.random() < 0.01
                id = f"{matchup.id}/{pair:04}{leg}"
                winner = rng.randrange(2)
                about = (
                    ("forfeit", f"{'BW'[winner]}+F") if fails else ("played", f"{'BW'[winner]}+{rng.randrange(40)}.5")
                )
                rows.append(
                    ResultRow(
                        *(id, matchup.id, pair, leg, seated, *about, seated[winner], rng.randrange(40, 240)),
                        fingerprint=str(rng.random()),
                        failures=((seated[1 - winner], "time", "no answer within 30 s"),) if fails else (),
                        why="no answer within 30 s" if fails else "",
                        took_s=rng.uniform(0, 9),
                    )
                )
    return result(rows, text)


# -- figures that grow -------------------------------------------------------------------------------------------------


def test_games_added_one_by_one_give_the_same_page() -> None:
    rows = [*pairs([20, 0, 48, 0, 92])]
    text = TEXT.replace("pairs: 100", "pairs: 160") + "stop: {sprt: {elo1: 100}}\n"
    grown = result([], text)
    for each in rows:
        grown.add(each)
        grown.add(each)
    at_once = result(rows, text)
    assert grown.beyond == at_once.beyond > 0
    assert grown.as_json() == at_once.as_json()
    assert render_page(grown) == render_page(at_once)


def test_matchup_has_no_total_when_results_decide_who_meets() -> None:
    """The number of pairs in a halving applies to the whole match, not to one matchup."""
    halving = ROUND_ROBIN.replace("roundrobin, pairs: 10", "halving, pairs: 100, seeds: [mine]")
    played = [row(1, leg, "mine") for leg in "ab"]
    assert "2 of 20<" in render_page(result(played, ROUND_ROBIN))
    assert "2 of 200" not in render_page(result(played, halving))


def test_elo_plot_ends_at_the_final_elo() -> None:
    found = result(pairs([200, 0, 480, 0, 320]), TEXT.replace("pairs: 100", "pairs: 1000"))
    history = elo_history(found.config, found.rows)
    assert 50 <= len(history) <= 101
    assert history[-1].games == 2000
    assert history[-1].elos == found.elos
    assert {each.games % history[0].games for each in history[:-1]} == {0}


# -- plots -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (-2.94, 2.94, [-2, 0, 2]),
        (0, 0.5, [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        (95, 1205, [500, 1000]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, found: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(found)


def test_plot_drops_points_but_keeps_its_ends() -> None:
    curve = PlotCurve("c", [PlotPoint(x, x % 7) for x in range(5001)])
    told = json.loads(json.dumps(Plot("t", [curve], Axes("x", "y")).told))
    assert len(told[0]["p"]) < 310
    assert [told[0]["p"][index][3] for index in (0, -1)] == ["0", "5000"]
    assert Plot("t", [PlotCurve("c", [])], Axes("x", "y")).curves == []


# -- in a browser ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playing:
        launched = playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this computer: apt-get install chromium")
class TestBrowser:
    @pytest.fixture(params=[(390, "dark"), (1440, "light")], ids=["phone", "desk"])
    def opened(self, browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
        width, scheme = request.param
        file = tmp_path / "report.html"
        file.write_text(render_page(several()), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(file.as_uri())
        yield page
        assert faults == []
        context.close()

    def test_page_fits_and_is_accessible(self, opened: Page) -> None:
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = Axe().run(opened)
        assert found.violations_count == 0, found.generate_report()
        opened.click("#theme")
        assert opened.evaluate("document.documentElement.dataset.theme") in ("dark", "light")
        assert Axe().run(opened).violations_count == 0

    def test_games_are_filtered_sorted_and_paged(self, opened: Page) -> None:
        rows, first = opened.locator("#list tbody tr"), opened.locator("#list tbody tr td").first
        expect(rows).to_have_count(42)
        expect(first).to_contain_text("mine-other/0001a")
        opened.locator(".cross a", has_text="10/20").first.click()
        # A link changes the address, and the list follows a moment later.
        expect(rows).to_have_count(20)
        expect(first).to_contain_text("mine-third/0001a")
        opened.select_option("[name=outcome]", "won")
        won = rows.count()
        opened.select_option("[name=colour]", "Black")
        assert 0 < rows.count() < won
        opened.select_option("[name=player]", "")
        opened.select_option("[name=against]", "")
        opened.select_option("[name=how]", "forfeit:time")
        opened.click("#list th button >> nth=4")
        assert opened.locator("#list th[aria-sort=ascending]").inner_text().startswith("moves")

    def test_plot_shows_the_values_at_the_pointer(self, opened: Page) -> None:
        area = opened.locator(".plot .area").first
        area.hover()
        expect(opened.locator(".plot .tip").first).to_have_text(re.compile("^pairs "))
