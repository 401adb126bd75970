
"use strict";
const steps = document.querySelectorAll("main > section");
const [back, on, place] = ["back", "on", "place"].map(id => document.getElementById(id));
let at = 0;

function show(wanted) {
  steps[at].classList.remove("now");
  at = Math.max(0, Math.min(steps.length - 1, wanted));
  steps[at].classList.add("now");
  place.textContent = `${at + 1} of ${steps.length}`;
  back.disabled = at === 0;
  on.disabled = at === steps.length - 1;
  history.replaceState(null, "", `#step=${at + 1}`);
}

function showNamed() {
  const named = /^#step=(\d+)$/.exec(location.hash);
  show(named ? Number(named[1]) - 1 : at);
}

function revealOrGoOn() {
  const covered = steps[at].querySelector("details:not([open])");
  if (covered) covered.open = true;
  else show(at + 1);
}

const keys = {
  " ": revealOrGoOn, ArrowRight: () => show(at + 1), ArrowLeft: () => show(at - 1),
  Home: () => show(0), End: () => show(steps.length - 1),
};
addEventListener("keydown", event => {
  const presses = event.key === " " && event.target.closest("button, summary");
  if (presses || event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});
if (steps.length) {
  document.body.classList.add("stepping");
  document.querySelector("nav").hidden = false;
  back.onclick = () => show(at - 1);
  on.onclick = () => show(at + 1);
  addEventListener("hashchange", showNamed);
  showNamed();
}
