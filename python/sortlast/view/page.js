// The page of a viewer: tells the server where it looks from and what it wants shown, and shows what comes.

const facts = JSON.parse(document.getElementById("facts").textContent);
const find = (id) => document.getElementById(id);
const picture = find("picture"), pen = picture.getContext("2d"), stage = find("stage");
const FIRST = { azimuth: 60, elevation: 28, zoom: 1, pan: [0, 0] };
const CALM = 120;  // the window's size is told when it has not changed for so long [ms]
const AGAIN = 1500;  // a lost connection is tried again after so long [ms]

let eye = structuredClone(FIRST);
let controls = null;
let socket = null;
let ended = "";

// --- what is sent: the latest of each kind, once for each frame of the screen ------------------------

const asked = {};
let planned = false;

function ask(message) {
  if (message.controls) message.controls = { ...asked.controls, ...message.controls };
  Object.assign(asked, message);
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (asked.eye || asked.controls) asked.stamp = newStamp();
    socket.send(JSON.stringify(asked));
    for (const key of Object.keys(asked)) delete asked[key];
  });
}

// By its stamp a picture tells which movement it shows: the time between is what a user waits.
const begun = new Map();
let movedAt = 0;
let lastStamp = 0;

function newStamp() {
  const stamp = Math.floor(Math.random() * 2 ** 52);
  lastStamp = stamp;
  begun.set(stamp, movedAt || performance.now());
  movedAt = 0;
  if (begun.size > 200) begun.delete(begun.keys().next().value);
  return stamp;
}

function forget() {
  if (!ended && socket?.readyState === WebSocket.OPEN) say("");
}

function moved() {
  forget();
  movedAt ||= performance.now();
  ask({ eye });
}

function change(some) {
  forget();
  controls = { ...controls, ...some };
  movedAt ||= performance.now();
  showControls();
  ask({ controls: some });
}

// --- what comes --------------------------------------------------------------------------------------

let drawing = Promise.resolve();
let shown = 0;
const times = [];

function connect() {
  const address = new URL("pictures", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.search = location.search;
  shown = 0;
  socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  const own = socket;
  socket.addEventListener("open", () => {
    say("");
    tellSize();
    if (find("own").checked) ask({ own: true, eye });
  });
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") take(JSON.parse(data));
    else drawing = drawing.then(() => show(data, own)).catch((error) => say(`The picture cannot be shown: ${error}`, true));
  });
  socket.addEventListener("close", () => {
    if (ended) return;
    say("The server has ended, or cannot be reached. Trying again …", true);
    setTimeout(connect, AGAIN);
  });
}

function take(notices) {
  if (notices.controls) {
    controls = { ...notices.controls, ...asked.controls };
    showControls();
  }
  if (notices.eye && !pointers.size) eye = notices.eye;
  if (notices.viewers) {
    const { all, together } = notices.viewers;
    find("viewers").textContent = all === 1 ? "1 viewer" : `${all} viewers, ${together} share a camera`;
  }
  if (notices.refused) say(notices.refused, true);
  if (notices.ended) {
    ended = notices.ended;
    say(`${ended}. There are no more pictures.`, true);
    document.querySelectorAll("aside :is(select, input, button)").forEach((each) => { each.disabled = true; });
  }
}

async function show(data, from) {
  const length = new DataView(data).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  const bytes = new Uint8Array(data, 4 + length);
  const bitmap = await createImageBitmap(new Blob([bytes], { type: `image/${header.kind}` }));
  picture.width = bitmap.width;
  picture.height = bitmap.height;
  pen.drawImage(bitmap, 0, 0);
  bitmap.close();
  if (from === socket && socket.readyState === WebSocket.OPEN) {
    shown += 1;
    ask({ seen: shown });
  }
  if (!ended && !find("status").classList.contains("error")) say("");
  const now = performance.now();
  times.push(now);
  while (times[0] < now - 2000) times.shift();
  const start = begun.get(header.stamp);
  begun.delete(header.stamp);
  const disordered = Number(picture.dataset.serial ?? 0) >= header.serial && from === socket && shown > 1;
  Object.assign(picture.dataset, {
    serial: header.serial, fine: header.fine, eye: JSON.stringify(header.eye), mode: header.mode, stamp: header.stamp,
    pictures: Number(picture.dataset.pictures ?? 0) + 1,
    disordered: Number(picture.dataset.disordered ?? 0) + disordered,
    ...(start === undefined ? {} : { latency: now - start }),
  });
  report(header, bytes.length, start === undefined ? null : now - start);
}

let delay = null;

function report(header, bytes, latency) {
  const { render, wait, order, composite, gather, encode } = header.seconds;
  if (latency !== null) delay = latency;
  const rate = times.length > 1 ? (times.length - 1) / (times.at(-1) - times[0]) * 1e3 : 0;
  const rows = {
    "frames a second": rate ? rate.toFixed(1) : "–",
    "mouse to picture": delay === null ? "–" : duration(delay / 1e3),
    "render": duration(render),
    "composite": duration(order + composite),
    "gather, encode": duration(gather + encode),
    "picture": `${header.size[0]} × ${header.size[1]}, ${(bytes / 1e3).toFixed(0)} kB`,
    "algorithm": header.algorithm,
  };
  find("numbers").replaceChildren(...Object.entries(rows).flatMap(([name, value]) => {
    const term = document.createElement("dt"), told = document.createElement("dd");
    term.textContent = name;
    told.textContent = value;
    return [term, told];
  }));
  drawTimeline(find("timeline"), find("legend"), header.timeline);
}

function say(text, error = false) {
  const status = find("status");
  status.textContent = text;
  status.classList.toggle("error", error);
}

