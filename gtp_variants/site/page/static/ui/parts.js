// Parts that several screens use: names, links to share, spoken messages, errors.

import { about, api, plain } from "../data/net.js";
import { svg } from "../board/board.js";
import { h, showDialog } from "./dom.js";
import { language, say } from "./words.js";

export const isMoving = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

export function speak(words, lang) {
  if (!window.speechSynthesis) return;
  const spoken = new SpeechSynthesisUtterance(words);
  spoken.lang = lang;
  speechSynthesis.speak(spoken);
}

// Return the name of the person or bot at a seat.
export function titleOf(seat) {
  if (seat.kind === "person") return seat.name || say("person");
  return seat.title?.[language()] ?? seat.bot;
}

/** Return the size of a board of squares, "" for another board. @param {{ geometry: string, grid: number[] }} described */
export const sizeOf = ({ geometry, grid }) => (geometry === "hex" ? "" : grid.join(" × "));

const TINTS = ["#17644f", "#8a4b2d", "#34607f", "#6d4a7d", "#7a3b4f", "#4d5f2b"];
const POINTS = [{ fill: "#1b1a19", r: 5.2 }, { fill: "#fff", r: 5.2 }, { fill: "#55544f", r: 1.2 }];
const SPOTS = [[20, 20], ...[0, 1, 2, 3, 4, 5].map((side) => [20 + 11.5 * Math.cos((side * Math.PI) / 3), 20 + 11.5 * Math.sin((side * Math.PI) / 3)])];

// Return the crest of a player with a stone: the first letter of a person, seven points of a program.
export function crest(name, colour, seat) {
  const number = [...name].reduce((sum, letter) => (31 * sum + /** @type {number} */ (letter.codePointAt(0))) % 997, 7);
  const isBot = seat?.kind === "bot";
  const drawn = svg("svg", { viewBox: "0 0 40 40" }, svg("rect", { width: 40, height: 40, fill: isBot ? `hsl(${(number * 47) % 360} 30% 86%)` : TINTS[number % TINTS.length] }));
  const spot = ([cx, cy], index) => svg("circle", { cx, cy, ...POINTS[Math.floor(number / 3 ** index) % POINTS.length] });
  drawn.append(...(isBot ? SPOTS.map(spot) : [svg("text", { x: 20, y: 26 }, (name || "?").charAt(0).toUpperCase())]));
  return h("span", { class: "crest", "aria-hidden": "true" }, drawn, h("i", { class: `dot ${colour}` }));
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

/** Return a link to the rules of a SPEC. @param {string} spec @param {string} key of its text */
export const rulesLink = (spec, key) => h("a", { href: about("rules", plain(spec)), target: "_blank", rel: "noopener" }, say(key));

/** Show links to share. @param {(base: string) => any} cards returns the links, given the address under which others reach this server */
export async function shareLinks(cards) {
  const { addresses } = await api("/api/about").catch(() => ({ addresses: [] }));
  const isHereOnly = !addresses.length && ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  showDialog(say("share"), isHereOnly ? h("p", { class: "quiet" }, say("only here")) : null, cards(addresses[0] ?? location.origin));
}
