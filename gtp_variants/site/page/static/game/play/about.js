// The game beside its board: what it is, its aim, who watches, and the count at its end.

import { h, redraw } from "../../ui/dom.js";
import { colon, has, say } from "../../ui/words.js";

export class About {
  /** @param {import("../screen.js").GameScreen} screen */
  constructor(screen) {
    this.screen = screen;
    this.facts = h("div");
    this.watching = h("div");
    this.element = h("aside", { class: "about", "aria-label": say("about") }, this.facts, screen.count.element, screen.buttons.tools, this.watching);
  }

  show() {
    const { whole, describe, watching, watchers } = this.screen, aim = `about ${describe.name}`;
    redraw(this.facts, [whole.title], () => [h("h2", {}, whole.title), h("p", {}, [size(describe), whole.rated ? say("rated game") : ""].filter(Boolean).join(" · ")),
      has(aim) ? [h("h3", {}, say("aim")), h("p", {}, say(aim))] : null]);
    redraw(this.watching, [watching, watchers], () => [watching
      ? h("p", {}, [say("watching", { count: watching }), watchers.join(", ")].filter(Boolean).join(colon())) : null]);
  }
}

// Return the size of a square board.
function size({ geometry, grid: [width, height] }) {
  return geometry === "hex" ? "" : `${width} × ${height}`;
}
