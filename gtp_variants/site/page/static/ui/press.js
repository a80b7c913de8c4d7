// Delays changes of the page while the mouse or a finger is down, so that the pressed element receives its click.

const LONGEST_MS = 3000;
const CLICK_MS = 50; // delay of the click after a finger is lifted

let isDown = false, ending, waiting = [];

/** Act at once, or after the current press. @param {() => void} act */
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
