// @ts-check
// Shows how many units of the list are selected. The bulk actions stay in view while a unit is
// selected. A search replaces the list, so its elements are looked up each time.

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
// The browser may restore the page with its selection.
addEventListener('pageshow', count);
count();
