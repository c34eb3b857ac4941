/** The script of pages that stay current. A reload would interrupt people who are reading. */
export const LIVE = `
const wait = () => {
  const { seconds } = document.querySelector('main').dataset;
  if (seconds) setTimeout(update, seconds * 1000);
};
const update = async () => {
  const text = await fetch(location).then((page) => page.ok ? page.text() : '').catch(() => '');
  const next = new DOMParser().parseFromString(text, 'text/html');
  for (const part of document.querySelectorAll('main, footer')) {
    const newer = next.querySelector(part.localName);
    if (newer && !newer.isEqualNode(part)) part.replaceWith(newer);
  }
  wait();
};
wait();`;
