import assert from "node:assert/strict";
import { test } from "node:test";

import { inAtari } from "../../../../gtp_variants/site/page/static/board/chains.js";
import { nearLevel, noteResult, opponentAt, opponentsOf, strengthOf } from "../../../../gtp_variants/site/page/static/data/opponents.js";
import { knownParts, worstTurns } from "../../../../gtp_variants/site/page/static/game/analysis/curve.js";
import { afterSeconds, clockText, countText } from "../../../../gtp_variants/site/page/static/game/play/clock.js";
import { territory, total } from "../../../../gtp_variants/site/page/static/game/play/count.js";
import { boardText, drawText, inOrder, openText, shortText, spokenText } from "../../../../gtp_variants/site/page/static/game/sentences.js";
import { nameOf, say, speakIn } from "../../../../gtp_variants/site/page/static/ui/words.js";

// The server's answers: each language's words, as test_modules.py takes them from the catalogue.
const words = JSON.parse(process.env.PAGE_WORDS);
globalThis.fetch = async (path) => new Response(JSON.stringify(words[path.replace(/.*\/|\.json/g, "")]));
await speakIn("en");

test("a text without one of its parts is a fault, and so is a text that is not there", () => {
  assert.throws(() => say("turn number", { number: 3 }), /turn number: no turn/);
  assert.throws(() => say("no such words"), /no words for/);
  assert.equal(say("turn number", { turn: 0 }), "turn 0");
});

test("what a draw opens, and why where it is not what fell", () => {
  assert.equal(openText({ drawn: [2], open: [2], total: 2 }), "Open: line 2");
  assert.equal(openText({ drawn: [2], open: [1], total: 2 }), "Line 2 has no free point, so line 1 opens.");
  assert.equal(openText({ drawn: [2], open: [], total: 2 }), "No line is open: line 2 has no free point.");
  assert.equal(openText({ drawn: [3, 4], open: [2], total: 6 }), "Lines 3, 4 have no free point, so line 2 opens.");
  assert.match(openText({ drawn: [], open: [4], total: 7 }), /There is no line 7.*Open: line 4/);
});

test("a move with its colour for those who do not see it", async () => {
  const stone = { actor: "w", kind: "place", at: "D4", refused: false, captured: ["A1", "A2"], put: {}, said: [], text: "" };
  assert.equal(spokenText(stone), "White D4, captures 2");
  assert.equal(shortText(stone), "D4, captures 2");
  assert.equal(spokenText({ ...stone, at: null, captured: [], said: ["White has played"] }), "White has played");
  assert.equal(spokenText({ ...stone, captured: [], refused: true }), "White D4 (refused)");
  assert.equal(drawText({ owner: "b", faces: [2], draw: { open: [1], drawn: [2], total: 2 } }),
    "Black throws 2. Line 2 has no free point, so line 1 opens.");
  await speakIn("fr");
  assert.equal(nameOf("b"), "Noir");
  await speakIn("en");
});

test("points in the order of columns and rows", () => {
  assert.deepEqual(["AA1", "B10", "B2", "A3"].sort(inOrder), ["A3", "B2", "B10", "AA1"]);
  assert.equal(boardText({ B2: "w", A3: "b", A1: "b" }), "White: B2. Black: A1 A3");
  assert.equal(boardText({}), "no stones");
});

test("chains in atari, but for those that are immune", () => {
  const edges = [["A", "B"], ["B", "C"], ["C", "D"]];
  assert.deepEqual(inAtari({ A: "b", B: "b", C: "w" }, edges).sort(), ["C"]);
  assert.deepEqual(inAtari({ A: "b", B: "b" }, edges).sort(), ["A", "B"]);
  assert.deepEqual(inAtari({ A: "b", B: "b" }, edges, ["A", "B"]), []);
});

