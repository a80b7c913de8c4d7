// The clocks as of now, computed from the last message of the server, for every time control.

const DAY_S = 86_400;

/**
 * @typedef {{ kind: string, main_s: number, period_s: number, stones: number, periods: number, increment_s: number }} Control
 * @typedef {{ left_s: number, count: number }} Left seconds of main time (count 0), or of a period, with the stones or periods left
 */

/** Return the time left after `gone_s` more seconds. @param {Control | null} control @param {Left} left @param {number} gone_s @returns {Left} */
export function afterSeconds(control, left, gone_s) {
  let { left_s, count } = left;
  left_s -= gone_s;
  if (left_s >= 0 || !control || !["byoyomi", "canadian"].includes(control.kind)) return { left_s: Math.max(0, left_s), count };
  if (!count) {
    left_s += control.period_s;
    count = control.kind === "canadian" ? control.stones : control.periods;
  }
  while (control.kind === "byoyomi" && left_s < 0 && count > 1) {
    left_s += control.period_s;
    count--;
  }
  return { left_s: Math.max(0, left_s), count };
}

/** Return a time as a clock shows it: days and hours, hours and minutes, or minutes and seconds. @param {number} seconds @param {string} day */
export function clockText(seconds, day = "d") {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (seconds >= DAY_S) return `${Math.floor(seconds / DAY_S)} ${day} ${Math.floor((seconds % DAY_S) / 3600)} h`;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/** Return what follows the time: periods (×3) or stones (/15) left. @param {Control | null} control @param {Left} left */
export const countText = (control, { count }) => (count && control ? ` ${control.kind === "canadian" ? "/" : "×"} ${count}` : "");
