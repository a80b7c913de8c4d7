// The game beside its board: what it is, its aim, who watches, and the count at its end.

import { h, redraw } from "../../ui/dom.js";
import { sizeOf } from "../../ui/parts.js";
import { colon, has, nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";

export class About extends Part {
  facts = h("div");
  watching = h("div");
  element = h("aside", { class: "about", "aria-label": say("about") }, this.facts, this.screen.count.element, this.screen.buttons.tools, this.watching);

  show() {
    const { whole, describe, state, watching, watchers } = this.screen, aim = `about ${describe.name}`;
    redraw(this.facts, [whole.title, whole.commitment, state.nonces, state.waiting], () => [h("h2", {}, whole.title),
      h("p", {}, [sizeOf(describe), whole.rated ? say("this is rated") : ""].filter(Boolean).join(" · ")),
      has(aim) ? [h("h3", {}, say("aim")), h("p", {}, say(aim))] : null,
      whole.commitment ? [h("h3", {}, say("commitment")), h("p", {}, h("code", {}, whole.commitment)), h("p", {}, this.#chosen())] : null]);
    redraw(this.watching, [watching, watchers], () => [watching
      ? h("p", {}, [say("watching", { count: watching }), watchers.join(", ")].filter(Boolean).join(colon())) : null]);
  }

  // Return who chose the dice, and from which throw on.
  #chosen() {
    const { seats, state: { nonces = [], waiting } } = this.screen;
    const people = Object.values(seats).filter(({ kind }) => ["person", "account"].includes(kind)), shares = nonces.map((nonce) => nonce.split(" "));
    if (waiting || !people.length) return "";
    if (!shares.length) return say("dice of server");
    if (shares.length > 1 && shares.length === people.length && shares.every(([first]) => first === "1")) return say("dice of all");
    return say("dice of some", { names: shares.map(([number, colour]) => (number === "1" ? nameOf(colour) : say("dice from", { name: nameOf(colour), number }))).join(", ") });
  }
}
