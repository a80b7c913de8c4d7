"""What depends on a SPEC only: its description, rules, lesson and picture."""

import asyncio
import json
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gtp_variants.errors import NotationError
from gtp_variants.handbook.web_page import page
from gtp_variants.json_values import Json
from gtp_variants.players import bots
from gtp_variants.players.strength.titles import level_meanings
from gtp_variants.records.drawing.svg import UNIT, stage, svg
from gtp_variants.records.state import describe_rules
from gtp_variants.rules import game_class, parse, words
from gtp_variants.rules.game import random_game
from gtp_variants.rules.rules import Rules
from gtp_variants.web.lessons import describe_lesson, find_lesson
from gtp_variants.web.refusals import PageRefused
from gtp_variants.web.routes.requests import (
    COMPRESSED,
    DOCUMENT_POLICY,
    answer_errors,
)

_LONGEST_SPEC = 5000
_REMEMBERED = 64
_EXAMPLE_SEED = 7


def game_kind_routes() -> list[BaseRoute]:
    """The addresses of what can be known of a game before it is begun."""
    return [
        Route("/api/describe", answer_errors(_describe), middleware=COMPRESSED),
        Route("/api/rules", answer_errors(_rules), middleware=COMPRESSED),
        Route("/api/lesson", answer_errors(_lesson), middleware=COMPRESSED),
        Route("/api/picture", answer_errors(_picture), middleware=COMPRESSED),
    ]


async def _describe(request: Request) -> Response:
    return Response(await asyncio.to_thread(_describe_spec, _spec(request)), media_type="application/json")


async def _rules(request: Request) -> Response:
    text = await asyncio.to_thread(_page, _spec(request))
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": DOCUMENT_POLICY})


async def _lesson(request: Request) -> Response:
    rules = parse(_spec(request))
    lesson = find_lesson(rules.name)
    if lesson is None:
        raise PageRefused("page.no_lesson", 404)
    return JSONResponse(await asyncio.to_thread(describe_lesson, lesson, rules.lang))


async def _picture(request: Request) -> Response:
    text = await asyncio.to_thread(_draw_example, parse(_spec(request)).name)
    return Response(text, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


def _spec(request: Request) -> str:
    """The SPEC that is asked for, every option resolved."""
    text, lang = request.query_params.get("spec", ""), request.query_params.get("lang", "en")
    if len(text) > _LONGEST_SPEC or lang not in words.LANGUAGES:
        raise NotationError(
            f"spec or lang: too long or unknown, expected a game and one of {' '.join(words.LANGUAGES)}"
        )
    return parse(text, {"lang": lang}).spec


@lru_cache(_REMEMBERED)
def _describe_spec(spec: str) -> str:
    rules = parse(spec)
    known = {
        "spec": rules.spec,
        "bot": rules.profile.default_bot,
        "open": rules.is_open,
        "picture": _empty_board(rules),
        "handicap": rules.handicap,
        "lesson": find_lesson(rules.name) is not None,
    }
    levels = {name: found for name in bots.names() if (found := level_meanings(name, rules, rules.lang))}
    return json.dumps({**known, "levels": levels, **describe_rules(rules)}, separators=(",", ":"))


def _empty_board(rules: Rules) -> Json:
    """The picture of the empty board, on which the page puts stones: `origin` is where 0, 0 of `points` lies in it."""
    board, empty = rules.board, stage(rules)
    origin = [place - UNIT * part for place, part in zip(empty.places[0], board.drawn_at(0), strict=True)]
    return {
        "svg": f"{empty.opening}</svg>",
        "origin": [round(part, 2) for part in origin],
        "radius": empty.radius,
        # In the order in which they lie around it: that is how they are drawn.
        "faces": [[board.vertices[point] for point in face] for face in empty.faces],
    }


@lru_cache(_REMEMBERED)
def _draw_example(name: str) -> str:
    """A picture of a game in its middle, on a board that is small enough to be seen at a glance."""
    rules = parse(game_class(name).profile.small_spec)
    return svg(rules, random_game(rules, _EXAMPLE_SEED, 2 * len(rules.board) // 3).position)


@lru_cache(_REMEMBERED)
def _page(spec: str) -> str:
    return page(parse(spec))
