// The game beside its board: what it is, its aim, who watches, and the count at its end.

import { h, redraw } from "../../ui/dom.js";
import { sizeOf } from "../../ui/parts.js";
import { colon, has, say } from "../../ui/words.js";
import { Part } from "../part.js";

export class About extends Part {
  facts = h("div");
  watching = h("div");
  element = h("aside", { class: "about", "aria-label": say("about") }, this.facts, this.screen.count.element, this.screen.buttons.tools, this.watching);

  show() {
    const { whole, describe, watching, watchers } = this.screen, aim = `about ${describe.name}`;
    redraw(this.facts, [whole.title], () => [h("h2", {}, whole.title), h("p", {}, [sizeOf(describe), whole.rated ? say("this is rated") : ""].filter(Boolean).join(" · ")),
      has(aim) ? [h("h3", {}, say("aim")), h("p", {}, say(aim))] : null]);
    redraw(this.watching, [watching, watchers], () => [watching
      ? h("p", {}, [say("watching", { count: watching }), watchers.join(", ")].filter(Boolean).join(colon())) : null]);
  }
}
