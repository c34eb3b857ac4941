// @ts-check
// Uploads a photo as soon as it is chosen, and rejects a photo that is too large before the upload.
// Without this script, a button submits the form.

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
