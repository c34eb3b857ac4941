import type { Transaction } from '../database/database.ts';
import { findAccountWithPassword } from '../shops/account.ts';
import { findPasskey, type PasskeyWithKey, recordPasskeyUse } from '../shops/passkey.ts';
import { CHALLENGE_SECONDS, useChallenge } from '../shops/passkey-challenge.ts';
import { endSession, sessionOrigin, startSession } from '../shops/session.ts';
import { recordSignIn } from '../shops/sign-in-record.ts';
import { keysOfNetwork } from './attempt-counter.ts';
import type { Device } from './device-cookie.ts';
import {
  type AuthenticatorResponse,
  parseAuthenticatorResponse,
} from './authenticator-response.ts';
import { userHandleOf } from './passkey-registration.ts';
import type { RelyingParty } from './relying-party.ts';
import type { SignInServices } from './services.ts';
import type { SignInResult } from './sign-in.ts';

/**
 * The options for `navigator.credentials.get`, without an account or key, so that the authenticator
 * offers all passkeys that it has for this service.
 */
export interface PasskeyRequest {
  readonly challenge: string;
  readonly rpId: string;
  readonly userVerification: 'required';
  /** In milliseconds. */
  readonly timeout: number;
}

export type BeginPasskeySignInResult =
  | { readonly kind: 'begun'; readonly options: PasskeyRequest }
  | Extract<RelyingParty, { readonly kind: 'ip_address' }>;

/** `formToken` is the valid token of the form that will contain the response. */
export function beginPasskeySignIn(
  { clock, challenges, relyingParty }: SignInServices,
  formToken: string,
): BeginPasskeySignInResult {
  if (relyingParty.kind !== 'host') return relyingParty;
  const timeout = CHALLENGE_SECONDS * 1_000;
  const options = {
    challenge: challenges.issue(purposeOf(formToken), clock.now()),
    rpId: relyingParty.id,
    userVerification: 'required',
    timeout,
  } as const;
  return { kind: 'begun', options };
}

/** The form token is an HMAC of the browser's cookie and the form's purpose. */
function purposeOf(formToken: string): string {
  return `sign in ${formToken}`;
}

export interface PasskeyAttempt {
  /** The valid token of the form. */
  readonly formToken: string;
  /** The JSON that our script sends. */
  readonly credential: string;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly device?: Device | undefined;
  readonly previousSecret: string | undefined;
}

/**
 * Signs in with a passkey. The result is the same for an unknown or removed passkey, a malformed or
 * repeated response, another origin, and a counter that did not increase. A failure counts like a
 * wrong password from the same network.
 */
export async function signInByPasskey(
  services: SignInServices,
  { formToken, credential, address, userAgent, device, previousSecret }: PasskeyAttempt,
): Promise<SignInResult> {
  const { db, clock, counter, challenges, relyingParty, reporter } = services;
  const keys = keysOfNetwork(address);
  const counted = await counter.count(keys);
  if (counted.kind === 'throttled') return counted;
  if (relyingParty.kind !== 'host') return { kind: 'refused' };
  const response = parseAuthenticatorResponse(credential);
  if (response === undefined) return { kind: 'refused' };
  const { challenge } = response;
  const expiresAt = challenges.findExpiry(challenge, purposeOf(formToken), clock.now());
  if (expiresAt === null) return { kind: 'refused' };
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
    if (!(await useChallenge(tx, challenge, expiresAt))) return { kind: 'refused' };
    const found = await recordUse(tx, passkey, signCount, now);
    if (found === undefined) return { kind: 'refused' };
    if (previousSecret !== undefined) await endSession(tx, previousSecret);
    await counter.refund(tx, keys);
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

/** Undefined if the passkey was removed concurrently or the counter was already used. */
async function recordUse(
  tx: Transaction,
  passkey: PasskeyWithKey,
  signCount: number,
  now: Date,
): Promise<Awaited<ReturnType<typeof findAccountWithPassword>>> {
  if (!(await recordPasskeyUse(tx, passkey, signCount, now))) return undefined;
  return await findAccountWithPassword(tx, passkey.accountId);
}

/** Verifies a response. Returns the new counter, or null if the response is invalid. */
async function verify(
  { credentialId, challenge, clientDataJSON, texts }: AuthenticatorResponse,
  passkey: PasskeyWithKey,
  { id, origin }: Extract<RelyingParty, { readonly kind: 'host' }>,
): Promise<number | null> {
  const { userHandle, authenticatorData = '', signature = '' } = texts;
  // The user handle must be that of the passkey's account (Web Authentication §7.2, step 6).
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
    // The library throws on another origin, an old counter and a malformed structure.
    return null;
  }
}
