// What each rank did in the last frame: above what its time went to, below what the compositor did meanwhile.

const ACTIVITIES = {
  render: "#7d8894", wait: "#f3b9a4", order: "#c9ced6", composite: "#9ec5e6", gather: "#f0c64a",
  agree: "#9467bd", blend: "#2b78b5", send: "#4aa564", receive: "#a6d5b2",
};
const PHASES = ["render", "wait", "order", "composite", "gather"];
const ROW = 22, LEFT = 14, RIGHT = 276, TOP = 14;

const duration = (seconds) => seconds < 1 ? `${(1e3 * seconds).toFixed(1)} ms` : `${seconds.toFixed(2)} s`;

function drawTimeline(svg, legend, ranks) {
  const end = Math.max(...ranks.flat().map((span) => span[2]), 1e-6);
  const across = (time) => LEFT + time / end * (RIGHT - LEFT);
  const parts = [];
  ranks.forEach((spans, rank) => {
    const y = TOP + rank * ROW;
    const name = element("text", { x: 0, y: y + 11 });
    name.textContent = rank;
    parts.push(name);
    spans.forEach(([activity, begin, until], k) => {
      const phase = k < PHASES.length;
      const bar = element("rect", {
        x: across(begin), width: Math.max(across(until) - across(begin), 0.4), y: phase ? y : y + 13,
        height: phase ? 11 : 5, fill: ACTIVITIES[activity] ?? "#888",
      });
      const title = element("title");
      title.textContent = `rank ${rank}, ${activity}: ${duration(until - begin)}`;
      bar.append(title);
      parts.push(bar);
    });
  });
  const last = element("text", { x: RIGHT, y: 9, "text-anchor": "end" });
  last.textContent = duration(end);
  const first = element("text", { x: LEFT, y: 9 });
  first.textContent = "rank, from 0 s";
  svg.setAttribute("viewBox", `0 0 280 ${TOP + ranks.length * ROW}`);
  svg.replaceChildren(first, last, ...parts);
  const seen = new Set(ranks.flat().map((span) => span[0]));
  legend.replaceChildren(...Object.keys(ACTIVITIES).filter((name) => seen.has(name)).map((name) => {
    const entry = document.createElement("span"), colour = document.createElement("i");
    colour.style.background = ACTIVITIES[name];
    entry.append(colour, name);
    return entry;
  }));
}
