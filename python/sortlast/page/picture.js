// The picture: boxes (switches), squares (hosts), and both directions of every line. A box or square may stand
// for a group. A square's upper half is what its hosts send, the lower half what they receive.

const picture = document.getElementById("picture");

function shape(parent, kind, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

const drawn = []; // element of each part
const boxes = [], squares = []; // group of each
const labels = []; // text of each slot
const layers = new Map(); // class of a load -> the lines of that class, the fullest in front

// A box or square that stands for one vertex is selected as that, one of a group as the group.
const members = data.boxes.map(() => []);
data.switches.forEach((_, s) => members[boxOf[hosts + s]].push(hosts + s));
const guests = data.squares.map(() => []);
squareOf.forEach((square, host) => guests[square].push(host));
const named = (own, kind, number) => (own.length === 1 && data.whole ? { "data-vertex": own[0] } : { [kind]: number });

// Each direction lies beside the middle of its line; the two stubs of a link point away from each other.
function pathOfLine(pieces, side) {
  return pieces.map(([x1, y1, x2, y2], k) => {
    const length = ((k ? -1 : 1) * Math.hypot(x2 - x1, y2 - y1)) || 1;
    const dx = (-1.1 * side * (y2 - y1)) / length, dy = (1.1 * side * (x2 - x1)) / length;
    return `M${(x1 + dx).toFixed(1)} ${(y1 + dy).toFixed(1)}L${(x2 + dx).toFixed(1)} ${(y2 + dy).toFixed(1)}`;
  }).join("");
}

function drawLines() {
  for (const [, kind] of [...classes].reverse()) layers.set(kind, shape(picture, "g", {}));
  const hits = shape(picture, "g", {});
  data.lines.forEach((pieces, k) => {
    for (const [part, side] of [[2 * k, 1], [2 * k + 1, -1]]) {
      drawn[part] = shape(layers.get("f0"), "path", { d: pathOfLine(pieces, side), class: "channel f0" });
    }
    const d = pieces.map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`).join("");
    shape(hits, "path", { d, class: "hit", "data-line": k });
  });
}

function drawSquares() {
  data.squares.forEach(([x, y, width, height], k) => {
    const group = shape(picture, "g", { class: "vertex host", ...named(guests[k], "data-square", k) });
    const half = { x, y, width, height: height / 2, class: "half f0" };
    drawn[data.squarePart + 2 * k] = shape(group, "rect", half);
    drawn[data.squarePart + 2 * k + 1] = shape(group, "rect", { ...half, y: y + height / 2 });
    shape(group, "rect", { x, y, width, height, class: "box" });
    squares.push(group);
  });
}

function drawBoxes() {
  data.boxes.forEach(([x, y, width, height], k) => {
    const group = shape(picture, "g", { class: "vertex", ...named(members[k], "data-box", k) });
    shape(group, "rect", { x, y, width, height, rx: 2, class: "box" });
    boxes.push(group);
  });
  for (const { room: [x, y, width, height], align, upright, faint } of data.slots) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    const place = upright ? {} : { x: x + { left: 0, center: 0.5, right: 1 }[align] * width, y: y + height };
    labels.push(shape(picture, "text", { ...place, "text-anchor": anchor, class: faint ? "label faint" : "label" }));
  }
}

function drawAll() {
  picture.setAttribute("viewBox", `0 0 ${data.width} ${data.height}`);
  picture.style.setProperty("--thin", data.thin);
  drawLines();
  drawSquares();
  drawBoxes();
}

function setClass(element, kind) {
  if (element.classList.contains(kind)) return false;
  element.classList.remove(...classes.map(([, name]) => name));
  element.classList.add(kind);
  return true;
}

// Colour every part by the worst load of its channels, and the frames of groups by that of their links.
function paint(worst) {
  drawn.forEach((element, part) => {
    const kind = classOf(worst.parts[part]);
    if (setClass(element, kind) && element.tagName === "path") layers.get(kind).append(element);
  });
  if (!data.whole) boxes.forEach((element, k) => setClass(element.firstChild, classOf(worst.boxes[k])));
}

const glyphOf = (vertex) => (isHost(vertex) ? squares[squareOf[vertex]] : boxes[boxOf[vertex]]);

// Show some glyphs framed and some channels alone, all others faint; none: everything as it is.
function outline(framed, channels) {
  picture.querySelectorAll(".lit, .chosen").forEach((each) => each.classList.remove("lit", "chosen"));
  picture.classList.toggle("focused", channels.length > 0);
  for (const channel of channels) if (partOf[channel] >= 0) drawn[partOf[channel]].classList.add("lit");
  framed.forEach((glyph) => glyph.classList.add("chosen"));
}
