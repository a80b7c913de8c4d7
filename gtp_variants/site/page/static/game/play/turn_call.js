// Calling somebody whose turn it is: in the title of the page, by a bell, and, if they like, by a notification.

import { keep, kept } from "../../data/kept.js";
import { sound } from "../../ui/sound.js";
import { say } from "../../ui/words.js";

export const mayNotify = () => kept("notify", false) && globalThis.Notification?.permission === "granted";

/** Ask the browser whether it may notify; whether it may. @param {boolean} isWanted */
export async function wishNotices(isWanted) {
  const isGranted = isWanted && (await globalThis.Notification?.requestPermission?.()) === "granted";
  keep("notify", isGranted);
  return isGranted;
}

export class TurnCall {
  constructor() {
    this.wasMine = true;
  }

  /** @param {string} title @param {boolean} isMine @param {boolean} isNew whether this follows from something that happened */
  show(title, isMine, isNew) {
    document.title = `${isMine ? "● " : ""}${title} · gtp-variants`;
    if (isMine && !this.wasMine && isNew) {
      sound("turn");
      if (document.hidden && mayNotify()) new Notification(title, { body: say("your turn"), tag: title, icon: "/static/icon.svg" });
    }
    this.wasMine = isMine;
  }
}
