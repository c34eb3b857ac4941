import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../http/raw-response.ts';
import { renderPartnerAsyncapi } from './asyncapi.ts';
import { renderPartnerOpenapi } from './openapi.ts';
import { PARTNER_PATH } from './routes.ts';

const REFERENCE_PATH = '/docs/reference';
const PARTNER_DOCUMENT = '/openapi/partner-v1.json';
const SHOP_DOCUMENT = '/openapi/shop-v1.json';
const ASYNCAPI_DOCUMENT = '/asyncapi/partner-v1.json';

/** Allows only this origin. Images in the viewer's style sheet are data: URLs. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cardport API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${REFERENCE_PATH}/swagger-ui.css">
<link rel="stylesheet" href="${REFERENCE_PATH}/style.css">
<script src="${REFERENCE_PATH}/swagger-ui-bundle.js" defer></script>
<script src="${REFERENCE_PATH}/start.js" defer></script>
</head>
<body>
<header><nav aria-label="Documentation"><a class="brand" href="/">Cardport</a><a href="/docs">Docs</a><a href="?api=partner">Partner API</a><a href="?api=shop">Shop API</a><a href="${ASYNCAPI_DOCUMENT}">Webhooks (AsyncAPI)</a></nav></header>
<div id="reference"><noscript>The API is described in <a href="${PARTNER_DOCUMENT}">${PARTNER_DOCUMENT}</a>.</noscript></div></body>
</html>
`;

/** The colors, type and header of the docs, in place of the viewer's. */
const STYLE = `
:root{--paper:#fff;--ink:#1b1f27;--soft:#566070;--line:#dde2ea;--strong:#1f5fbf;--tint:#eaf1fc}
:root.dark-mode{--paper:#171b22;--ink:#e6eaf1;--soft:#a3aebd;--line:#2e3645;--strong:#8db8ff;--tint:#1e2a3f}
@media (prefers-reduced-motion:reduce){*,::before,::after{transition:none!important;animation:none!important}}
body,.swagger-ui,.swagger-ui .scheme-container{margin:0;background:var(--paper)!important;color:var(--ink);box-shadow:none!important}
body,.swagger-ui :not(pre,code,pre *,code *){font-family:system-ui,-apple-system,"Segoe UI","Hiragino Sans","Noto Sans JP",sans-serif!important}
header{border-bottom:1px solid var(--line)}
header nav{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;max-width:1420px;margin:0 auto;padding:.875rem 1.25rem}
header a{color:var(--soft);text-decoration:none}
header a:hover{color:var(--strong)}
header .brand{color:var(--ink);font-weight:700}
.swagger-ui .opblock{background:none!important;border-color:var(--line)!important;box-shadow:none!important}
.swagger-ui .opblock .opblock-summary{border-color:var(--line)!important}
.swagger-ui .opblock .opblock-section-header{background:var(--tint)!important;box-shadow:none}
.swagger-ui .opblock .opblock-summary-method,.swagger-ui .btn.execute{background:var(--strong)!important;border-color:var(--strong)!important;color:var(--paper)!important}
.swagger-ui a:not(.nostyle),.swagger-ui .btn.authorize{color:var(--strong)!important;border-color:var(--strong)!important}
.swagger-ui .btn.authorize svg{fill:var(--strong)!important}
.swagger-ui .info .title small{background:var(--soft)!important}
.swagger-ui .info .title small pre{color:var(--paper)!important}
.swagger-ui .microlight [style*="211, 99, 99"]{color:#f2a0a0!important}
.swagger-ui :is(.opblock-summary-description,.opblock-tag small,.parameter__in,.parameter__type,.renderedMarkdown p,.header-col,.json-schema-2020-12-expand-deep-button){color:var(--soft)!important}
`;

/**
 * Selects dark colors as the browser prefers, and makes the page ask for an access token. It cannot
 * run the OAuth flow, because its address is not a redirect URI of any app.
 */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const followColors = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColors);
followColors();

function askForToken(response) {
  if (!response.url.endsWith('${PARTNER_DOCUMENT}')) return response;
  const shown = JSON.parse(response.text);
  shown.components.securitySchemes.oauth = {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of an approved app: cpa_…',
  };
  response.text = JSON.stringify(shown);
  return response;
}

SwaggerUIBundle({
  url: new URLSearchParams(location.search).get('api') === 'shop' ? '${SHOP_DOCUMENT}' : '${PARTNER_DOCUMENT}',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  responseInterceptor: askForToken,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
});
`;

/** The files come from the viewer's npm package, not from a CDN. */
const VIEWER_FILES = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
] as const;

export function registerReference(app: FastifyInstance, publicUrl: string): void {
  const openapi = renderPartnerOpenapi(publicUrl, `${publicUrl}${PARTNER_PATH}`);
  app.get(PARTNER_DOCUMENT, (_request, reply) => {
    reply.type(JSON_TYPE).send(openapi);
  });
  const asyncapi = renderPartnerAsyncapi(publicUrl);
  app.get(ASYNCAPI_DOCUMENT, (_request, reply) => {
    reply.type(JSON_TYPE).send(asyncapi);
  });
  app.get(REFERENCE_PATH, (_request, reply) => {
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE);
  });
  app.get(`${REFERENCE_PATH}/style.css`, (_request, reply) => {
    reply.type('text/css; charset=utf-8').send(STYLE);
  });
  app.get(`${REFERENCE_PATH}/start.js`, (_request, reply) => {
    reply.type('text/javascript; charset=utf-8').send(START);
  });
  const folder = new URL('./static/', import.meta.resolve('@fastify/swagger-ui'));
  for (const [name, type] of VIEWER_FILES) {
    // Read the file on the first request, because most processes never serve these two megabytes.
    let bytes: Buffer | undefined;
    app.get(`${REFERENCE_PATH}/${name}`, (_request, reply) => {
      bytes ??= readFileSync(new URL(name, folder));
      reply.type(type).send(bytes);
    });
  }
}
