// The chat of a game, with one room for players and one for spectators.

import { h } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";

/** @typedef {{ room: string, colour: string, name: string, text: string }} ChatLine */

const LONGEST = 200;

export class Chat extends Part {
  lines = h("div", { class: "lines", role: "log", "aria-label": say("chat") });
  input = h("input", { id: "chat", maxlength: LONGEST, autocomplete: "off", "aria-label": say("chat"), placeholder: say("chat how") });
  count = h("span", { class: "quiet" });
  later = h("p", { class: "quiet" }, say("chat later"));
  form = h("form", { class: "row", onsubmit: (event) => this.#send(event) }, this.input, h("button", { type: "submit" }, say("send")));
  name = h("span", {}, say("chat"), " ", this.count);
  element = h("div", { class: "chat" }, this.lines, this.later, this.form);
  number = 0;

  show() {
    const { whole, state, seats, mine } = this.screen;
    const others = Object.entries(seats).some(([colour, { kind }]) => kind === "person" && !mine.includes(colour)) || !whole.you;
    const isShown = whole.open || state.final || state.counting;
    this.screen.tabs.offer("chat", Boolean(whole.chat && (others || this.number)));
    this.form.hidden = !isShown;
    this.later.hidden = isShown;
  }

  /** @param {{ lines: ChatLine[], all?: boolean }} message */
  hear({ lines, all }) {
    if (all) {
      this.lines.replaceChildren();
      this.number = 0;
    }
    for (const line of lines) this.lines.append(this.#line(line));
    this.number += lines.length;
    this.count.textContent = this.number ? String(this.number) : "";
    this.lines.scrollTop = this.lines.scrollHeight;
    this.show();
  }

  #line({ room, colour, name, text }) {
    const who = name || (colour ? nameOf(colour) : say("somebody"));
    return h("p", {}, colour ? h("i", { class: `dot ${colour}`, role: "img", "aria-label": nameOf(colour) }) : null,
      h("strong", {}, who), room === "watchers" ? h("span", { class: "quiet" }, ` ${say("watches")}`) : null, " ", text);
  }

  #send(event) {
    event.preventDefault();
    const text = this.input.value.trim();
    if (!text) return;
    if (this.screen.line.send({ do: "chat", text })) this.input.value = "";
    else this.screen.status.notice(say("not sent"), true);
  }
}