test("clocks of every kind", () => {
  const byoyomi = { kind: "byoyomi", main_s: 60, period_s: 10, periods: 3, stones: 0, increment_s: 0 };
  assert.deepEqual(afterSeconds(byoyomi, { left_s: 5, count: 0 }, 8), { left_s: 7, count: 3 });
  assert.deepEqual(afterSeconds(byoyomi, { left_s: 5, count: 0 }, 18), { left_s: 7, count: 2 });
  assert.deepEqual(afterSeconds(byoyomi, { left_s: 5, count: 1 }, 8), { left_s: 0, count: 1 });
  const canadian = { ...byoyomi, kind: "canadian", stones: 15, periods: 0 };
  assert.deepEqual(afterSeconds(canadian, { left_s: 5, count: 0 }, 8), { left_s: 7, count: 15 });
  assert.deepEqual(afterSeconds({ ...byoyomi, kind: "fischer" }, { left_s: 5, count: 0 }, 8), { left_s: 0, count: 0 });
  assert.deepEqual(afterSeconds(null, { left_s: 5, count: 0 }, 2), { left_s: 3, count: 0 });
  assert.equal(clockText(61), "1:01");
  assert.equal(clockText(3 * 3600 + 62), "3:01:02");
  assert.equal(clockText(2 * 86400 + 3600 * 5), "2 d 5 h");
  assert.equal(countText(byoyomi, { left_s: 3, count: 2 }), " × 2");
  assert.equal(countText(canadian, { left_s: 3, count: 2 }), " / 2");
  assert.equal(countText(byoyomi, { left_s: 3, count: 0 }), "");
});

test("the turns that lost most, from the point of view of who moved", () => {
  const moments = [0.5, 0.55, 0.4, 0.42, 0.9].map((share, at) => ({ at, share }));
  const movers = ["", "b", "b", "w", "w"];
  assert.deepEqual(worstTurns(moments, (at) => movers[at], "b").map(({ at, mover, loss }) => [at, mover, Math.round(100 * loss)]), [[4, "w", 48], [2, "b", 15]]);
});

test("a curve is drawn where two moments or more are known one after the other", () => {
  const moments = [0, 2, 3, 5, 6, 8], parts = (...known) => knownParts(known.map((at) => ({ at, share: 0.5 })), moments).map((part) => part.map(({ at }) => at));
  assert.deepEqual(parts(), []);
  assert.deepEqual(parts(8), []);
  assert.deepEqual(parts(0, 3, 6), []);
  assert.deepEqual(parts(0, 2, 5, 6, 8), [[0, 2], [5, 6, 8]]);
});

test("a counted board", () => {
  const count = { sides: { b: { stones: 5, territory: ["A1"], komi: 0 }, w: { stones: 4, territory: ["B1", "B2"], komi: 7.5 } }, neutral: [] };
  assert.deepEqual(territory(count), { A1: 1, B1: -1, B2: -1 });
  assert.equal(total(count.sides.w), 13.5);
  assert.equal(total({ prisoners: 3, territory: ["A1"], komi: 0.5 }), 4.5);
  assert.deepEqual(territory(undefined), {});
});

test("an opponent's rating is that of the level below and what it scored against it", () => {
  // 78 %, 78 % and 67 % are 220, 220 and 123 points of Elo.
  assert.deepEqual(opponentsOf("go").slice(0, 4).map(({ name, rating }) => [name, rating]), [["Pip", 320], ["Wren", 540], ["Moss", 760], ["Heron", 880]]);
  assert.equal(opponentsOf("phantom").length, 6);
  assert.deepEqual(opponentsOf("chess"), []);
  assert.equal(opponentAt("go", { level: 9 }), undefined);
  assert.deepEqual([399, 400, 1899, 1900].map(strengthOf), ["strength 1", "strength 2", "strength 6", "strength 7"]);
});

test("who beats the opponent near to them meets the next, and a result that says nothing moves nobody", () => {
  assert.equal(nearLevel("go"), 4);
  noteResult("go", 2, true);
  noteResult("go", 6, false);
  assert.equal(nearLevel("go"), 4);
  noteResult("go", 4, true);
  assert.deepEqual([nearLevel("go"), nearLevel("rosette")], [5, 4]);
  for (let game = 0; game < 9; game++) noteResult("go", 1, false);
  assert.equal(nearLevel("go"), 1);
});
