// @ts-check
// Runs on every page: copy buttons, the focus after a rejected form, file choosers, and the account
// menu. All pages work without it.

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  // Browsers allow access to the clipboard only in a secure context.
  button.hidden = !isSecureContext;
  button.addEventListener('click', () => void copyFrom(button));
}

/** @param {HTMLButtonElement} button */
async function copyFrom(button) {
  const { copy = '', label = button.textContent } = button.dataset;
  await navigator.clipboard.writeText(copy);
  button.dataset['label'] = label;
  button.textContent = document.body.dataset['copied'] ?? '';
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

// Focus a scan field first, and select its text, so that the next scan replaces a rejected code.
const focused =
  document.querySelector('input[data-focus]') ?? document.querySelector('[data-focus]');
if (focused instanceof HTMLElement) focused.focus();
if (focused instanceof HTMLInputElement) focused.select();

// The browser's file chooser is in the browser's language, so show one in the page's language.
for (const box of document.querySelectorAll('.file')) {
  const [input, button, name] = box.children;
  if (!(input instanceof HTMLInputElement) || button === undefined || name === undefined) continue;
  button.removeAttribute('hidden');
  name.removeAttribute('hidden');
  const noFile = name.textContent;
  input.addEventListener('change', () => {
    name.textContent = input.files?.[0]?.name ?? noFile;
  });
}

// On a phone the navigation scrolls sideways, so bring the current section into view.
document
  .querySelector('.sections [aria-current]')
  ?.scrollIntoView({ inline: 'center', block: 'nearest' });

/** @type {HTMLDetailsElement | null} */
const menu = document.querySelector('details.me');
document.addEventListener('click', (event) => {
  if (menu?.open && event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !menu?.open) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
});

// Make scrollable areas reachable by keyboard.
for (const box of document.querySelectorAll('.rows, pre')) {
  if (box instanceof HTMLElement && box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}

// Submit a form only once, even if its button is clicked again.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (form.dataset['sent'] === 'true') event.preventDefault();
  form.dataset['sent'] = 'true';
});
// When the browser restores the page from its back/forward cache, allow submitting again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    if (form instanceof HTMLFormElement) delete form.dataset['sent'];
  }
});
