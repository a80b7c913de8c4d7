"""Templates: they escape what they fill in, name what is missing, and nothing loads them before a page is written."""

import json
import re
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

import gtp_variants
from gtp_variants.base.pages import Axes, Plot, PlotCurve, PlotPoint, _environment, render, short

PACKAGE = Path(gtp_variants.__file__).parent
TEMPLATES = sorted(
    file.relative_to(PACKAGE).as_posix()
    for file in (*PACKAGE.rglob("*.html"), *(PACKAGE / "handbook").glob("*.md"))
    if file.parent.name != "static"
)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_can_be_read(name: str) -> None:
    assert _environment().get_template(name).name == name


def test_texts_are_escaped() -> None:
    assert "<title>&lt;b&gt; &amp; &#39;c&#39;</title>" in render("base/page.html", title="<b> & 'c'")


def test_a_value_that_is_missing_is_named() -> None:
    with pytest.raises(jinja2.UndefinedError, match="title"):
        render("base/page.html")


def test_no_text_in_data_ends_its_element() -> None:
    curve = PlotCurve("</script><b>", [PlotPoint(0, 0), PlotPoint(1, 1)])
    template = "{% from 'base/page_parts.html' import plot %}{{ plot(it) }}"
    page = _environment().from_string(template).render(it=Plot("<t>", [curve], Axes("x", "y")))
    (data,) = re.findall(r"<script[^>]*>(.*?)</script>", page)
    assert json.loads(data) == [{"n": "</script><b>", "p": [[0, 946, "0", "0"], [1000, 54, "1", "1"]]}]
    assert "<b>&lt;t&gt;</b>" in page


def test_the_template_engine_is_loaded_only_to_write_a_page() -> None:
    code = "import sys, gtp_variants.arena.report.match_page; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.25, "0.25"), (999.4, "999.4"), (9999.9, "9999.9"), (12_000, "12k"), (1_500_000, "1.5M"), (-20_000, "-20k")],
)
def test_no_axis_is_labelled_with_an_exponent(value: float, words: str) -> None:
    assert short(value) == words


def test_labels_below_are_whole_only_where_all_points_are() -> None:
    def below(*places: float) -> list[str]:
        return [
            words for _, words in Plot("t", [PlotCurve("c", [PlotPoint(x, 1) for x in places])], Axes("", "")).x_labels
        ]

    assert below(0, 1, 2) == ["0", "1", "2"]
    assert below(0.1, 0.4) == ["0.1", "0.2", "0.3", "0.4"]


def test_no_label_lies_beside_the_plot() -> None:
    axes = Axes("x", "y", x_words=[(0, "first"), (1, "second"), (9, "after the last point")])
    shown = Plot("t", [PlotCurve("c", [PlotPoint(0, 1), PlotPoint(2, 1)])], axes)
    assert [words for _, words in shown.x_labels] == ["first", "second"]


def test_the_smallest_range_holds_and_no_other_does() -> None:
    curve = PlotCurve("c", [PlotPoint(0, 3), PlotPoint(1, 4)])
    free, wide = Plot("t", [curve], Axes("x", "y")), Plot("t", [curve], Axes("x", "y", low=0, high=5))
    assert (free.low, free.high) == pytest.approx((2.94, 4.06))
    assert (wide.low, wide.high) == pytest.approx((-0.3, 5.3))
