import assert from "node:assert/strict";
import { test } from "node:test";

import { hundredths, tellApart } from "../../../../gtp_variants/site/page/static/game/analysis/luck.js";
import { arrange, leads } from "../../../../gtp_variants/site/page/static/game/review/study.js";
import { compare, refereeMoment } from "../../../../gtp_variants/site/page/static/game/review/unveiled.js";

const line = (at, ...points) => ({ at, events: points.map((point, index) => /** @type {[number, number]} */ ([1 + (index % 2), point])), news: [], mover: "b" });

test("variations lie below those they share most with, in the order of the game", () => {
  const [late, first, second, third] = [line(8, 1), line(4, 1, 2, 3), line(4, 1, 2, 9), line(4, 1, 2, 9, 7)];
  const found = arrange([late, first, second, third]);
  assert.deepEqual(found.map((node) => node.line), [first, late]);
  assert.equal(found[0].nodes[0].line, second);
  assert.equal(found[0].nodes[0].from, 2);
  assert.equal(found[0].nodes[0].nodes[0].line, third);
  assert.equal(found[0].nodes[0].nodes[0].from, 3);
  assert.deepEqual(arrange([]), []);
});

test("a variation begins as another one only from the same moment", () => {
  assert.ok(leads(line(4, 1, 2, 3), line(4, 1, 2)));
  assert.ok(leads(line(4, 1), line(4)));
  assert.ok(!leads(line(4, 1, 2), line(4, 1, 2, 3)));
  assert.ok(!leads(line(4, 1, 2), line(5, 1)));
  assert.ok(!leads(line(4, 1, 2), line(4, 2)));
});

test("what throws gave and what moves lost, each side's apart", () => {
  const news = [{ kind: "draw", owner: "b" }, { kind: "place", actor: "b" }, { kind: "draw", owner: "w" }, { kind: "place", actor: "w" }];
  const worth = [0.5, 0.7, 0.6, 0.5, 0.55];
  const { sums, gave, lost, gifts, turns } = tellApart(news, (at) => worth[at], "b");
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
  near(gave.b, 0.2);
  near(gave.w, 0.1);
  near(lost.b, 0.1);
  near(lost.w, 0.05);
  near(sums.at(-1).luck + sums.at(-1).skill, worth.at(-1) - worth[0]);
  assert.deepEqual(gifts.map(({ owner }) => owner), ["b", "w"]);
  assert.deepEqual(turns.map(({ at, mover }) => [at, mover]), [[2, "b"], [4, "w"]]);
  // What was not analysed yet is left out.
  assert.equal(tellApart(news, (at) => (at < 2 ? worth[at] : undefined), "b").sums.length, 2);
});

test("shares in hundredths", () => {
  assert.deepEqual([0.074, -0.2, -0.001, 0].map((share) => hundredths(share, true)), ["+7 %", "−20 %", "0 %", "0 %"]);
  assert.equal(hundredths(0.3, false), "30 %");
});

test("what a seat did not know", () => {
  const { unseen, wrong } = compare({ A1: "b", B1: "w", C1: "w" }, { A1: "b", B1: "w", D1: "w" });
  assert.deepEqual(unseen, { C1: "w" });
  assert.deepEqual(wrong, ["D1"]);
  assert.equal(refereeMoment([1, 1, 2, 2, 3], 1), 2);
  assert.equal(refereeMoment([1, 1, 2, 2, 3], 0), 0);
  assert.equal(refereeMoment([1, 1, 2, 2, 3], 3), 5);
});
