// Calls a player to their turn: in the page title, by a bell, and by a notification if wanted.

import { keep, kept } from "../../data/kept.js";
import { sound } from "../../ui/sound.js";
import { say } from "../../ui/words.js";

/** Ask for permission to notify, and return true if it is granted. @param {boolean} isWanted */
export async function wishNotices(isWanted) {
  const isGranted = isWanted && (await globalThis.Notification?.requestPermission?.()) === "granted";
  keep("notify", isGranted);
  return isGranted;
}

export class TurnCall {
  wasMine = true;

  /** @param {string} title @param {boolean} isMine @param {boolean} isNew whether this follows a new event */
  show(title, isMine, isNew) {
    document.title = `${isMine ? "● " : ""}${title} · gtp-variants`;
    if (isMine && !this.wasMine && isNew) {
      sound("turn");
      const isWanted = kept("notify", false) && globalThis.Notification?.permission === "granted";
      if (document.hidden && isWanted) new Notification(title, { body: say("your turn"), tag: title, icon: "/static/icon.svg" });
    }
    this.wasMine = isMine;
  }
}
