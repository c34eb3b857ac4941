// @ts-check
// Says how many units of the list are ticked, and keeps what can be done with them in sight.

const bar = document.querySelector('.bulk');
const told = document.querySelector('[data-count]');
const boxes = [...document.querySelectorAll('.choose input')].filter(
  (box) => box instanceof HTMLInputElement,
);
const count = () => {
  const chosen = boxes.filter((box) => box.checked).length;
  bar?.classList.toggle('at-hand', chosen > 0);
  if (!(told instanceof HTMLElement)) return;
  told.textContent = chosen === 0 ? '' : (told.dataset['count'] ?? '').replace('#', String(chosen));
};
for (const box of boxes) box.addEventListener('change', count);
// The browser may show the page again with its ticks.
addEventListener('pageshow', count);
count();
