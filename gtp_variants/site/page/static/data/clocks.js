// The clocks offered to people.

import { h, optionsOf } from "../ui/dom.js";
import { say } from "../ui/words.js";

const MINUTE_S = 60, DAY_S = 86_400;
// The clocks of each kind: the numbers in its name, and the clock in the form the server reads.
const CLOCKS = {
  "clock fischer": [[5, 3], [10, 5], [20, 10], [45, 20]].map(([main, more]) => [{ main, more }, { kind: "fischer", main_s: main * MINUTE_S, increment_s: more }]),
  "clock byoyomi": [[10, 5, 30], [30, 5, 60]].map(([main, periods, period]) => [{ main, periods, period }, { kind: "byoyomi", main_s: main * MINUTE_S, period_s: period, periods }]),
  "clock canadian": [[15, 25, 10]].map(([main, stones, minutes]) => [{ main, stones, minutes }, { kind: "canadian", main_s: main * MINUTE_S, period_s: minutes * MINUTE_S, stones }]),
  "clock absolute": [[3], [15], [60]].map(([main]) => [{ main }, { kind: "absolute", main_s: main * MINUTE_S }]),
  "clock days": [[1], [3], [7]].map(([days]) => [{ days }, { kind: "byoyomi", main_s: 0, period_s: days * DAY_S, periods: 1 }]),
};

/** Return the clocks as options of a list, by kind. @param {string} chosen a value of the list */
export const clockOptions = (chosen) => Object.entries(CLOCKS).map(([key, kinds]) =>
  h("optgroup", { label: say(`${key} kind`) }, optionsOf(kinds.map(([parts], index) => [`${key}:${index}`, say(key, parts)]), chosen)));

/** Return the clock of an option in the form the server reads; null for no clock. @param {string} value */
export function clockOf(value) {
  const [key, index] = value.split(":");
  return CLOCKS[key]?.[Number(index)][1] ?? null;
}

/** Return the name of a clock that the server describes. @param {Record<string, any>} clock */
export function clockName(clock) {
  for (const [key, kinds] of Object.entries(CLOCKS)) {
    const found = kinds.find(([, each]) => Object.entries(each).every(([part, value]) => clock[part] === value));
    if (found) return say(key, found[0]);
  }
  return `${clock.kind} ${clock.main_s} s`;
}
