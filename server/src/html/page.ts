import { html, raw } from 'hono/html';
import type { Language } from './language.ts';
import { STYLE, STYLE_SOURCE } from './style.ts';

/** Escaped markup, made by the `html` tag only. */
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
  /** A form's response may redirect to this origin: Chromium checks redirects (CSP 3 §6.4.1). */
  readonly formTarget?: string;
  /** A path on this service. Without it no script runs. */
  readonly script?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One string, because the hash covers every byte between the tags. */
const styleElement = raw(`<style>${STYLE}</style>`);

/** Allows no script except the named one, no frames and no other origins; nothing is cached. */
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

/** `policy` is the Content-Security-Policy. */
export function pageHeaders(language: Language, policy: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'content-language': language,
    // Not `no-referrer`: browsers then send `Origin: null` with a form, which hides its origin.
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
    // A script may send requests to this service only.
    ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    `form-action 'self'${target}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** A CSP source. CSP has no IPv6 literals, so such a host is allowed by its scheme. */
function sourceOf(address: string): string {
  const url = new URL(address);
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}
