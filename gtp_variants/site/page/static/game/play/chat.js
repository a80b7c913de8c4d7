// The chat of a game, with one room for players and one for spectators.

import { filled, h, onSubmit } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";

/** @typedef {{ room: string, colour: string, name: string, text: string }} ChatLine */

export class Chat extends Part {
  page = filled("chat-room");
  element = this.page.root;
  count = h("span", { class: "quiet" });
  name = h("span", {}, say("chat"), " ", this.count);
  number = 0;

  constructor(screen) {
    super(screen);
    const { form } = this.page;
    onSubmit(form, async ({ text }) => {
      if (!text.trim()) return;
      if (screen.line.send({ do: "chat", text: text.trim() })) form.reset();
      else screen.status.notice(say("not sent"), true);
    }, () => null);
  }

  show() {
    const { whole, state, seats, mine } = this.screen;
    const others = Object.entries(seats).some(([colour, { kind }]) => kind === "person" && !mine.includes(colour)) || !whole.you;
    const isShown = whole.open || state.final || state.counting;
    this.screen.tabs.offer("chat", Boolean(whole.chat && (others || this.number)));
    this.page.form.hidden = !isShown;
    this.page.later.hidden = isShown;
  }

  /** @param {{ lines: ChatLine[], all?: boolean }} message */
  hear({ lines, all }) {
    const room = this.page.lines;
    if (all) room.replaceChildren();
    room.append(...lines.map((line) => this.#line(line)));
    this.number = room.childElementCount;
    this.count.textContent = this.number ? String(this.number) : "";
    room.scrollTop = room.scrollHeight;
    this.show();
  }

  #line({ room, colour, name, text }) {
    const who = name || (colour ? nameOf(colour) : say("somebody"));
    return h("p", {}, colour ? h("i", { class: `dot ${colour}`, role: "img", "aria-label": nameOf(colour) }) : null,
      h("strong", {}, who), room === "watchers" ? h("span", { class: "quiet" }, ` ${say("watches")}`) : null, " ", text);
  }
}
