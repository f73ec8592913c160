// Tables 4 and 5 for the reader's weights: normalized performance, and performance per cost.

const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);

function element(kind, text = "", name = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

// Sum of w_P w_S T over all patterns and sizes.
function weigh(times, weights) {
  return times.reduce((sum, row, p) =>
    sum + row.reduce((part, time, s) => part + weights.pattern[p] * weights.size[s] * time, 0), 0);
}

// For each network of a set: the sum, performance, and performance per cost, relative to the first network.
function indicators(set, weights) {
  const sums = set.networks.map((net) => weigh(net.times, weights));
  return set.networks.map((net, k) => {
    const performance = sums[0] / sums[k];
    const perCost = net.cost.map((cost, c) => (performance * set.networks[0].cost[c]) / cost);
    return { name: net.name, sum: sums[k], performance, cost: net.cost, perCost };
  });
}

function read(group) {
  return [...at(group).querySelectorAll("input")].map((input) => (input.validity.valid ? input.valueAsNumber : 0));
}

// A cell with a number and a bar; the longest bar of a column is highlighted.
function barred(value, most) {
  const cell = element("td", value.toFixed(2), value === most ? "bars best" : "bars");
  const bar = element("span", "", "bar");
  bar.style.width = `${(6 * value) / most}rem`;
  cell.append(bar);
  return cell;
}

function table(set, weights) {
  const rows = indicators(set, weights), made = element("table");
  made.append(element("caption", set.name));
  const suffix = (count) => (set.counts.length > 1 ? `-${count}` : "");
  const head = ["", "Σ weighted time", "Normalized φ",
    ...set.counts.flatMap((count) => [`Cost/Node${suffix(count)}`, `Perf./Cost${suffix(count)}`])];
  const top = element("tr");
  head.forEach((text) => top.append(element("th", text)));
  made.append(top);
  const mostOf = (pick) => Math.max(...rows.map(pick));
  for (const row of rows) {
    const line = element("tr");
    line.append(element("td", row.name), element("td", row.sum.toFixed(2), "number"));
    line.append(barred(row.performance, mostOf((each) => each.performance)));
    set.counts.forEach((_, c) => line.append(
      element("td", row.cost[c].toFixed(0), "number"),
      barred(row.perCost[c], mostOf((each) => each.perCost[c]))));
    made.append(line);
  }
  return made;
}

function update() {
  const weights = { pattern: read("pattern"), size: read("size") };
  const counted = weigh(data.patterns.map(() => data.sizes.map(() => 1)), weights) > 0;
  at("weighed").replaceChildren(...(counted ? data.sets.map((set) => {
    const wide = element("div", "", "wide");
    wide.append(table(set, weights));
    return wide;
  }) : [element("p", "All weights are 0: nothing is left to compare.", "note")]));
}

function fields(group, names) {
  names.forEach((name) => {
    const label = element("label", name), input = element("input");
    Object.assign(input, { type: "number", min: 0, step: "any", required: true });
    input.addEventListener("input", update);
    label.append(input);
    at(group).append(label);
  });
}

function choose(name) {
  for (const group of ["pattern", "size"]) {
    at(group).querySelectorAll("input").forEach((input, k) => (input.value = data.presets[name][group][k]));
  }
  update();
}

fields("pattern", data.patterns);
fields("size", data.sizes.map(([, name]) => name));
Object.keys(data.presets).forEach((name) => at("preset").append(element("option", name)));
at("preset").addEventListener("change", (event) => choose(event.target.value));
choose(at("preset").value);

// For the console: study.indicators(study.data.sets[0], {pattern: [...], size: [...]}).
globalThis.study = { data, indicators, update };
