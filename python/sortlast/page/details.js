// What is said about what is selected: a channel, a vertex, a line, or a group.

const at = (id) => document.getElementById(id);
const MOST_FLOWS = 200, MOST_ROWS = 12; // that are listed

function element(kind, text, children = []) {
  const made = document.createElement(kind);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

const count = (number, noun) =>
  `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;
const describe = (channel) =>
  `${nameOf(sourceOf(channel))} port ${portOf(channel)} → ${nameOf(target[channel])}`;

function button(text, chosen) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", () => choose(chosen, true));
  return made;
}

// The flows on a channel, and the channels of all their paths.
function channelDetails(channel) {
  const flows = now.load[channel];
  const heading = element("h3", `${describe(channel)}: ${count(flows, "flow")}`);
  if (!now.flows) return { text: [heading], lit: [channel] };
  const crossing = now.crossing(channel);
  const rows = crossing.slice(0, MOST_FLOWS).map(([from, to]) => element("li", `${nameOf(from)} → ${nameOf(to)}`));
  if (crossing.length > MOST_FLOWS) rows.push(element("li", `and ${crossing.length - MOST_FLOWS} more`));
  return { text: [heading, element("ul", "", rows)], lit: [channel, ...crossing.flatMap(pathOf)] };
}

function switchDetails(vertex) {
  const own = channelsOf(vertex);
  const rows = own.map((channel) => {
    const flows = `${now.load[channel]} out, ${now.load[back[channel]]} in`;
    const text = `port ${portOf(channel)} to ${nameOf(target[channel])}: ${flows}`;
    return element("li", "", [button(text, { channel })]);
  });
  const heading = element("h3", `${nameOf(vertex)}: ${count(own.length, "link")}`);
  return { text: [heading, element("ul", "", rows)], lit: own.flatMap((channel) => [channel, back[channel]]) };
}

function bothDirections(channel) {
  const [forth, reverse] = [channelDetails(channel), channelDetails(back[channel])];
  return { text: [...forth.text, ...reverse.text], lit: [...forth.lit, ...reverse.lit] };
}

// Several channels together, the fullest first.
function bundleDetails(title, channels) {
  const sorted = [...channels].sort((a, b) => now.load[b] - now.load[a] || a - b);
  const rows = sorted.slice(0, MOST_FLOWS).map((channel) =>
    element("li", "", [button(`${describe(channel)}: ${count(now.load[channel], "flow")}`, { channel })]));
  if (sorted.length > MOST_FLOWS) rows.push(element("li", `and ${sorted.length - MOST_FLOWS} more`));
  const worst = sorted.length ? `, worst ${now.load[sorted[0]]}` : "";
  const heading = element("h3", `${title}: ${count(channels.length / 2, "link")}${worst}`);
  return { text: [heading, element("ul", "", rows)], lit: channels };
}

function boxDetails(box) {
  const own = members[box], inside = hosts + data.switches.length;
  const channels = own.flatMap(channelsOf).flatMap((channel) => [channel, back[channel]]);
  const guestCount = boxOf.slice(0, hosts).reduce((sum, each) => sum + (each === box), 0);
  const range = own.length > 1 ? `${nameOf(own[0])} to ${nameOf(own[own.length - 1])}` : nameOf(own[0]);
  const parts = [count(own.length, "switch"), ...(guestCount ? [count(guestCount, "host")] : [])];
  return bundleDetails(`${range}, ${parts.join(", ")}`, [...new Set(channels)].slice(0, 4 * inside));
}

function squareDetails(square) {
  const own = guests[square];
  const range = own.length > 1 ? `${nameOf(own[0])} to ${nameOf(own[own.length - 1])}, ${count(own.length, "host")}` : nameOf(own[0]);
  return bundleDetails(range, own.flatMap((host) => [host, back[host]]));
}

function lineDetails(line) {
  const channels = [...channelsOfPart[2 * line], ...channelsOfPart[2 * line + 1]];
  if (channels.length === 2) return bothDirections(channels[0]);
  const ends = [channels[0], back[channels[0]]].map((channel) => nameOf(sourceOf(channel)));
  return bundleDetails(`${ends.join(" – ")} and beside`, channels);
}

// Text and channels of what is chosen, and the glyphs that are framed.
function detailsOf({ vertex, channel, line, box, square }) {
  if (line !== undefined) return { ...lineDetails(line), framed: [] };
  if (box !== undefined) return { ...boxDetails(box), framed: [boxes[box]] };
  if (square !== undefined) return { ...squareDetails(square), framed: [squares[square]] };
  if (channel !== undefined) {
    const hidden = partOf[channel] < 0 ? [glyphOf(target[channel])] : [];
    return { ...bothDirections(channel), framed: hidden };
  }
  return { ...(isHost(vertex) ? bothDirections(vertex) : switchDetails(vertex)), framed: [glyphOf(vertex)] };
}
