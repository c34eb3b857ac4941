// @ts-check
// Asks the server to check redirect URIs while they are typed. Without this script, they are
// checked when the form is sent.

/** How long to wait after the last keystroke before checking. Fast typists pause for less. */
const PAUSE_MS = 400;

for (const shown of document.querySelectorAll('[data-check]')) {
  const field = document.getElementById(
    shown instanceof HTMLElement ? (shown.dataset['field'] ?? '') : '',
  );
  if (shown instanceof HTMLElement && field instanceof HTMLTextAreaElement) watch(field, shown);
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {HTMLElement} shown
 */
function watch(field, shown) {
  let timer = 0;
  /** @type {AbortController | null} */
  let request = null;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    request?.abort();
    timer = setTimeout(() => {
      request = new AbortController();
      void check(field, shown, request.signal);
    }, PAUSE_MS);
  });
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {HTMLElement} shown
 * @param {AbortSignal} signal
 */
async function check(field, shown, signal) {
  const { check: address = '', client = '', failed = '' } = shown.dataset;
  const token = field.form?.elements.namedItem('form_token');
  const body = new URLSearchParams({
    redirectUris: field.value,
    client_id: client,
    form_token: token instanceof HTMLInputElement ? token.value : '',
  });
  try {
    const answer = await fetch(address, { method: 'POST', body, signal, redirect: 'error' });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!signal.aborted) shown.replaceChildren(...page.body.childNodes);
  } catch {
    if (!signal.aborted) shown.textContent = failed;
  }
}
