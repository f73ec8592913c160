// Everything around the picture: the stage, what is selected, the fullest links, the size. All that the mouse
// shows can be reached by keyboard: the slider chooses the stage, the table and the search field select.

const stages = data.stageMax.length;
let stage = data.stage, now = null, worst = null, pinned = null, timer = 0, larger = 1;

function show(chosen) {
  if (!chosen) {
    outline([], []);
    at("details").replaceChildren(element("p", "Point at a link, a switch or a host, or choose one by name or in the table."));
    return;
  }
  const { text, lit, framed } = detailsOf(chosen);
  outline(framed, lit);
  at("details").replaceChildren(...text);
}

function choose(chosen, pin) {
  if (pin) pinned = chosen;
  show(chosen ?? pinned);
}

function chosenAt(event) {
  const hit = event.target.closest("[data-line], [data-vertex], [data-box], [data-square]");
  if (!hit) return null;
  const [[kind, number]] = Object.entries(hit.dataset);
  return { [kind]: Number(number) };
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
  stage = fixed ? data.stage : Math.min(Math.max(to, 1), stages);
  now = analyse(stage);
  worst = worstOf(now.load);
  paint(worst);
  rewrite();
  const contended = showFullest();
  const what = listed || fixed ? "" : `: rank i sends to rank (i + ${stage}) mod ${data.placement.length}`;
  const times = data.repeats[stage - 1] > 1 ? `, ${data.repeats[stage - 1]} times in a row` : "";
  const text = `Stage ${stage} of ${stages}${times}${what}. ${count(now.count, "flow")}, `
    + `at most ${now.most} on a link, mean share ${now.share.toFixed(3)}, ${count(contended, "contended link")}.`;
  at("summary").textContent = text;
  at("stage").value = stage;
  at("stage").setAttribute("aria-valuetext", text);
  at("cursor").setAttribute("x", stage - 1);
  show(pinned);
}

// Bars of the stages; where there are more than pixels, one for the worst of some beside each other.
function drawChart() {
  const chart = at("chart"), most = Math.max(1, mostOf(data.stageMax)), each = Math.ceil(stages / 800);
  chart.setAttribute("viewBox", `0 0 ${stages} ${most}`);
  for (let k = 0; k < stages; k += each) {
    const height = mostOf(data.stageMax.slice(k, k + each));
    shape(chart, "rect", { x: k, y: most - height, width: each - 0.08, height, class: classOf(height) });
  }
  shape(chart, "rect", { id: "cursor", x: 0, y: 0, width: Math.max(1, stages / 400), height: most });
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    go(1 + Math.floor(((event.clientX - box.left) / box.width) * stages));
  });
}

function play(on) {
  clearInterval(timer);
  if (on) timer = setInterval(() => go((stage % stages) + 1), 400);
  at("play").setAttribute("aria-pressed", String(on));
  at("play").textContent = on ? "Pause" : "Play";
}

// --- the size -------------------------------------------------------------------------------------------

// The picture fills its room, or is up to 16 times as large; what is in the middle stays there.
function resize() {
  const room = at("scroll");
  const middle = [(room.scrollLeft + room.clientWidth / 2) / room.scrollWidth, (room.scrollTop + room.clientHeight / 2) / room.scrollHeight];
  const fitting = Math.min(room.clientWidth / data.width, room.clientHeight / data.height);
  picture.style.width = `${Math.floor(fitting * larger * data.width)}px`;
  picture.style.height = `${Math.floor(fitting * larger * data.height)}px`;
  room.scrollLeft = middle[0] * room.scrollWidth - room.clientWidth / 2;
  room.scrollTop = middle[1] * room.scrollHeight - room.clientHeight / 2;
  rewrite();
}

function rewrite() {
  write(labels, picture.clientWidth / data.width || 1, worst.boxes);
}

function zoom(factor) {
  larger = Math.min(Math.max(larger * factor, 1), 16);
  resize();
}

// --- at the start ---------------------------------------------------------------------------------------

function writeHeading() {
  at("title").textContent = data.title;
  at("verdict").textContent = data.verdict;
  at("verdict").className = data.free ? "free" : "contended";
  for (const [name, value] of data.made) at("made").append(element("div", "", [element("dt", name), element("dd", value)]));
  at("command").textContent = data.command;
  at("caption").textContent = data.note ? `${data.caption}; ${data.note}` : data.caption;
  for (const [, name, text] of [...classes].reverse()) {
    const line = element("i");
    line.className = name;
    line.style.height = name === "f0" ? "2px" : `${2 + Number(name[1]) * 0.6}px`;
    at("legend").append(element("span", "", [line, text]));
  }
  at("names").append(...[...data.switches, ...data.hosts].slice(0, 5000).map((name) => new Option(name)));
  if (!fixed) return;
  for (const id of ["stage", "previous", "next", "play", "worst"]) at(id).disabled = true;
  at("only").textContent = `Tables or flows are too many for a page: it shows stage ${data.stage} alone, and names no flows.`;
}

function listen() {
  at("stage").max = stages;
  at("stage").addEventListener("input", (event) => go(Number(event.target.value)));
  at("previous").addEventListener("click", () => go(stage - 1));
  at("next").addEventListener("click", () => go(stage + 1));
  at("worst").addEventListener("click", () => go(data.worst));
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
  new ResizeObserver(resize).observe(at("scroll"));
}

writeHeading();
drawAll();
drawChart();
listen();
go(data.stage);
resize();

// For the console: fabric.analyse(3).load is the flows on every channel at stage 3.
globalThis.fabric = { data, analyse, go, drawn, partOf, glyphOf, labels, stage: () => stage };
