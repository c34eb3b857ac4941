import { Agent, request } from 'node:http';
import { addressesOf, AUTH_PATH } from '../../server/src/oauth/addresses.ts';
import {
  type TokenChain,
  CHAINS_PUBLIC_URL,
  CHAINS_REDIRECT_URI,
  CHAINS_VERIFIER,
} from '../data/chains.ts';
import type { Sample } from '../harness/rounds.ts';

export interface TokenServer {
  readonly url: string;
  cpuMs(): number;
}

interface TokenResponse {
  readonly status: number;
  readonly text: string;
}

const { resource } = addressesOf(CHAINS_PUBLIC_URL);
const agent = new Agent({ keepAlive: true });
let keys = 0;

/**
 * Runs all chains concurrently, each with one request in flight, until the time is up. Requests
 * that are in flight at the end are counted.
 */
export async function loadChains(
  server: TokenServer,
  chains: readonly TokenChain[],
  seconds: number,
  step: (chain: TokenChain) => Promise<boolean>,
): Promise<Sample> {
  const cpuFrom = server.cpuMs();
  const from = performance.now();
  const until = from + seconds * 1_000;
  let count = 0;
  await Promise.all(
    chains.map(async (chain) => {
      while (performance.now() < until && (await step(chain))) count += 1;
    }),
  );
  const passedSeconds = (performance.now() - from) / 1_000;
  return { count, seconds: passedSeconds, cpuMs: server.cpuMs() - cpuFrom };
}

/** Refreshes with the newest refresh token of the chain. */
export async function refresh(
  url: string,
  chain: TokenChain,
  hasIdempotencyKey: boolean,
): Promise<boolean> {
  const headers = hasIdempotencyKey ? { 'idempotency-key': `refresh-${keys++}` } : {};
  const { refreshToken } = chain;
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
  const { status, text } = await post(url, chain, form, headers);
  const next = status === 200 ? refreshTokenOf(text) : null;
  if (next === null) throw new Error(`a refresh was refused: ${status} ${text}`);
  chain.refreshToken = next;
  return true;
}

/** Refreshes with an invalid token, and expects a refusal. */
export async function refreshRevoked(url: string, chain: TokenChain): Promise<boolean> {
  const { refreshToken } = chain;
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
  const { status, text } = await post(url, chain, form, {});
  if (status !== 400) throw new Error(`a revoked token was not refused: ${status} ${text}`);
  return true;
}

export async function revoke(url: string, chain: TokenChain): Promise<void> {
  const form = { token: chain.refreshToken };
  const { status, text } = await post(url, chain, form, {}, 'revoke');
  if (status !== 200) throw new Error(`not revoked: ${status} ${text}`);
}

/** Exchanges the next code of the chain. Returns false if no code is left. */
export async function exchangeCode(url: string, chain: TokenChain, at: number): Promise<boolean> {
  const code = chain.codes[at];
  if (code === undefined) return false;
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CHAINS_REDIRECT_URI,
    code_verifier: CHAINS_VERIFIER,
    resource,
  };
  const { status, text } = await post(url, chain, form, {});
  if (status !== 200) throw new Error(`a code was refused: ${status} ${text}`);
  return true;
}

function refreshTokenOf(text: string): string | null {
  return /"refresh_token":"([^"]+)"/.exec(text)?.[1] ?? null;
}

async function post(
  url: string,
  { clientId, clientSecret }: TokenChain,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  endpoint = 'token',
): Promise<TokenResponse> {
  const body = new URLSearchParams(form).toString();
  return await new Promise((resolve, reject) => {
    const sent = request(
      `${url}${AUTH_PATH}/oauth2/${endpoint}`,
      {
        agent,
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': body.length,
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
