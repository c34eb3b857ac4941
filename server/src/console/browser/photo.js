// @ts-check
// A photo that was taken or chosen is sent at once; one that is too large is refused before it is on its way. Without
// this, the button beside it sends the form.

for (const form of document.querySelectorAll('form[data-photo]')) {
  if (!(form instanceof HTMLFormElement)) continue;
  const input = form.querySelector('input[type="file"]');
  const fault = form.querySelector('.fault');
  if (!(input instanceof HTMLInputElement) || fault === null) continue;
  const bytesMax = Number(form.dataset['bytesMax']);
  const button = form.querySelector('button');
  if (button !== null) button.hidden = true;
  input.addEventListener('change', () => {
    const file = input.files?.[0];
    const isTooLarge = file !== undefined && file.size > bytesMax;
    fault.textContent = isTooLarge ? (form.dataset['tooLarge'] ?? '') : '';
    fault.setAttribute('role', 'alert');
    input.toggleAttribute('aria-invalid', false);
    if (isTooLarge) {
      input.setAttribute('aria-invalid', 'true');
      input.value = '';
      return;
    }
    if (file !== undefined) form.requestSubmit();
  });
}
