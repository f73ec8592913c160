// Everything around the picture: the stage, what is selected, the fullest links. All that the mouse shows can
// be reached by keyboard: the slider chooses the stage, the table and the search field select.

const at = (id) => document.getElementById(id);
const MOST_FLOWS = 200, MOST_ROWS = 12; // that are listed
let stage = 1, now = analyse(1), pinned = null, timer = 0;

function element(kind, text, children = []) {
  const made = document.createElement(kind);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const describe = (channel) =>
  `${nameOf(sourceOf(channel))} port ${portOf(channel)} → ${nameOf(target[channel])}`;

function button(text, chosen) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", () => choose(chosen, true));
  return made;
}

// --- what is selected -----------------------------------------------------------------------------------

// The flows on a channel, and the channels of all their paths.
function channelDetails(channel) {
  const crossing = now.crossing(channel);
  const rows = crossing.slice(0, MOST_FLOWS).map(([from, to]) => element("li", `${nameOf(from)} → ${nameOf(to)}`));
  if (crossing.length > MOST_FLOWS) rows.push(element("li", `and ${crossing.length - MOST_FLOWS} more`));
  const heading = element("h3", `${describe(channel)}: ${count(crossing.length, "flow")}`);
  return { text: [heading, element("ul", "", rows)], lit: [channel, ...crossing.flatMap(pathOf)] };
}

function switchDetails(vertex) {
  const own = channelsOf(vertex);
  const rows = own.map((channel) => {
    const flows = `${now.load[channel]} out, ${now.load[reverseOf.get(channel)]} in`;
    const text = `port ${portOf(channel)} to ${nameOf(target[channel])}: ${flows}`;
    return element("li", "", [button(text, { channel })]);
  });
  const heading = element("h3", `${nameOf(vertex)}: ${count(own.length, "link")}`);
  return { text: [heading, element("ul", "", rows)], lit: own.flatMap((channel) => [channel, reverseOf.get(channel)]) };
}

function bothDirections(channel) {
  const [forth, back] = [channelDetails(channel), channelDetails(reverseOf.get(channel))];
  return { text: [...forth.text, ...back.text], lit: [...forth.lit, ...back.lit] };
}

function show(chosen) {
  const details = at("details");
  if (!chosen) {
    outline(undefined, []);
    details.replaceChildren(element("p", "Point at a link, a switch or a host, or choose one by name or in the table."));
    return;
  }
  const { vertex } = chosen;
  const { text, lit } = vertex === undefined || isHost(vertex)
    ? bothDirections(vertex ?? chosen.channel)
    : switchDetails(vertex);
  outline(vertex, lit);
  details.replaceChildren(...text);
}

function choose(chosen, pin) {
  if (pin) pinned = chosen;
  show(chosen ?? pinned);
}

function chosenAt(event) {
  const hit = event.target.closest("[data-channel], [data-vertex]");
  if (!hit) return null;
  return hit.dataset.channel ? { channel: Number(hit.dataset.channel) } : { vertex: Number(hit.dataset.vertex) };
}

// --- the stage ------------------------------------------------------------------------------------------

function showFullest() {
  const full = [...now.load.keys()].filter((channel) => now.load[channel] > 1);
  full.sort((a, b) => now.load[b] - now.load[a] || a - b);
  const rows = full.slice(0, MOST_ROWS).map((channel) =>
    element("tr", "", [element("td", String(now.load[channel])), element("td", "", [button(describe(channel), { channel })])]));
  if (!rows.length) rows.push(element("tr", "", [element("td", "–"), element("td", "no link carries two flows")]));
  at("fullest").tBodies[0].replaceChildren(...rows);
  return full.length;
}

function go(to) {
  stage = Math.min(Math.max(to, 1), data.stageMax.length);
  now = analyse(stage);
  paint(now.load);
  const contended = showFullest();
  const what = data.flows ? "" : `: rank i sends to rank (i + ${stage}) mod ${data.placement.length}`;
  const text = `Stage ${stage} of ${data.stageMax.length}${what}. ${count(now.flows.length, "flow")}, `
    + `at most ${now.most} on a link, mean share ${now.share.toFixed(3)}, ${count(contended, "contended link")}.`;
  at("summary").textContent = text;
  at("stage").value = stage;
  at("stage").setAttribute("aria-valuetext", text);
  at("cursor").setAttribute("x", stage - 1);
  show(pinned);
}

