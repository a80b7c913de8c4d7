// Play on the server from a browser: login, board, messages.

const words = JSON.parse(document.getElementById("play").dataset.words);
const find = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

let socket = null;
let board = null;
let state = null;
let since = 0;
// True if the login has succeeded since the form was sent.
let isIn = false;
// The last message that is not part of the game. If the server closes the connection, it is the reason.
let lastWords = "";
// The close code of a connection that the server ends on purpose.
const CLOSED = 1000;

function tell(text) {
  find("said").textContent = text;
}

function log(text) {
  const line = document.createElement("li");
  line.textContent = text;
  find("log").prepend(line);
  while (find("log").children.length > 30) find("log").lastChild.remove();
}

function send(line) {
  socket?.send(JSON.stringify({ line }));
}

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function take(described) {
  board = described;
  const picture = new DOMParser().parseFromString(board.svg, "image/svg+xml").documentElement;
  for (const name of ["width", "height"]) picture.removeAttribute(name);
  const layer = shape("g", { id: "stones" });
  picture.append(layer);
  find("board").replaceChildren(document.importNode(picture, true));
  find("spec").textContent = board.spec;
}

function draw() {
  const layer = find("stones");
  if (!layer || !state) return;
  const mine = state.running && state.asked === state.me && !state.ended;
  const legal = new Set(mine ? state.legal : []);
  const parts = [];
  for (const [vertex, colour] of Object.entries(state.stones)) {
    const [cx, cy] = board.places[vertex];
    parts.push(shape("circle", { cx, cy, r: board.radius, class: `stone ${colour}` }));
    if (state.last?.vertex === vertex) parts.push(shape("circle", { cx, cy, r: board.radius / 3, class: `last ${colour}` }));
  }
  for (const vertex of state.tried) {
    const [x, y] = board.places[vertex];
    parts.push(shape("path", { class: "tried", d: `M${x - 8} ${y - 8}l16 16M${x + 8} ${y - 8}l-16 16` }));
  }
  for (const [vertex, [cx, cy]] of Object.entries(board.places)) {
    if (!legal.has(vertex)) continue;
    const point = shape("circle", { cx, cy, r: board.radius, class: `free ${state.me}${state.draw ? " open" : ""}`, tabindex: 0, role: "button", "aria-label": vertex });
    point.addEventListener("click", () => play(vertex));
    point.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); play(vertex); } });
    parts.push(point);
  }
  layer.replaceChildren(...parts);
  find("names").textContent = Object.entries(state.names).map(([seat, name]) => `${words[seat]}: ${name}`).join(" · ");
  find("draw").textContent = state.draw ? `${words.draw} ${state.draw.dice}: ${state.draw.total} → ${words.line} ${state.draw.open.join(", ")}` : "";
  find("heard").textContent = (state.announcements ?? []).map((each) => each.text ?? each).join(" ");
  for (const id of ["pass", "resign"]) find(id).disabled = !mine || (id === "pass" && !legal.has("pass"));
  find("swap").hidden = !legal.has("swap");
  find("again").hidden = !state.ended;
  tell(state.ended ? `${state.ended} ${state.why}` : !state.running ? words.soon : mine ? words.yours : words.theirs);
}

function tick() {
  if (!state) return;
  const gone = state.running && !state.ended ? Math.max(0, (performance.now() - since) / 1000 - state.free_s) : 0;
  find("clocks").textContent = Object.entries(state.left_s).map(([seat, left]) => {
    const seconds = Math.max(0, Math.floor(left - (seat === state.asked ? gone : 0)));
    return `${words[seat]} ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }).join(" · ");
}

function play(word) {
  if (!state || state.asked !== state.me || socket?.readyState !== WebSocket.OPEN) return;
  send(word);
  state.asked = null;
  draw();
}

function hear(line) {
  const [word] = line.split(" ");
  const text = line.slice(word.length + 1);
  if (word === "Error:" || word === "info") {
    lastWords = text;
    // The log is visible only beside a board.
    if (word === "Error:" || !state) tell(text);
    log(text);
  } else if (word === "hear") {
    log(text);
  }
}

function connect(login) {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/play`);
  socket.addEventListener("open", () => { socket.send(JSON.stringify(login)); tell(words.waiting); });
  socket.addEventListener("message", (event) => {
    const said = JSON.parse(event.data);
    if (said.line) hear(said.line);
    if (said.board) take(said.board);
    if (said.state !== undefined) { state = said.state; isIn = true; since = performance.now(); show(state !== null); draw(); tick(); }
  });
  socket.addEventListener("close", ({ code }) => {
    socket = null;
    if (code === CLOSED) tell(lastWords);
    else if (!state?.ended) tell(words.lost);
    // Reconnect after an interruption, since the clock may be running, but not if the server closed the connection: two
    // tabs with one account would displace each other for ever.
    if (isIn && code !== CLOSED && !state?.ended) { setTimeout(() => connect(login), 1000); return; }
    find("enter").disabled = false;
    show(false);
  });
}

function show(isPlaying) {
  find("login").hidden = isPlaying;
  find("table").hidden = !isPlaying;
}

find("login").addEventListener("submit", (event) => {
  event.preventDefault();
  const games = [...document.querySelectorAll("input[name=game]:checked")].map((box) => box.value);
  if (!games.length) { tell(words.choose); return; }
  isIn = false;
  find("enter").disabled = true;
  connect({ name: find("name").value, password: find("password").value, games });
});
find("pass").addEventListener("click", () => play("pass"));
find("swap").addEventListener("click", () => play("swap"));
find("resign").addEventListener("click", () => { if (confirm(words.sure)) play("resign"); });
find("again").addEventListener("click", () => { send("ready"); tell(words.waiting); });
setInterval(tick, 500);
