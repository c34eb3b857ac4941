// @ts-check
// Shows the length of a boost's note in code points, as the service counts it.

for (const counter of document.querySelectorAll('[data-counter]')) {
  if (!(counter instanceof HTMLElement)) continue;
  const input = document.querySelector(`input[name="${counter.dataset['counter']}"]`);
  if (!(input instanceof HTMLInputElement)) continue;
  const max = Number(counter.dataset['max']);
  const count = () => {
    const length = [...input.value].length;
    counter.textContent = `${length} / ${max}`;
    counter.classList.toggle('over', length > max);
  };
  input.addEventListener('input', count);
  count();
}
