import type { FastifyInstance } from 'fastify';

/** `/`: where a person who typed the bare address finds what is here. */
export function registerWelcome(app: FastifyInstance, publicUrl: string): void {
  // PUBLIC_URL is an origin that `URL` wrote: nothing in it needs escaping.
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Cardport</title>
<h1>Cardport</h1>
<p>Lets an external app act for one trading-card shop after a member of that shop has approved it.</p>
<ul>
<li>Partner API: <code>${publicUrl}/partner/v1</code>, <a href="/docs/reference">reference</a>, <a href="/openapi/partner-v1.json">OpenAPI</a>
<li>Shop API: <code>${publicUrl}/shop/v1</code>, <a href="/openapi/shop-v1.json">OpenAPI</a>
<li>Authorization server: <a href="/auth/.well-known/oauth-authorization-server">metadata</a>
<li>Protected resource: <a href="/.well-known/oauth-protected-resource/partner/v1">metadata</a>
</ul>
</html>
`;
  app.get('/', (_request, reply) => {
    reply.type('text/html; charset=utf-8').send(page);
  });
}
