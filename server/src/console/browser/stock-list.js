// @ts-check
// Says how many units of the list are ticked, and keeps what can be done with them in sight. A search replaces the list.

const count = () => {
  const chosen = document.querySelectorAll('.choose input:checked').length;
  document.querySelector('.bulk')?.classList.toggle('at-hand', chosen > 0);
  const told = document.querySelector('[data-count]');
  if (!(told instanceof HTMLElement)) return;
  told.textContent = chosen === 0 ? '' : (told.dataset['count'] ?? '').replace('#', String(chosen));
};
document.addEventListener('change', (event) => {
  if (event.target instanceof Element && event.target.closest('.choose') !== null) count();
});
// The browser may show the page again with its ticks.
addEventListener('pageshow', count);
count();