function drawChart() {
  const chart = at("chart"), most = Math.max(1, ...data.stageMax);
  chart.setAttribute("viewBox", `0 0 ${data.stageMax.length} ${most}`);
  data.stageMax.forEach((height, k) =>
    shape(chart, "rect", { x: k, y: most - height, width: 0.92, height, class: classOf(height) }));
  shape(chart, "rect", { id: "cursor", x: 0, y: 0, width: 1, height: most });
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    go(1 + Math.floor(((event.clientX - box.left) / box.width) * data.stageMax.length));
  });
}

// The picture is as wide as its room, or up to 16 times as wide; its middle stays in the middle.
function zoom(factor) {
  const room = at("scroll"), middle = (room.scrollLeft + room.clientWidth / 2) / room.scrollWidth;
  const width = parseFloat(picture.style.width || "100") * factor;
  picture.style.width = `${Math.min(Math.max(width, 100), 1600)}%`;
  room.scrollLeft = middle * room.scrollWidth - room.clientWidth / 2;
}

function play(on) {
  clearInterval(timer);
  if (on) timer = setInterval(() => go((stage % data.stageMax.length) + 1), 400);
  at("play").setAttribute("aria-pressed", String(on));
  at("play").textContent = on ? "Pause" : "Play";
}

// --- at the start ---------------------------------------------------------------------------------------

function writeHeading() {
  at("title").textContent = data.title;
  at("verdict").textContent = data.verdict;
  at("verdict").className = data.free ? "free" : "contended";
  at("engine").textContent = data.routing;
  at("caption").textContent = data.caption;
  for (const [, name, text] of [...classes].reverse()) {
    const line = element("i");
    line.className = name;
    line.style.height = name === "f0" ? "2px" : `${2 + Number(name[1]) * 0.6}px`;
    at("legend").append(element("span", "", [line, text]));
  }
  at("names").append(...[...data.switches, ...data.hosts].map((name) => new Option(name)));
}

function listen() {
  at("stage").max = data.stageMax.length;
  at("stage").addEventListener("input", (event) => go(Number(event.target.value)));
  at("previous").addEventListener("click", () => go(stage - 1));
  at("next").addEventListener("click", () => go(stage + 1));
  at("worst").addEventListener("click", () => go(1 + data.stageMax.indexOf(Math.max(...data.stageMax))));
  at("play").addEventListener("click", () => play(at("play").getAttribute("aria-pressed") === "false"));
  at("smaller").addEventListener("click", () => zoom(1 / 1.5));
  at("larger").addEventListener("click", () => zoom(1.5));
  at("contended").addEventListener("change", (event) => picture.classList.toggle("quiet", event.target.checked));
  picture.addEventListener("pointerover", (event) => choose(chosenAt(event), false));
  picture.addEventListener("pointerleave", () => choose(null, false));
  picture.addEventListener("click", (event) => { pinned = chosenAt(event); show(pinned); });
  at("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = at("find").value.trim().toLowerCase();
    const names = [...data.hosts, ...data.switches].map((name) => name.toLowerCase());
    const exact = names.indexOf(wanted);
    const vertex = exact >= 0 ? exact : names.findIndex((name) => wanted && name.includes(wanted));
    if (vertex >= 0) choose({ vertex }, true);
    else at("details").replaceChildren(element("p", `Nothing here is called “${at("find").value}”.`));
  });
  addEventListener("keydown", (event) => event.key === "Escape" && ((pinned = null), show(null)));
}

writeHeading();
drawAll();
drawChart();
listen();
go(1);

// For the console: fabric.analyse(3).load is the flows on every channel at stage 3.
globalThis.fabric = { data, analyse, go, drawn, boxes, stage: () => stage };
