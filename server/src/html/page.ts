import { html, raw } from 'hono/html';
import type { Language } from './language.ts';
import { STYLE, STYLE_SOURCE } from './style.ts';

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
