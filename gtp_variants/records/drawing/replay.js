"use strict";
const { places, radius, lines, faces, moments } = JSON.parse(document.getElementById("told").textContent);
const find = (id) => document.getElementById(id);
// The edge of a stone, and what shows on it.
const COLOURS = { b: ["#000", "#fff"], w: ["#77736a", "#111"], r: ["#6d0f0f", "#fff"] };
const HALF = 17.6;
let at = moments.length - 1;

function shape(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function show(number) {
  at = Math.max(0, Math.min(moments.length - 1, number));
  const stones = {}, { say, last, open = [], marked = [] } = moments[at];
  for (const { put = {} } of moments.slice(0, at + 1)) Object.assign(stones, put);
  find("stones").replaceChildren(...Object.entries(stones).filter(([, colour]) => colour).map(([point, colour]) =>
    shape("circle", {
      cx: places[point][0], cy: places[point][1], r: radius, fill: `url(#gv-${colour})`, stroke: COLOURS[colour][0],
    })));
  const lit = [...places.keys()].filter((point) => open.includes(lines[point]) && !stones[point]);
  find("lit").replaceChildren(...lit.map((point) => shape("rect", {
    x: places[point][0] - HALF, y: places[point][1] - HALF, width: 2 * HALF, height: 2 * HALF, rx: 8,
    fill: "#1f9d55", "fill-opacity": 0.42, stroke: "#1f9d55",
  })));
  const rosettes = faces.filter((face) =>
    face.every((point) => marked.includes(point)) && new Set(face.map((point) => stones[point])).size === 1);
  find("gv-faces").replaceChildren(...rosettes.map((face) =>
    shape("path", { d: `M${face.map((point) => places[point].join(" ")).join("L")}Z`, fill: "#b9d4f6" })));
  const ring = (point, r, stroke, width) => shape("circle", {
    cx: places[point][0], cy: places[point][1], r, fill: "none", stroke, "stroke-width": width,
  });
  find("marks").replaceChildren(
    ...marked.map((point) => ring(point, 14.4, "#1766c9", 4)),
    ...(last === undefined ? [] : [ring(last, 7.5, COLOURS[stones[last]][1], 3)]));
  find("caption").textContent = say.join("\n");
  find("moment").value = at;
  for (const id of ["first", "back"]) find(id).disabled = at === 0;
  for (const id of ["forward", "last"]) find(id).disabled = at === moments.length - 1;
}

const ways = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => moments.length - 1 };
for (const [id, to] of Object.entries(ways)) find(id).addEventListener("click", () => show(to()));
find("moment").max = moments.length - 1;
find("moment").addEventListener("input", () => show(Number(find("moment").value)));
const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };
addEventListener("keydown", (event) => {
  if (!keys[event.key] || event.target.id === "moment" || event.ctrlKey || event.altKey || event.metaKey) return;
  show(ways[keys[event.key]]());
  event.preventDefault();
});
show(/^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : at);
