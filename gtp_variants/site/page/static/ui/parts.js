// Parts that several screens use: names, links to share, spoken messages, errors.

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

// Return a field for the name of a person; the name is remembered.
export const nameInput = (id, value = kept("name", "")) => h("input", {
  id, value, maxlength: LONGEST_NAME, autocomplete: "nickname", placeholder: say("no name"), "aria-label": say("your name"),
});

// Return the name of the person or bot at a seat.
export function titleOf(seat) {
  if (seat.kind === "person") return seat.name || say("person");
  return seat.title?.[language()] ?? seat.bot;
}

// Return a link with a copy button and a QR code.
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

/** Return the screen for an error: the reason, and what to do next. @param {...any} children */
export const fault = (...children) => [h("h1", { class: "unseen" }, "gtp-variants"), h("p", { class: "banner error", role: "alert" }, ...children)];
