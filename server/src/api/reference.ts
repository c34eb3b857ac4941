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
<script src="${REFERENCE_PATH}/swagger-ui-bundle.js" defer></script>
<script src="${REFERENCE_PATH}/start.js" defer></script>
</head>
<body>
<nav class="swagger-ui"><p class="wrapper"><a href="/docs">Docs</a> · <a href="?api=partner">Partner API</a> · <a href="?api=shop">Shop API</a> · <a href="${ASYNCAPI_DOCUMENT}">Webhooks (AsyncAPI)</a></p></nav>
<main id="reference"><noscript>The API is described in <a href="${PARTNER_DOCUMENT}">${PARTNER_DOCUMENT}</a>.</noscript></main></body>
</html>
`;

/**
 * Makes the page ask for an access token. It cannot run the OAuth flow, because its address is not
 * a redirect URI of any app.
 */
const START = `function askForToken(response) {
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
