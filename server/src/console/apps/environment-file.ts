import { html } from 'hono/html';
import type { Scope } from '../../apps/scope.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { copyButton } from '../parts/copyable.ts';
import { SCOPES_IN_ORDER } from '../parts/scope-text.ts';

export interface AppEnvironment {
  readonly publicUrl: string;
  readonly clientId: string;
  /** Null except on the page that shows the secret once. */
  readonly clientSecret: string | null;
  readonly scopes: readonly Scope[];
}

/** An environment file with the service's address and the app's credentials (spec 5.1). */
export function renderEnvironmentFile(environment: AppEnvironment): string {
  const { publicUrl, clientId, clientSecret, scopes } = environment;
  const requestedScopes = SCOPES_IN_ORDER.filter((scope) => scopes.includes(scope)).join(' ');
  return [
    `CARDPORT_URL=${publicUrl}/partner/v1`,
    `AUTHORIZATION_URL=${publicUrl}/auth/oauth2/authorize`,
    `TOKEN_URL=${publicUrl}/auth/oauth2/token`,
    `REVOCATION_URL=${publicUrl}/auth/oauth2/revoke`,
    `CLIENT_ID=${clientId}`,
    ...(clientSecret === null ? [] : [`CLIENT_SECRET=${clientSecret}`]),
    `SCOPE="${requestedScopes}"`,
  ].join('\n');
}

export function environmentBlock(environment: AppEnvironment, language: Language): Markup {
  const lines = renderEnvironmentFile(environment);
  return html`<pre class="lines">${lines}</pre>
    ${copyButton(lines, language)}`;
}
