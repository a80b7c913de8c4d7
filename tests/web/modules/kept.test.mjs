import assert from "node:assert/strict";
import { test } from "node:test";

import { games, keepGame, listGames } from "../../../gtp_variants/web/static/kept.js";

test("the key to a seat is kept while the game goes on, however many games are looked at", () => {
  keepGame("mine", { seats: { b: "key" }, title: "Go" });
  keepGame("by a link", { link: "#game=by a link&seat=key" });
  keepGame("over", { seats: { b: "key" }, title: "Go", isOver: true });
  for (let number = 0; number < 100; number++) keepGame(`watched ${number}`, { title: "Go" });
  assert.deepEqual(games().mine.seats, { b: "key" });
  assert.equal(games().over, undefined);
  assert.equal(Object.keys(games()).length, 60);
  assert.deepEqual(listGames(12).slice(0, 2).map(([game]) => game).sort(), ["by a link", "mine"]);
  assert.equal(listGames(12).length, 12);
});
