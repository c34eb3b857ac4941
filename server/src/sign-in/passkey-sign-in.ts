import { randomBytes } from 'node:crypto';
import type { Transaction } from '../database/database.ts';
import { findAccountWithPassword } from '../shops/account.ts';
import { findPasskey, type PasskeyWithKey, recordPasskeyUse } from '../shops/passkey.ts';
import { CHALLENGE_SECONDS, saveChallenge, consumeChallenge } from '../shops/passkey-challenge.ts';
import { endSession, sessionOrigin, startSession } from '../shops/session.ts';
import { recordSignIn } from '../shops/sign-in-record.ts';
import { keysOfNetwork } from './attempt-counter.ts';
import type { Device } from './device-cookie.ts';
import {
  type AuthenticatorResponse,
  parseAuthenticatorResponse,
} from './authenticator-response.ts';
import { CHALLENGE_BYTES, userHandleOf } from './passkey-registration.ts';
import type { RelyingParty } from './relying-party.ts';
import type { SignInServices } from './services.ts';
import type { SignInResult } from './sign-in.ts';

/** For `navigator.credentials.get`. No account or key is named; the authenticator selects one. */
export interface PasskeyRequest {
  readonly challenge: string;
  readonly rpId: string;
  readonly userVerification: 'required';
  /** Milliseconds. */
  readonly timeout: number;
}

export type BeginPasskeySignInResult =
  | { readonly kind: 'begun'; readonly options: PasskeyRequest }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | Extract<RelyingParty, { readonly kind: 'ip_address' }>;

/** The challenge is valid once, for 5 minutes. A network's limit is that of failed sign-ins. */
export async function beginPasskeySignIn(
  { db, clock, counter, relyingParty }: SignInServices,
  address: string,
): Promise<BeginPasskeySignInResult> {
  if (relyingParty.kind !== 'host') return relyingParty;
  const counted = await counter.count(keysOfNetwork(address, 'passkey challenge'));
  if (counted.kind === 'throttled') return counted;
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  await saveChallenge(db, challenge, null, clock.now());
  const timeout = CHALLENGE_SECONDS * 1_000;
  const options = {
    challenge,
    rpId: relyingParty.id,
    userVerification: 'required',
    timeout,
  } as const;
  return { kind: 'begun', options };
}

export interface PasskeyAttempt {
  /** JSON from our script. */
  readonly credential: string;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly device?: Device | undefined;
  readonly previousSecret: string | undefined;
}

/**
 * The result does not distinguish an unknown or removed passkey, a malformed or repeated response,
 * another origin, and a counter that did not increase. Counted like a wrong password from the
 * network.
 */
export async function signInByPasskey(
  services: SignInServices,
  { credential, address, userAgent, device, previousSecret }: PasskeyAttempt,
): Promise<SignInResult> {
  const { db, clock, counter, relyingParty, reporter } = services;
  const keys = keysOfNetwork(address);
  const counted = await counter.count(keys);
  if (counted.kind === 'throttled') return counted;
  if (relyingParty.kind !== 'host') return { kind: 'refused' };
  const response = parseAuthenticatorResponse(credential);
  if (response === undefined) return { kind: 'refused' };
  // Consume the challenge before any check, so that a response cannot be tried twice.
  if (!(await consumeChallenge(db, response.challenge, null, clock.now()))) {
    return { kind: 'refused' };
  }
  const passkey = await findPasskey(db, response.credentialId);
  if (passkey === undefined) return { kind: 'refused' };
  const signCount = await verify(response, passkey, relyingParty);
  const origin = sessionOrigin(userAgent, address, 'passkey');
  if (signCount === null) {
    reporter.reportFailure(passkey.accountId, origin);
    return { kind: 'refused' };
  }
  const now = clock.now();
  const result = await db.transaction(async (tx): Promise<SignInResult> => {
    const found = await recordUse(tx, passkey, signCount, now);
    if (found === undefined) return { kind: 'refused' };
    if (previousSecret !== undefined) await endSession(tx, previousSecret);
    await counter.forget(tx, keys);
    await recordSignIn(tx, found.id, origin, now);
    const { secret } = await startSession(tx, found.id, now, {
      ...origin,
      passkeyId: passkey.id,
    });
    const { passwordHash: _, ...account } = found;
    const deviceCookie = services.devices.set(device, found);
    return { kind: 'signed_in', secret, account, deviceCookie };
  });
  if (result.kind === 'signed_in') reporter.reportSignIn(passkey.accountId, origin);
  return result;
}

/** Undefined if the passkey was removed concurrently or its counter was already used. */
async function recordUse(
  tx: Transaction,
  passkey: PasskeyWithKey,
  signCount: number,
  now: Date,
): Promise<Awaited<ReturnType<typeof findAccountWithPassword>>> {
  if (!(await recordPasskeyUse(tx, passkey, signCount, now))) return undefined;
  return await findAccountWithPassword(tx, passkey.accountId);
}

/** Returns the new counter of a valid response. */
async function verify(
  { credentialId, challenge, clientDataJSON, texts }: AuthenticatorResponse,
  passkey: PasskeyWithKey,
  { id, origin }: Extract<RelyingParty, { readonly kind: 'host' }>,
): Promise<number | null> {
  const { userHandle, authenticatorData = '', signature = '' } = texts;
  // Web Authentication §7.2, step 6: the authenticator must name the account.
  if (userHandle !== userHandleOf(passkey.accountId).toString('base64url')) return null;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.signCount,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // The library throws on another origin, a counter that did not increase, a malformed structure.
    return null;
  }
}
