
"use strict";
// A click on the head of a column sorts its table; without a script tables stand as they are.
function valueOf(row, at) {
  const cell = row.cells[at];
  const value = cell.dataset.v ?? (cell.classList.contains("none") ? "" : cell.textContent);
  return value === "" ? null : isNaN(value) ? value : Number(value);
}

function compared(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other));
}

function sortBy(head) {
  const table = head.closest("table"), body = table.tBodies[0], at = head.cellIndex;
  const before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : head.dataset.down === "1";
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...body.rows].sort((a, b) => {
    const one = valueOf(a, at), other = valueOf(b, at);
    return one === null || other === null || !down ? compared(one, other) : compared(other, one);
  });
  body.append(...rows);
}

for (const head of document.querySelectorAll("thead th")) {
  head.tabIndex = 0;
  head.addEventListener("click", () => sortBy(head));
  head.addEventListener("keydown", event => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sortBy(head); }
  });
}
