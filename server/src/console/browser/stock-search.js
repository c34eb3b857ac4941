// @ts-check
// Shows the results of a stock search while the person types. Without this script, the form's
// button searches.

/** How long to wait after the last keystroke before searching. Fast typists pause for less. */
const PAUSE_MS = 200;

const form = document.querySelector('form.filters');
const results = document.querySelector('#stock-results');
if (form instanceof HTMLFormElement && results !== null) {
  let timer = 0;
  /** @type {AbortController | null} */
  let request = null;
  const find = async () => {
    request?.abort();
    const current = new AbortController();
    request = current;
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string' && value !== '') query.set(name, value);
    }
    const address = query.size === 0 ? form.action : `${form.action}?${query}`;
    query.set('live', '1');
    try {
      const { signal } = current;
      const answer = await fetch(`${form.action}?${query}`, { redirect: 'error', signal });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      // Ignore this response if it is an error or a later search has begun. Enter still searches.
      if (current !== request || !answer.ok) return;
      const ticked = [...results.querySelectorAll('.choose input:checked')];
      results.replaceChildren(...page.body.childNodes);
      tickAgain(results, new Set(ticked.map((input) => input.getAttribute('name'))));
      history.replaceState(null, '', address);
      const told = results.querySelector('[data-told]');
      const status = document.querySelector('#stock-told');
      if (status !== null && told instanceof HTMLElement) {
        status.textContent = told.dataset['told'] ?? '';
      }
    } catch {
      // The connection failed. The next key, or Enter, searches again.
    }
  };
  const findSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void find(), PAUSE_MS);
  };
  form.addEventListener('input', (event) => {
    // Do not search for text that an input method is still composing.
    if (event instanceof InputEvent && event.isComposing) return;
    findSoon();
  });
  form.addEventListener('compositionend', findSoon);
  form.addEventListener('submit', () => {
    clearTimeout(timer);
    request?.abort();
  });
}

/**
 * Ticks the units of the new list that were ticked in the old one.
 *
 * @param {Element} list
 * @param {ReadonlySet<string | null>} names
 */
function tickAgain(list, names) {
  for (const input of list.querySelectorAll('.choose input')) {
    if (input instanceof HTMLInputElement && names.has(input.name)) input.checked = true;
  }
  list.querySelector('.choose input')?.dispatchEvent(new Event('change', { bubbles: true }));
}
