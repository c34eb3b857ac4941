import type { Break, WireRequest } from './break.ts';
import { isRequestTo, queryOf, withHeader, withQuery } from './edits.ts';

const AUTHORIZE = 'GET /auth/oauth2/authorize';
/** The redirect URIs of the first and the second shop's apps. */
const REGISTERED = 'https://app.example/callback';
const OF_OTHER_SHOP = 'https://mirror.example/callback';

/**
 * Simulates a server that accepts unregistered redirect URIs and sends code and state to them. It
 * sends the registered URI to the service, and recognizes the response by its state.
 */
function acceptRedirectUris(
  isAccepted: (uri: string) => boolean,
): Pick<Break, 'request' | 'answer'> {
  const wrongOf = (request: WireRequest): string | null => {
    const uri = isRequestTo(request, AUTHORIZE) ? queryOf(request).get('redirect_uri') : null;
    if (uri === null || uri === REGISTERED || uri === OF_OTHER_SHOP) return null;
    return isAccepted(uri) ? uri : null;
  };
  return {
    request: ({ request, memory }) => {
      const wrong = wrongOf(request);
      if (wrong === null) return request;
      memory.set(`state ${queryOf(request).get('state') ?? ''}`, wrong);
      return withQuery(request, (query) => query.set('redirect_uri', REGISTERED));
    },
    answer: (answer, { request, memory }) => {
      const location = answer.headers['location'];
      if (!request.target.startsWith('/auth/') || typeof location !== 'string') return answer;
      if (!location.startsWith(`${REGISTERED}?`)) return answer;
      const back = new URL(location);
      const wrong = memory.get(`state ${back.searchParams.get('state') ?? ''}`);
      if (typeof wrong !== 'string') return answer;
      const url = new URL(wrong);
      for (const [name, value] of back.searchParams) url.searchParams.append(name, value);
      return withHeader(answer, 'location', url.href);
    },
  };
}

/** Violations of the rules for the comparison of redirect URIs (specification 5.3, step 2). */
export const redirectBreaks: readonly Break[] = [
  {
    name: 'any-redirect-uri-taken',
    clause: '5.3',
    wrong: 'accepts any `redirect_uri`, and sends code and state there',
    caughtBy: ['5.3-redirect-uri-registered'],
    ...acceptRedirectUris(() => true),
  },
  {
    name: 'redirect-uri-by-prefix',
    clause: '5.3',
    wrong: 'accepts every `redirect_uri` that begins with the registered one',
    caughtBy: ['5.3-redirect-uri-registered'],
    ...acceptRedirectUris((uri) => uri.startsWith(REGISTERED)),
  },
  {
    name: 'redirect-uri-without-case',
    clause: '5.3',
    wrong: 'accepts a `redirect_uri` whose path differs in case',
    caughtBy: ['5.3-redirect-uri-registered'],
    ...acceptRedirectUris((uri) => uri.toLowerCase() === REGISTERED.toLowerCase()),
  },
  {
    name: 'redirect-uri-without-query',
    clause: '5.3',
    wrong: 'ignores the query when it compares a `redirect_uri`',
    caughtBy: ['5.3-redirect-uri-registered'],
    ...acceptRedirectUris((uri) => uri.split('?')[0] === REGISTERED),
  },
  {
    name: 'redirect-uri-of-any-port',
    clause: '5.3',
    wrong: 'ignores the port when it compares a `redirect_uri`',
    caughtBy: ['5.3-redirect-uri-registered'],
    ...acceptRedirectUris((uri) => uri.replace(/:\d+\//, '/') === REGISTERED),
  },
];
