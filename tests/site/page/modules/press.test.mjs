import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { afterPress, pressEnds, watchPresses } from "../../../../gtp_variants/site/page/static/ui/press.js";

const page = Object.assign(new EventTarget(), { closest: () => page });
watchPresses(page);
const point = (name) => page.dispatchEvent(new Event(name));

test("what comes during a press waits in its order until the click has been heard", async () => {
  const done = [];
  afterPress(() => done.push("before"));
  point("pointerdown");
  afterPress(() => done.push("first"));
  afterPress(() => done.push("second"));
  await pause(80);
  assert.deepEqual(done, ["before"]);
  point("pointerup");
  done.push("click");
  await pressEnds();
  assert.deepEqual(done, ["before", "click", "first", "second"]);
});

test("a press that never ends holds nothing up for ever", async () => {
  point("pointerdown");
  await pressEnds();
  point("pointerup");
  await pressEnds();
});

test("a press that follows at once holds what waits, too, and so does the space bar", async () => {
  const done = [];
  point("pointerdown");
  point("pointerup");
  afterPress(() => done.push("late"));
  point("pointerdown");
  await pause(80);
  assert.deepEqual(done, []);
  point("pointerup");
  await pressEnds();
  assert.deepEqual(done, ["late"]);
  page.dispatchEvent(Object.assign(new Event("keydown"), { key: " " }));
  afterPress(() => done.push("key"));
  assert.deepEqual(done, ["late"]);
  page.dispatchEvent(Object.assign(new Event("keyup"), { key: " " }));
  await pressEnds();
  page.dispatchEvent(Object.assign(new Event("keydown"), { key: "ArrowLeft" }));
  afterPress(() => done.push("at once"));
  assert.deepEqual(done, ["late", "key", "at once"]);
});
