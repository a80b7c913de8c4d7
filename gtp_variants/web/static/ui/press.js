// What is pressed must neither move nor be made anew before its click is heard.

const LONGEST_MS = 3000;
const CLICK_MS = 50; // a finger that is lifted clicks a little later

let isDown = false, ending, waiting = [];

/** Do something at once, or after a press. @param {() => void} act */
export function afterPress(act) {
  if (isDown) waiting.push(act);
  else act();
}

/** @type {() => Promise<void>} */
export const pressEnds = () => new Promise(afterPress);

function end() {
  isDown = false;
  for (const act of waiting.splice(0)) act();
}

/** @param {EventTarget} target whose presses are noticed */
export function watchPresses(target) {
  const watch = (name, wait_ms) => target.addEventListener(name, (/** @type {any} */ event) => {
    if (name === "pointerdown") {
      end();
      isDown = Boolean(event.target.closest?.("button, a, label, summary, select, input"));
    }
    clearTimeout(ending);
    if (isDown) ending = setTimeout(end, wait_ms);
  }, true);
  watch("pointerdown", LONGEST_MS);
  watch("pointerup", CLICK_MS);
  watch("pointercancel", CLICK_MS);
}
