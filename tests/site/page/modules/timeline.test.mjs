import assert from "node:assert/strict";
import { test } from "node:test";

import { Timeline } from "../../../../gtp_variants/site/page/static/game/timeline.js";

const stone = (actor, at, more = {}) => ({ actor, kind: "place", at, refused: false, captured: [], taken: 0, put: { [at]: actor }, said: [], text: "", ...more });
const draw = (...open) => ({ actor: "", kind: "draw", owner: "b", dice: "1d4", faces: open, draw: { open }, put: {}, said: [], captured: [] });
const pass = (actor) => ({ actor, kind: "pass", at: null, refused: false, captured: [], put: {}, said: [], text: "passes" });

test("the stones of every moment, forwards, backwards and by leaps", () => {
  const news = [stone("b", "A1"), stone("w", "B1"), stone("b", "B2"), stone("w", "A2", { captured: ["A1"], put: { A2: "w", A1: "" } }), stone("b", "A1")];
  const timeline = new Timeline({ E5: "w" }, news);
  const shown = [0, 1, 2, 3, 4, 5].map((count) => timeline.moment(count).stones);
  assert.deepEqual(shown[0], { E5: "w" });
  assert.deepEqual(shown[4], { E5: "w", B1: "w", B2: "b", A2: "w" });
  assert.deepEqual(shown[5], { ...shown[4], A1: "b" });
  for (const count of [5, 0, 3, 1, 4, 2, 5]) assert.deepEqual(timeline.moment(count).stones, shown[count]);
});

test("the stones that each side took, up to every moment", () => {
  const takes = (actor, at, taken) => stone(actor, at, { taken });
  const timeline = new Timeline({}, [draw(1), takes("b", "A1", 2), draw(2), takes("w", "B1", 1), takes("b", "C1", 3)]);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((count) => timeline.moment(count).captures),
    [{}, {}, { b: 2 }, { b: 2 }, { b: 2, w: 1 }, { b: 5, w: 1 }]);
});

test("what is given away is nobody else's", () => {
  const timeline = new Timeline({}, [stone("b", "A1")]);
  timeline.moment(1).stones.A1 = "w";
  assert.equal(timeline.moment(1).stones.A1, "b");
});

test("a draw goes with the move before it, in both directions", () => {
  const timeline = new Timeline({}, [draw(1), stone("b", "A1"), draw(2), stone("w", "B2"), draw(3)]);
  assert.equal(timeline.step(0, 1), 3);
  assert.equal(timeline.step(3, 1), 5);
  assert.equal(timeline.step(5, -1), 3);
  assert.equal(timeline.step(3, -1), 1);
  assert.equal(timeline.step(1, -1), 0);
  assert.deepEqual(timeline.moment(3).draw.draw, { open: [2] });
  assert.equal(timeline.moment(2).draw, null);
  assert.deepEqual([0, 1, 3, 5].map((count) => timeline.current(count)), [-1, -1, 1, 3]);
});

test("refused tries since the last stone, which count as no move", () => {
  const no = (at) => stone("b", at, { refused: true, put: {}, said: ["impossible move"] });
  const timeline = new Timeline({}, [stone("w", "A1"), no("B2"), no("C3"), pass("b"), no("D4")]);
  assert.deepEqual(timeline.moment(3).tried.sort(), ["B2", "C3"]);
  assert.equal(timeline.moment(3).last, "A1");
  assert.deepEqual(timeline.moment(3).said, ["impossible move"]);
  assert.deepEqual(timeline.moment(4).tried, []);
  assert.equal(timeline.moment(4).last, null);
  assert.deepEqual(timeline.numbers, [1, 1, 1, 2, 2]);
});

test("what comes later is added at the end", () => {
  const timeline = new Timeline({});
  assert.equal(timeline.hasStones, false);
  timeline.push([stone("b", "A1")]);
  timeline.moment(1);
  timeline.push([stone("w", "B1")]);
  assert.deepEqual(timeline.moment(2).stones, { A1: "b", B1: "w" });
  assert.equal(timeline.hasStones, true);
});
