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
  if (isDone(shown)) await reloadSection(shown);
  else shown.textContent = slow;
}

/**
 * Replaces the section around the result, whose state and list of attempts still say that the test
 * delivery is in progress. The result itself stays, because screen readers have just read it out.
 * @param {HTMLElement} shown
 */
async function reloadSection(shown) {
  const section = shown.closest('section');
  if (section === null) return;
  try {
    const answer = await fetch(location.href, { redirect: 'error' });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const current = page.getElementById(section.id);
    if (!answer.ok || current === null) return;
    const parts = [...current.childNodes];
    const at = parts.findIndex((part) => part instanceof Element && part.id === shown.id);
    if (at === -1) return;
    while (section.firstChild !== shown) section.firstChild?.remove();
    shown.before(...parts.slice(0, at));
  } catch {
    // The connection failed. The result is shown anyway.
  }
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
    // Do not replace unchanged text; screen readers would announce it again.
    if (text === shown.textContent.trim()) return;
    shown.replaceChildren(...page.body.childNodes);
  } catch {
    // The connection failed. The next request may succeed.
  }
}
