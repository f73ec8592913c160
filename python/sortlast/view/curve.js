// The opacity of a transfer function: points on the histogram, to be dragged.

const WIDTH = 280, HEIGHT = 96, MARGIN = 6;

function element(name, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Small opacities matter most: the height of a point is the root of its opacity.
const across = (value) => MARGIN + value * (WIDTH - 2 * MARGIN);
const down = (alpha) => HEIGHT - MARGIN - Math.sqrt(alpha) * (HEIGHT - 2 * MARGIN);
const within = (value, low, high) => Math.min(Math.max(value, low), high);

// Calls `changed(points)`, pairs of value and opacity, whenever the user has moved one.
function makeCurve(svg, histogram, most, changed) {
  const GAP = 0.002;  // between the values of two points
  let points = [[0, 0], [1, 1]];
  let held = -1;
  const highest = Math.max(...histogram, 1e-9);
  const bars = histogram.map((count, k) =>
    `${across(k / histogram.length)},${down((count / highest) ** 2)} ${across((k + 1) / histogram.length)},${down((count / highest) ** 2)}`);
  const gradient = element("linearGradient", { id: "map", x1: across(0), x2: across(1), gradientUnits: "userSpaceOnUse" });
  const area = element("polygon", { fill: "url(#map)", "fill-opacity": 0.75 });
  const line = element("polyline", { class: "line" });
  const knobs = element("g");
  svg.append(gradient,
    element("polygon", { class: "values", points: `${across(0)},${down(0)} ${bars.join(" ")} ${across(1)},${down(0)}` }),
    area, line, knobs);

  function draw() {
    const corners = points.map(([value, alpha]) => `${across(value)},${down(alpha)}`);
    const first = `${across(0)},${down(points[0][1])}`, last = `${across(1)},${down(points.at(-1)[1])}`;
    line.setAttribute("points", [first, ...corners, last].join(" "));
    area.setAttribute("points", [`${across(0)},${down(0)}`, first, ...corners, last, `${across(1)},${down(0)}`].join(" "));
    while (knobs.childElementCount > points.length) knobs.lastChild.remove();
    while (knobs.childElementCount < points.length) knobs.append(element("circle", {
      r: 5, tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 1, "aria-keyshortcuts": "Enter Delete",
    }));
    points.forEach(([value, alpha], k) => {
      const knob = knobs.children[k];
      knob.setAttribute("cx", across(value));
      knob.setAttribute("cy", down(alpha));
      knob.setAttribute("aria-valuenow", alpha.toFixed(3));
      knob.setAttribute("aria-label", `Opacity at ${value.toFixed(3)}`);
    });
  }

  function move(k, value, alpha) {
    const low = k > 0 ? points[k - 1][0] + GAP : 0, high = k + 1 < points.length ? points[k + 1][0] - GAP : 1;
    points[k] = [within(value, low, Math.max(low, high)), within(alpha, 0, 1)];
    draw();
    changed(points);
  }

  function add(value, alpha) {
    const k = points.findIndex((point) => point[0] > value), at = k < 0 ? points.length : k;
    const before = points[at - 1]?.[0] ?? -1, after = points[at]?.[0] ?? 2;
    if (points.length >= most || value - before < GAP || after - value < GAP) return;
    points.splice(at, 0, [value, alpha]);
    draw();
    changed(points);
  }

  // Half-way to the next point, or from the last one to that before.
  function addBeside(k) {
    const [one, other] = k + 1 < points.length ? [points[k], points[k + 1]] : [points[k - 1], points[k]];
    add((one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
  }

  function remove(k) {
    if (points.length <= 2) return;
    points.splice(k, 1);
    draw();
    changed(points);
  }

  function place(event) {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * WIDTH, y = (event.clientY - box.top) / box.height * HEIGHT;
    const root = within((HEIGHT - MARGIN - y) / (HEIGHT - 2 * MARGIN), 0, 1);
    return [within((x - MARGIN) / (WIDTH - 2 * MARGIN), 0, 1), root * root];
  }

  const index = (event) => [...knobs.children].indexOf(event.target);
  svg.addEventListener("pointerdown", (event) => {
    held = index(event);
    if (held >= 0) svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => { if (held >= 0) move(held, ...place(event)); });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { held = -1; });
  svg.addEventListener("dblclick", (event) => {
    const hit = [...knobs.children].findIndex((knob) => {
      const box = knob.getBoundingClientRect();
      return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    });
    if (hit >= 0) { remove(hit); return; }
    add(...place(event));
  });
  svg.addEventListener("keydown", (event) => {
    const k = index(event);
    if (k < 0) return;
    const [value, alpha] = points[k];
    const steps = { ArrowLeft: [-0.01, 0], ArrowRight: [0.01, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02] };
    if (event.key === "Delete") {
      remove(k);
      knobs.children[Math.min(k, points.length - 1)].focus();
    }
    else if (event.key === "Enter") addBeside(k);
    else if (event.key in steps) move(k, value + steps[event.key][0], alpha + steps[event.key][1]);
    else return;
    event.preventDefault();
  });

  return {
    set(next, colours) {
      gradient.replaceChildren(...colours.map(([value, rgb]) =>
        element("stop", { offset: value, "stop-color": `rgb(${rgb.map((channel) => Math.round(255 * channel)).join(" ")})` })));
      if (held < 0) points = next.map((point) => [...point]);
      draw();
    },
  };
}
