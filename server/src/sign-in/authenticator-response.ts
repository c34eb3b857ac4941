import { parseJson } from '../base/json.ts';

/** The common properties of the responses that our script sends as JSON in a form field. */
export interface AuthenticatorResponse {
  readonly credentialId: string;
  /** The client data in base64url. */
  readonly clientDataJSON: string;
  /** The challenge in `clientDataJSON`. */
  readonly challenge: string;
  /** The properties of `response` that are base64url strings. */
  readonly texts: Readonly<Record<string, string>>;
  readonly transports: readonly string[];
}

/** The maximum length in UTF-16 code units. A response with an RSA key has about 2,000. */
const LENGTH_MAX = 12_000;
/** The maximum number of transports. Web Authentication §5.8.4 lists six. */
const TRANSPORTS_MAX = 10;

/** Parses a response without verifying it. Returns undefined if the response is malformed. */
export function parseAuthenticatorResponse(text: string): AuthenticatorResponse | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const credential = parseObject(text);
  const response = credential?.['response'];
  if (credential === undefined || !isObject(response)) return undefined;
  const { id, type } = credential;
  const { clientDataJSON, transports } = response;
  if (!isBase64url(id) || type !== 'public-key' || !isBase64url(clientDataJSON)) return undefined;
  const clientData = parseObject(fromBase64url(clientDataJSON));
  const challenge = clientData?.['challenge'];
  if (!isBase64url(challenge) || isFramed(clientData)) return undefined;
  const named = Array.isArray(transports) ? transports : [];
  return {
    credentialId: id,
    clientDataJSON,
    challenge,
    texts: Object.fromEntries(
      Object.entries(response).filter((pair): pair is [string, string] => isBase64url(pair[1])),
    ),
    transports: named.filter(isTransport).slice(0, TRANSPORTS_MAX),
  };
}

/** Our pages cannot be framed (Web Authentication §7.1, steps 10 and 11; §7.2, steps 13 and 14). */
function isFramed(clientData: Readonly<Record<string, unknown>> = {}): boolean {
  return (clientData['crossOrigin'] ?? false) !== false || clientData['topOrigin'] !== undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const json = parseJson(text);
  return json.kind === 'value' && isObject(json.value) ? json.value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value);
}

function isTransport(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z-]{1,20}$/.test(value);
}

function fromBase64url(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}
