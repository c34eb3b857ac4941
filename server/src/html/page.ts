import { html, raw } from 'hono/html';
import { createHash } from 'node:crypto';
import type { Language } from './language.ts';

/** Colors and type sizes are those of the console (`console/assets/README.md`). */
export const STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f8;--paper:#fff;--ink:#1a1f29;--soft:#545e6e;--line:#d5dae3;--strong:#1d57b8;--on-strong:#fff;--warn-ground:#fff3d1;--warn-line:#d9a520;--bad:#a92219}
@media (prefers-color-scheme:dark){:root{--ground:#10131a;--paper:#191e27;--ink:#edf0f6;--soft:#a9b3c3;--line:#323b4b;--strong:#8fb8ff;--on-strong:#0a172e;--warn-ground:#352a0d;--warn-line:#8f7120;--bad:#ffb1a8}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI","Hiragino Sans","Noto Sans JP","Yu Gothic UI",sans-serif;overflow-wrap:anywhere}
main{max-width:30rem;margin:0 auto;padding:2rem 1rem 3rem}
.sheet{background:var(--paper);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem}
.brand{margin:0 0 1rem;font-weight:600;color:var(--soft)}
h1,h2,strong{font-weight:600}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.35}
h2{margin:1.5rem 0 .5rem;font-size:1rem}
p{margin:0 0 1rem}
a{color:var(--strong)}
ul{margin:0 0 1rem;padding-left:1.25rem}
li{margin:.375rem 0}
dl{margin:0 0 1rem;display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}
dt{color:var(--soft)}
dd{margin:0}
label{display:block;margin:0 0 .25rem;font-weight:600}
input[type=email],input[type=password]{display:block;width:100%;margin:0 0 1rem;padding:.625rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--paper);color:var(--ink);font:inherit}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
button{min-height:2.75rem;padding:.5rem 1.25rem;border:1px solid var(--strong);border-radius:.5rem;background:var(--paper);color:var(--strong);font:inherit;font-weight:600;cursor:pointer}
button.first{background:var(--strong);color:var(--on-strong)}
button.link{min-height:0;margin-top:1rem;padding:.25rem 0;border:0;background:none;text-decoration:underline}
:focus-visible{outline:3px solid var(--strong);outline-offset:2px}
.notice{margin:0 0 1rem;padding:.75rem 1rem;border:1px solid var(--warn-line);border-left-width:.375rem;border-radius:.5rem;background:var(--warn-ground)}
.fault{color:var(--bad);font-weight:600}
.soft{color:var(--soft);font-size:.875rem}
form+p{margin-top:1rem}
@media (max-width:24rem){.actions{flex-direction:column}.actions button{width:100%}}
`;

/** The source that allows exactly this style in a Content-Security-Policy (CSP 3 §2.3.1). */
const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** Escaped markup, which only the `html` tag creates. */
export type Markup = ReturnType<typeof html>;

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PageOptions {
  readonly status: number;
  readonly language: Language;
  readonly title: string;
  readonly content: Markup;
  /** The URL to which the response to a form may redirect; Chromium checks it (CSP 3 §6.4.1). */
  readonly formTarget?: string;
  /** The path of a script on this service. Without this option, the page runs no script. */
  readonly script?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The style is a single string, because its hash covers every byte between the tags. */
const styleElement = raw(`<style>${STYLE}</style>`);

/** Renders a page that is not cached, cannot be framed, and runs no script except `script`. */
export async function renderPage(options: PageOptions): Promise<Page> {
  const { language, title, content, script } = options;
  const document = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Cardport</title>
        ${styleElement}
        ${script === undefined ? '' : html`<script type="module" src="${script}"></script>`}
      </head>
      <body>
        <main>
          <p class="brand">Cardport</p>
          <div class="sheet">
            <h1>${title}</h1>
            ${content}
          </div>
        </main>
      </body>
    </html> `;
  return {
    status: options.status,
    headers: { ...pageHeaders(language, policyOf(options)), ...options.headers },
    body: String(document),
  };
}

export function pageHeaders(language: Language, policy: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'content-language': language,
    // Do not use `no-referrer`, because browsers would then send `Origin: null` with a form.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  };
}

function policyOf({ formTarget, script }: PageOptions): string {
  const target = formTarget === undefined ? '' : ` ${sourceOf(formTarget)}`;
  return [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    // The script may send requests to this service only.
    ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    `form-action 'self'${target}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** Returns a CSP source. CSP has no IPv6 literals, so an IPv6 host is allowed by its scheme. */
function sourceOf(address: string): string {
  const url = new URL(address);
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}
