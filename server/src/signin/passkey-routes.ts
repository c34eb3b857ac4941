import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginPasskeySignIn, signInByPasskey } from './passkey-sign-in.ts';
import type { SignInRoom } from './room.ts';
import type { SignInRefusal, SignInResult } from './sign-in.ts';
import type { PasskeyForm, SignInFault } from './sign-in-page.ts';

/** The field in which our script puts an authenticator's answer. */
const CREDENTIAL_FIELD = 'credential';

/** Answers our script's question for a challenge, as JSON. `isOurs`: the page's own form asked, not another site. */
export async function sendPasskeyOptions(
  room: SignInRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  isOurs: boolean,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  if (!isOurs) return reply.code(403).send('{"error":"stale"}');
  const begun = await beginPasskeySignIn(room, request.ip);
  switch (begun.kind) {
    case 'begun':
      return reply.send(JSON.stringify(begun.options));
    case 'throttled':
      reply.header('retry-after', String(begun.retryAfterSeconds));
      return reply.code(429).send('{"error":"throttled"}');
    case 'ip_address':
      return reply.code(404).send('{"error":"not_possible"}');
  }
}

/** Signs in by the answer that a form carries. */
export async function attemptPasskey(
  room: SignInRoom,
  request: FastifyRequest,
  fields: ReadonlyMap<string, string>,
): Promise<SignInResult> {
  return await signInByPasskey(room, {
    credential: fields.get(CREDENTIAL_FIELD) ?? '',
    address: request.ip,
    userAgent: request.headers['user-agent'],
    device: room.devices.read(request.headers.cookie),
    previousSecret: room.cookie.read(request.headers.cookie),
  });
}

/** The second form of a sign-in page, whose addresses these are; null where passkeys are not possible. */
export function passkeyForm(
  { relyingParty, passkeyScript }: SignInRoom,
  action: string,
  options: string,
): PasskeyForm | null {
  return relyingParty.kind === 'host' ? { action, options, script: passkeyScript() } : null;
}

/** What the sign-in page says of a passkey that was not let in. */
export function toPasskeyFault(refusal: SignInRefusal): SignInFault {
  return refusal.kind === 'refused' ? { kind: 'passkey_refused' } : refusal;
}
