/** The board's style: light and dark, from a phone to the screen at the counter. */
export const STYLE = `
:root { color-scheme: light dark; --accent: light-dark(#93370d, #f0a36b);
  --ground: light-dark(#f6f4ef, #17181c); --card: light-dark(#fff, #212329);
  --ink: light-dark(#22242a, #eceae5); --quiet: light-dark(#666973, #a2a4ad);
  --line: light-dark(#e5e1d8, #33353d); }
* { box-sizing: border-box; margin: 0; color: inherit; }
body { background: var(--ground); color: var(--ink); line-height: 1.5;
  font-family: system-ui, 'Hiragino Sans', 'Noto Sans CJK JP', 'Noto Sans JP', sans-serif; }
header, main, footer { max-width: 1200px; margin: 0 auto; padding: 16px 20px; }
header { display: flex; flex-wrap: wrap; gap: 4px 32px; align-items: baseline; }
nav { display: flex; gap: 20px; margin-top: 8px; } section { max-width: 560px; margin: 8vh auto; }
nav a:not(.button) { text-decoration: none; color: var(--quiet); padding: 4px 0; }
nav a[aria-current='page'] { color: var(--ink); box-shadow: 0 2px var(--accent); }
h1 { font-size: 26px; margin: 8px 0 14px; } section p { margin-bottom: 20px; }
h2 { font-size: 16px; line-height: 1.35; overflow-wrap: anywhere; } strong { font-size: 18px; }
form + p { margin: 20px 2px; } b, .quiet, footer { color: var(--quiet); font-size: 14px; }
ul { list-style: none; padding: 0; display: grid; gap: 14px; margin-top: 12px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--width)), 1fr)); }
li { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 12px; }
.picture { display: grid; place-content: center; object-fit: cover; aspect-ratio: 3 / 4;
  width: 100%; margin-bottom: 8px; border-radius: 6px; background: var(--line); color: inherit; }
.units { --width: 155px; } .boosts { --width: 350px; } .boosts li { display: flex; gap: 14px; }
.boosts .picture { width: 92px; flex: none; margin: 0; align-self: start; }
.price { font-size: 21px; font-weight: 650; color: var(--accent); }
b { display: inline-block; margin: 2px 2px 4px 0; font-weight: 500;
  border: 1px solid var(--line); border-radius: 5px; padding: 1px 6px; }
.button, input { font: inherit; padding: 9px 16px; border-radius: 8px; min-width: 0;
  border: 1px solid var(--line); background: var(--card); text-decoration: none; }
.button { display: inline-block; background: var(--ink); color: var(--ground); }
form { display: flex; gap: 8px; max-width: 520px; } input { flex: 1; }`;
