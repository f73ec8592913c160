// The picture: switches by level, hosts as small squares beside their switch, both directions of every link.
// A host's upper half is what it sends, the lower half what it receives.

const picture = document.getElementById("picture");

function shape(parent, kind, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

const drawn = new Map(); // channel -> its element
const boxes = new Map(); // vertex -> its group
const layers = new Map(); // class of a load -> the lines of that class, the fullest in front

function drawLinks() {
  for (const [, kind] of [...classes].reverse()) layers.set(kind, shape(picture, "g", {}));
  const hits = shape(picture, "g", {});
  for (const [forth, back, x1, y1, x2, y2] of data.links) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const dx = (-1.1 * (y2 - y1)) / length, dy = (1.1 * (x2 - x1)) / length; // each direction beside the middle
    for (const [channel, side] of [[forth, 1], [back, -1]]) {
      const line = `M${x1 + side * dx} ${y1 + side * dy}L${x2 + side * dx} ${y2 + side * dy}`;
      drawn.set(channel, shape(layers.get("f0"), "path", { d: line, class: "channel f0" }));
    }
    shape(hits, "path", { d: `M${x1} ${y1}L${x2} ${y2}`, class: "hit", "data-channel": forth });
  }
}

function drawHosts() {
  const size = data.cell;
  data.hostPlaces.forEach(([x, y], h) => {
    const group = shape(picture, "g", { class: "vertex host", "data-vertex": h });
    const up = { x, y, width: size, height: size / 2, class: "half f0" };
    drawn.set(h, shape(group, "rect", up));
    drawn.set(reverseOf.get(h), shape(group, "rect", { ...up, y: y + size / 2 }));
    shape(group, "rect", { x, y, width: size, height: size, class: "box" });
    boxes.set(h, group);
  });
}

function drawSwitches() {
  data.switchPlaces.forEach(([x, y, width, height], s) => {
    const group = shape(picture, "g", { class: "vertex", "data-vertex": hosts + s });
    shape(group, "rect", { x, y, width, height, rx: 2, class: "box" });
    boxes.set(hosts + s, group);
  });
  for (const [text, x, y] of data.labels) shape(picture, "text", { x, y, class: "label" }).textContent = text;
}

function drawAll() {
  picture.setAttribute("viewBox", `0 0 ${data.width} ${data.height}`);
  picture.style.minWidth = `${Math.min(data.width, 640)}px`;
  drawLinks();
  drawHosts();
  drawSwitches();
}

// Colour every channel by its load.
function paint(load) {
  for (const [channel, element] of drawn) {
    const kind = classOf(load[channel]);
    if (element.classList.contains(kind)) continue;
    element.classList.remove(...classes.map(([, name]) => name));
    element.classList.add(kind);
    if (element.tagName === "path") layers.get(kind).append(element);
  }
}

// Show a vertex framed and some channels alone, all others faint; none: everything as it is.
function outline(vertex, channels) {
  picture.querySelectorAll(".lit, .chosen").forEach((each) => each.classList.remove("lit", "chosen"));
  picture.classList.toggle("focused", channels.length > 0);
  channels.forEach((channel) => drawn.get(channel).classList.add("lit"));
  if (vertex !== undefined) boxes.get(vertex).classList.add("chosen");
}