// --- the picture: mouse, fingers, keys, size ---------------------------------------------------------

const pointers = new Map();
const shorter = () => Math.max(1, Math.min(picture.clientWidth, picture.clientHeight));

function orbit(dx, dy) {
  const { elevation } = facts.limits;
  eye.azimuth = ((eye.azimuth + 220 * dx / shorter()) % 360 + 360) % 360;
  eye.elevation = within(eye.elevation + 220 * dy / shorter(), -elevation, elevation);
  moved();
}

function pan(dx, dy) {
  const scale = facts.reach / (eye.zoom * shorter()), { pan: most } = facts.limits;
  eye.pan = [within(eye.pan[0] - scale * dx, -most, most), within(eye.pan[1] + scale * dy, -most, most)];
  moved();
}

function zoom(times) {
  eye.zoom = within(eye.zoom * times, ...facts.limits.zoom);
  moved();
}

function reset() {
  eye = structuredClone(FIRST);
  moved();
}

picture.addEventListener("pointerdown", (event) => {
  picture.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
});
picture.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const now = [event.clientX, event.clientY];
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
  if (other) {
    const apart = (point) => Math.max(1, Math.hypot(point[0] - other[0], point[1] - other[1]));
    zoom(apart(now) / apart(before));
    pan(dx / 2, dy / 2);
  } else if (event.shiftKey || event.buttons & 6) pan(dx, dy);
  else orbit(dx, dy);
  pointers.set(event.pointerId, now);
});
for (const end of ["pointerup", "pointercancel"]) {
  picture.addEventListener(end, (event) => { pointers.delete(event.pointerId); });
}
picture.addEventListener("contextmenu", (event) => event.preventDefault());
picture.addEventListener("dblclick", reset);
picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  const pixels = event.deltaY * [1, 20, 400][event.deltaMode];
  zoom(Math.exp(-0.0015 * within(pixels, -400, 400)));
}, { passive: false });
picture.addEventListener("keydown", (event) => {
  const step = shorter() / 40;
  const keys = {
    ArrowLeft: () => orbit(-step, 0), ArrowRight: () => orbit(step, 0), ArrowUp: () => orbit(0, -step),
    ArrowDown: () => orbit(0, step), "+": () => zoom(1.1), "-": () => zoom(1 / 1.1), Home: reset,
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});

function tellSize() {
  const [least, most] = facts.limits.side, ratio = window.devicePixelRatio || 1;
  const [width, height] = [stage.clientWidth * ratio, stage.clientHeight * ratio];
  const less = Math.min(1, Math.sqrt(facts.limits.pixels / (width * height)), most / Math.max(width, height));
  ask({ size: [width, height].map((side) => within(Math.floor(side * less), least, most)) });
}

let calm = 0;
new ResizeObserver(() => {
  clearTimeout(calm);
  calm = setTimeout(tellSize, CALM);
}).observe(stage);

// --- the controls ------------------------------------------------------------------------------------

function options(id, names) {
  find(id).replaceChildren(...names.map((name) => new Option(name, name)));
}

find("title").textContent = facts.name;
find("about").textContent = `${facts.shape.join(" × ")} voxels on ${facts.ranks} rank${facts.ranks > 1 ? "s" : ""}`;
document.title = `${facts.name} – sortlast view`;
options("mode", facts.modes);
options("colours", Object.keys(facts.colours));
options("algorithm", facts.algorithms);
const curve = makeCurve(find("curve"), facts.histogram, facts.limits.points, (opacity) => change({ opacity }));

function showControls() {
  const { mode, algorithm, wire, picture: kind, colours, opacity, isovalue, clip } = controls;
  if (![...find("algorithm").options].some((each) => each.value === algorithm)) {
    find("algorithm").append(new Option(algorithm, algorithm));
  }
  for (const [id, value] of Object.entries({ mode, algorithm, wire, kind, colours })) find(id).value = value;
  find("for-surface").hidden = mode !== "surface";
  find("for-volume").hidden = mode === "surface";
  find("isovalue").value = isovalue ?? facts.threshold;
  find("isovalue-shown").textContent = (isovalue ?? facts.threshold).toFixed(3);
  find("axis").value = clip?.axis ?? "";
  find("for-clip").hidden = !clip;
  if (clip) {
    find("at").value = clip.at;
    find("above").checked = clip.above;
  }
  curve.set(opacity ?? facts.opacity, facts.colours[colours]);
}

const select = (id, name) => find(id).addEventListener("change", (event) => change({ [name]: event.target.value }));
for (const name of ["mode", "colours", "algorithm", "wire"]) select(name, name);
select("kind", "picture");
find("isovalue").addEventListener("input", (event) => change({ isovalue: Number(event.target.value) }));
find("usual").addEventListener("click", () => change({ opacity: null, colours: Object.keys(facts.colours)[0] }));
find("reset").addEventListener("click", reset);
find("own").addEventListener("change", (event) => ask({ own: event.target.checked }));

function changeClip() {
  const axis = find("axis").value;
  change({ clip: axis ? { axis, at: Number(find("at").value), above: find("above").checked } : null });
}
for (const id of ["axis", "above"]) find(id).addEventListener("change", changeClip);
find("at").addEventListener("input", changeClip);

// For the console of a browser, and for tests. Settled: what is shown is what was asked for last, and fine.
function settled() {
  const { fine, stamp } = picture.dataset;
  return fine === "true" && !asked.eye && !asked.controls && (!lastStamp || Number(stamp) === lastStamp);
}
window.view = { controls: () => controls, settled, change, orbit, pan, zoom, reset };
connect();
