// The fabric of this page: who is where, where switches send what, and which flows a stage has.
//
// Vertices are numbered hosts first, then switches. A channel is one direction of a link: host h's own is
// channel h, those of a switch follow each other by port. Loads are computed here, from the forwarding
// tables, so that the page can say for every channel which flows cross it. A page whose tables would be too
// large has the loads of one stage instead, and knows no flows.

const data = JSON.parse(document.getElementById("data").textContent);
const hosts = data.hosts.length;

async function unpack(packed, Kind) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Kind(await new Response(plain).arrayBuffer());
}

const target = await unpack(data.target, Int32Array); // vertex that a channel leads to; -1: no cable
const back = await unpack(data.back, Int32Array); // the other direction of its cable
const fixed = data.loads ? await unpack(data.loads, Int32Array) : null; // of the only stage
const port = data.table && (await unpack(data.table, data.wide ? Uint16Array : Uint8Array)); // [plane][switch][host]; 0: unreachable
const planes = data.plane && (await unpack(data.plane, Uint16Array)); // [source][destination]
const listed = data.flows && (await unpack(data.flows, Int32Array)); // pairs, stage by stage
const boxOf = await unpack(data.box, Int32Array); // of each vertex
const squareOf = await unpack(data.square, Int32Array); // of each host
const partOf = await unpack(data.part, Int32Array); // what shows each channel; -1: nothing

const isHost = (vertex) => vertex < hosts;
const nameOf = (vertex) => (isHost(vertex) ? data.hosts[vertex] : data.switches[vertex - hosts]);

// Index of the switch whose channels include this one, which is no host's.
function switchOf(channel) {
  let low = 0, high = data.first.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (data.first[middle] <= channel) low = middle;
    else high = middle - 1;
  }
  return low;
}

const sourceOf = (channel) => (channel < hosts ? channel : hosts + switchOf(channel));
const portOf = (channel) => (channel < hosts ? 1 : channel - data.first[switchOf(channel)] + 1);

// Channels that leave a vertex, of those with a cable.
function channelsOf(vertex) {
  if (isHost(vertex)) return [vertex];
  const s = vertex - hosts, end = data.first[s + 1] ?? target.length;
  return Array.from({ length: end - data.first[s] }, (_, k) => data.first[s] + k).filter((c) => target[c] >= 0);
}

// Channels of each part.
const channelsOfPart = Array.from({ length: data.parts }, () => []);
partOf.forEach((part, channel) => part >= 0 && channelsOfPart[part].push(channel));

// Flows of a stage, counted from 1, as pairs of hosts.
function flowsOf(stage) {
  const flows = [], at = data.placement;
  const add = (from, to) => at[from] >= 0 && at[to] >= 0 && flows.push([at[from], at[to]]);
  if (!listed) {
    at.forEach((_, rank) => add(rank, (rank + stage) % at.length));
    return flows;
  }
  for (let k = data.starts[stage - 1]; k < data.starts[stage]; ++k) add(listed[2 * k], listed[2 * k + 1]);
  return flows;
}

// Channels of a flow in order.
function pathOf([from, to]) {
  const plane = planes ? planes[from * hosts + to] : 0;
  const path = [from];
  for (let at = target[from]; at !== to; at = target[path[path.length - 1]]) {
    const s = at - hosts;
    const out = port[(plane * data.switches.length + s) * hosts + to];
    if (isHost(at) || out === 0 || path.length > target.length) return []; // the tables lead nowhere
    path.push(data.first[s] + out - 1);
  }
  return path;
}

const mostOf = (numbers) => numbers.reduce((most, each) => Math.max(most, each), 0);

// Flows on every channel at a stage, and the mean share of a flow.
function analyse(stage) {
  if (fixed) return { load: fixed, flows: null, count: data.flowsOfStage, most: mostOf(fixed), share: data.share };
  const load = new Int32Array(target.length), flows = flowsOf(stage), paths = flows.map(pathOf);
  for (const path of paths) for (const channel of path) ++load[channel];
  const shares = paths.map((path) => 1 / Math.max(1, ...path.map((channel) => load[channel])));
  return {
    load, flows, paths, count: flows.length, most: mostOf(load),
    share: shares.length ? shares.reduce((sum, each) => sum + each, 0) / shares.length : 1,
    crossing: (channel) => flows.filter((_, k) => paths[k].includes(channel)),
  };
}

// The worst load of each part, and of the channels that begin, end or lie in each box.
function worstOf(load) {
  const parts = new Int32Array(data.parts), boxes = new Int32Array(data.boxes.length);
  for (let channel = 0; channel < load.length; ++channel) {
    const flows = load[channel];
    if (flows === 0) continue;
    if (partOf[channel] >= 0) parts[partOf[channel]] = Math.max(parts[partOf[channel]], flows);
    for (const box of [boxOf[target[channel]], boxOf[target[back[channel]]]]) boxes[box] = Math.max(boxes[box], flows);
  }
  return { parts, boxes };
}

// Class of a load, which gives its colour: 0, 1, 2, 3 to 4, 5 to 8, 9 and more.
const classes = [[9, "f9", "9 or more"], [5, "f5", "5 to 8"], [3, "f3", "3 to 4"], [2, "f2", "2"], [1, "f1", "1"], [0, "f0", "none"]];
const classOf = (load) => classes.find(([least]) => load >= least)[1];
