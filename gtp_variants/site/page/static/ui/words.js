// The texts of the page in one language, loaded when needed.

/** @typedef {{ name: string, meaning: string }} Option */

export const LANGUAGES = ["en", "fr"];

/** @typedef {{ level: number, name: string, rating: number }} Opponent */

// `texts` by key, the meanings of rule options that the server has in English only, the computer's `opponents` by game,
// the weakest first, and the ratings at which a strength in words ends.
/** @type {{ texts: Record<string, string>, meanings: Record<string, string | undefined>, opponents: Record<string, Opponent[]>, strengths: number[] }} */
export let book = { texts: {}, meanings: {}, opponents: {}, strengths: [] };
let lang = "en";

/** Use a language, or English if it is unknown. @param {string} chosen */
export async function speakIn(chosen) {
  lang = LANGUAGES.includes(chosen) ? chosen : "en";
  book = await (await fetch(`/static/words/${lang}.json`)).json();
  if (globalThis.document) document.documentElement.lang = lang;
}

export const language = () => lang;

/** Return a text with its placeholders filled. Throws if the text or a part is missing. @param {string} key @param {Record<string, unknown>} parts */
export function say(key, parts = {}) {
  const text = book.texts[key];
  if (text === undefined) throw new Error(`no words for ${key} in ${lang}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    if (parts[name] === undefined || parts[name] === null) throw new Error(`${key}: no ${name} was given`);
    return String(parts[name]);
  });
}

// Return true if a text exists.
export const has = (key) => key in book.texts;

// Return a colon and a space, in the style of the language.
export const colon = () => lang === "fr" ? "\u00a0: " : ": ";

// Return a label that ends with a colon.
export const named = (key) => `${say(key)}${colon()}`;

const NAMES = { b: "Black", w: "White", r: "Red" };
export const nameOf = (colour) => say(NAMES[colour]);

/** Return a move in words: a point as it is, a pass by its name. @param {string} at */
export const wordOf = (at) => (["pass", "resign", "swap"].includes(at) ? say(at) : at);

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Option} option */
export const meaningOf = (option) => book.meanings[option.name] ?? option.meaning;
