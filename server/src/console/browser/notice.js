// @ts-check
// Looks what came of a notice until there is an end. Without it the page has a link that looks again.

/** Between two looks. */
const EVERY_MS = 1_000;
/** An attempt takes 15 s at most, and may have to wait for its turn before. */
const LOOKS_MAX = 30;

for (const shown of document.querySelectorAll('[data-poll]')) {
  if (shown instanceof HTMLElement) void follow(shown);
}

/** @param {HTMLElement} shown */
async function follow(shown) {
  const { poll = '', slow = '' } = shown.dataset;
  for (let look = 0; look < LOOKS_MAX && !isDone(shown); look++) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
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
    // What stands there already is not announced again.
    if (text === shown.textContent.trim()) return;
    shown.replaceChildren(...page.body.childNodes);
  } catch {
    // The line was away: the next look may find it again.
  }
}
