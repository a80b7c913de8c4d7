// What several screens show alike: names, links to give away, a voice, what went wrong.

import { kept } from "../data/kept.js";
import { api } from "../data/net.js";
import { h } from "./dom.js";
import { language, say } from "./words.js";

export const isMoving = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;
export const isLocal = () => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

export function speak(words, lang) {
  if (!window.speechSynthesis) return;
  const spoken = new SpeechSynthesisUtterance(words);
  spoken.lang = lang;
  speechSynthesis.speak(spoken);
}

const LONGEST_NAME = 30;

// Where a person says what they would be called; they are asked once.
export const nameInput = (id, value = kept("name", "")) => h("input", {
  id, value, maxlength: LONGEST_NAME, autocomplete: "nickname", placeholder: say("no name"), "aria-label": say("your name"),
});

// What somebody at a seat is called.
export function titleOf(seat) {
  if (seat.kind === "person") return seat.name || say("person");
  return seat.title?.[language()] ?? seat.bot;
}

// A link with a button that copies it and a code for a phone.
export function linkCard(title, link) {
  const copied = h("button", { type: "button", onclick: async () => {
    await navigator.clipboard?.writeText(link);
    copied.textContent = say("copied");
  } }, say("copy"));
  const code = h("div", { class: "qr" });
  api("/api/qr", { method: "POST", body: link }).then((drawn) => {
    code.append(h("img", { alt: `QR: ${title}`, src: `data:image/svg+xml,${encodeURIComponent(drawn)}` }));
  }).catch(() => code.remove());
  return h("section", { class: "link" }, h("h3", {}, title),
    h("div", { class: "row" }, h("input", { readonly: true, value: link, "aria-label": title, onfocus: (event) => event.target.select() }), copied), code);
}

/** What stands where a screen would be that cannot be shown: why, and ways on. @param {...any} children */
export const fault = (...children) => [h("h1", { class: "unseen" }, "gtp-variants"), h("p", { class: "banner error", role: "alert" }, ...children)];
