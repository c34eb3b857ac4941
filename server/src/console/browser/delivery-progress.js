// @ts-check
// Polls for the result of a test delivery. Without this script, the page has a link that reloads
// it.

/** The time between two requests. */
const INTERVAL_MS = 1_000;
/** An attempt takes at most 15 s, and may first have to wait for a free slot. */
const POLLS_MAX = 30;

for (const shown of document.querySelectorAll('[data-poll]')) {
  if (shown instanceof HTMLElement) void follow(shown);
}

/** @param {HTMLElement} shown */
async function follow(shown) {
  const { poll = '', slow = '' } = shown.dataset;
  for (let polls = 0; polls < POLLS_MAX && !isDone(shown); polls++) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    await show(shown, poll);
  }
  if (!isDone(shown)) shown.textContent = slow;
}

/** @param {HTMLElement} shown */
function isDone(shown) {
  return shown.querySelector('[data-done]') !== null;
}

/**
 * @param {HTMLElement} shown
 * @param {string} address
 */
async function show(shown, address) {
  try {
    const answer = await fetch(address, { redirect: 'error' });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const text = page.body.textContent.trim();
    // Keep an unchanged text, because screen readers would announce it again.
    if (text === shown.textContent.trim()) return;
    shown.replaceChildren(...page.body.childNodes);
  } catch {
    // The connection failed. The next request may succeed.
  }
}
