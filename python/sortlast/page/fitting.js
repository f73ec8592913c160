// Texts that have to fit: what is written into each slot of the picture at the size in which it is shown.
//
// Letters have LEAST pixels on the screen where their slot has room for that, up to what the slot is high;
// where even these would be smaller than TINY, nothing is written.

const FONT = 9, LEAST = 8, TINY = 4.5;
const pen = document.createElement("canvas").getContext("2d");
pen.font = "100px system-ui, sans-serif";
const widths = new Map(); // of letters of size 1

function widthOf(text, size) {
  let sum = 0;
  for (const letter of text) {
    if (!widths.has(letter)) widths.set(letter, pen.measureText(letter).width / 100);
    sum += widths.get(letter);
  }
  return 1.03 * size * sum; // small letters are set a little wider
}

// The first of some texts that is at most `room` wide, else the last one shortened in the middle.
function fit(texts, room, size) {
  const whole = texts.find((text) => widthOf(text, size) <= room);
  if (whole !== undefined) return whole;
  const letters = [...texts[texts.length - 1]];
  for (let kept = letters.length - 1; kept > 1; --kept) {
    const short = [...letters.slice(0, (kept + 1) >> 1), "…", ...letters.slice(letters.length - (kept >> 1))].join("");
    if (widthOf(short, size) <= room) return short;
  }
  return "";
}

// Write all slots for a picture that is shown `scale` times as large; `worst`: of each box.
function write(labels, scale, worst) {
  data.slots.forEach((slot, k) => {
    const [x, y, width, height] = slot.room;
    const [long, high] = slot.upright ? [height, width] : [width, height];
    const size = Math.min(Math.max(FONT, LEAST / scale), Math.max(FONT, 0.86 * high));
    const texts = slot.group < 0 ? slot.texts : slot.texts.map((text) => text.replace("{}", worst[slot.group]));
    const text = size * scale < TINY ? "" : fit(texts, long, size);
    if (labels[k].textContent !== text) labels[k].textContent = text;
    labels[k].setAttribute("font-size", size);
    if (slot.upright) labels[k].setAttribute("transform", `translate(${x + width / 2 + 0.35 * size} ${y + height / 2}) rotate(-90)`);
    else labels[k].setAttribute("y", y + height / 2 + 0.35 * size);
  });
}
