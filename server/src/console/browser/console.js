// @ts-check
// On every page: buttons that copy, the focus on what a form refused, and menus that close. All works without it.

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  // Only a page that came safely may write to the clipboard.
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

// A field that is scanned into keeps the focus, and the next scan replaces what was refused.
const focused =
  document.querySelector('input[data-focus]') ?? document.querySelector('[data-focus]');
if (focused instanceof HTMLElement) focused.focus();
if (focused instanceof HTMLInputElement) focused.select();

// On a phone the navigation is a strip: where one is stands in sight.
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

// What scrolls must be reachable by keyboard.
for (const box of document.querySelectorAll('.rows, pre')) {
  if (box instanceof HTMLElement && box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}

// A form is sent once, however often it is clicked.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (form.dataset['sent'] === 'true') event.preventDefault();
  form.dataset['sent'] = 'true';
});
// The browser may show the page again from its memory.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    if (form instanceof HTMLFormElement) delete form.dataset['sent'];
  }
});
