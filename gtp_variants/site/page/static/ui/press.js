// What is pressed must not move or be made anew before its click.

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

/** @param {EventTarget} target */
export function watchPresses(target) {
  const watch = (begins, name) => target.addEventListener(name, (/** @type {any} */ { target: on, key }) => {
    if (begins && (key ?? " ") === " " && on.closest?.("button, a, label, summary, select, [data-press]")) isDown = true;
    else if (begins) return;
    clearTimeout(ending);
    if (isDown) ending = setTimeout(end, begins ? LONGEST_MS : CLICK_MS);
  }, true);
  ["pointerdown", "keydown"].forEach((name) => watch(true, name));
  ["pointerup", "pointercancel", "keyup"].forEach((name) => watch(false, name));
}
