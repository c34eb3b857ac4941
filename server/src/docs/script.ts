/**
 * Adds a button that copies a code block, marks the current section in the contents, and lets the
 * keyboard scroll code blocks. The pages are usable without this script.
 */
export const DOCS_SCRIPT = `'use strict';
const { copy, copied } = document.body.dataset;
for (const figure of document.querySelectorAll('.code')) {
  const code = figure.querySelector('code');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = copy;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent.replace(/\\n$/, ''));
    button.textContent = copied;
    button.classList.add('done');
    setTimeout(() => {
      button.textContent = copy;
      button.classList.remove('done');
    }, 2000);
  });
  if (navigator.clipboard) figure.append(button);
}
for (const box of document.querySelectorAll('.code pre, .table')) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
const links = new Map();
for (const link of document.querySelectorAll('nav.contents a')) {
  const id = decodeURIComponent(link.hash.slice(1));
  links.set(id, [...(links.get(id) ?? []), link]);
}
const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
function markRead() {
  const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const read = isAtEnd && scrollY > 0 ? headings.at(-1) : passed.at(-1);
  for (const [id, list] of links) {
    for (const link of list) {
      if (read?.id === id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }
}
let isAsked = false;
addEventListener('scroll', () => {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    markRead();
  });
}, { passive: true });
markRead();
`;
