import assert from "node:assert/strict";
import { test } from "node:test";

import { games, keep, keepGame, kept, listGames } from "../../../../gtp_variants/site/page/static/data/kept.js";
import { keepStudy, studyOf } from "../../../../gtp_variants/site/page/static/game/review/study.js";

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

/** A browser's storage that has room for so many letters. */
function storage(room) {
  const values = new Map();
  const others = (key) => [...values].reduce((sum, [each, value]) => sum + (each === key ? 0 : value.length), 0);
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => {
      if (others(key) + value.length > room) throw new Error("QuotaExceededError");
      values.set(key, value);
    },
    read: (key) => JSON.parse(values.get(`gv:${key}`) ?? "null"),
  };
}

const line = (at, letters = 1) => ({ at, events: [], news: [{ text: "x".repeat(letters) }], mover: "b" });
const moments = (lines) => lines.map(({ at }) => at);

test("of the variations that somebody tries the last million letters are kept", (t) => {
  let now = 0;
  t.mock.method(Date, "now", () => ++now);
  const here = globalThis.localStorage = storage(5_000_000);
  t.after(() => delete globalThis.localStorage);
  for (let game = 0; game < 25; game++) keepStudy(`short ${game}`, [line(game)]);
  assert.deepEqual(Object.keys(here.read("studies")).at(-1), "short 5");
  keepStudy("long", [1, 2, 3, 4].map((at) => line(at, 300_000)));
  assert.deepEqual(moments(studyOf("long")), [2, 3, 4]);
  assert.ok(JSON.stringify(here.read("studies")).length < 1_010_000);
  keepStudy("last", [line(1, 300_000)]);
  assert.deepEqual([moments(studyOf("last")), moments(studyOf("long")), studyOf("short 24")], [[1], [3, 4], []]);
  keepStudy("last", []);
  assert.deepEqual(studyOf("last"), []);
});

test("in a full storage variations make room for what is needed, the oldest first", (t) => {
  let now = 0;
  t.mock.method(Date, "now", () => ++now);
  const here = globalThis.localStorage = storage(5000);
  t.after(() => delete globalThis.localStorage);
  for (const game of ["old", "new"]) keepStudy(game, [line(1, 1500)]);
  keepStudy("newest", [line(1, 1500), line(2, 1500)]);
  assert.deepEqual([studyOf("old"), studyOf("new"), moments(studyOf("newest"))], [[], [], [1, 2]]);
  keepStudy("short", [line(3)]);
  keep("games", { mine: { seats: { b: "key".repeat(900) } } });
  assert.equal(here.read("games").mine.seats.b.length, 2700);
  assert.deepEqual([studyOf("newest"), moments(studyOf("short"))], [[], [3]]);
});

test("what was too long to be stored is known all the same, and does not hide what is stored later", (t) => {
  const here = globalThis.localStorage = storage(1000);
  t.after(() => delete globalThis.localStorage);
  keepStudy("short", [line(1)]);
  keep("name", "x".repeat(2000));
  assert.deepEqual([kept("name").length, here.read("name")], [2000, null]);
  keep("name", "Ann");
  keep("name", "Bea");
  assert.deepEqual([kept("name"), here.read("name")], ["Bea", "Bea"]);
});

test("without any storage what was tried lasts as long as the page", () => {
  keepStudy("one", [line(1)]);
  keepStudy("two", [line(2)]);
  keep("name", "Ann");
  assert.deepEqual([moments(studyOf("one")), moments(studyOf("two")), kept("name")], [[1], [2], "Ann"]);
});
