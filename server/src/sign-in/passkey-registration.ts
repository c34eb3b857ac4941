import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { type Account, lockUnchangedPassword } from '../shops/account.ts';
import {
  addPasskey,
  type AddPasskeyResult,
  findPasskeyNameProblem,
  listPasskeys,
  type NewPasskey,
} from '../shops/passkey.ts';
import { CHALLENGE_SECONDS, useChallenge } from '../shops/passkey-challenge.ts';
import { parseAuthenticatorResponse } from './authenticator-response.ts';
import type { RelyingParty } from './relying-party.ts';
import type { SignInServices } from './services.ts';
import type { SignInRefusal, TypedPassword } from './sign-in.ts';

/** In order of preference (RFC 9053): ES256, EdDSA, RS256. Every authenticator supports one. */
export const COSE_ALGORITHMS = [-7, -8, -257];

type NoHost = Extract<RelyingParty, { readonly kind: 'ip_address' }>;

export type BeginPasskeyRegistrationResult =
  /** `options` is the JSON for `navigator.credentials.create`. */
  { readonly kind: 'begun'; readonly options: PublicKeyCredentialCreationOptionsJSON } | NoHost;

/** Starts the registration of a passkey. The challenge can be used once, within 5 minutes. */
export async function beginPasskeyRegistration(
  { db, clock, challenges, relyingParty }: SignInServices,
  account: Account,
): Promise<BeginPasskeyRegistrationResult> {
  if (relyingParty.kind !== 'host') return relyingParty;
  const known = await listPasskeys(db, account.id);
  const challenge = challenges.issue(purposeOf(account), clock.now());
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: 'Cardport',
    rpID: relyingParty.id,
    userName: account.email,
    userDisplayName: account.name,
    // Web Authentication §14.6.1: the user handle must not contain personal data.
    userID: new Uint8Array(userHandleOf(account.id)),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CHALLENGE_SECONDS * 1_000,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: COSE_ALGORITHMS,
  });
  return { kind: 'begun', options };
}

export type FinishPasskeyRegistrationResult =
  | AddPasskeyResult
  /** Malformed response, no such challenge for this account, or failed verification. */
  | { readonly kind: 'refused'; readonly cause: unknown }
  /** The password was wrong or could not be checked. */
  | { readonly kind: 'not_confirmed'; readonly refusal: SignInRefusal }
  | NoHost;

export interface PasskeyRegistrationForm extends Omit<TypedPassword, 'email'> {
  /** The JSON that our script sends. */
  readonly credential: string;
  readonly name: string;
}

/**
 * The password is checked first, because an unattended browser must not give lasting access to the
 * account. Only a response that passes all checks uses up its challenge.
 */
export async function finishPasskeyRegistration(
  { db, clock, challenges, relyingParty, signIn }: SignInServices,
  account: Account,
  { credential, name, ...typed }: PasskeyRegistrationForm,
): Promise<FinishPasskeyRegistrationResult> {
  if (relyingParty.kind !== 'host') return relyingParty;
  const reason = findPasskeyNameProblem(name);
  if (reason !== null) return { kind: 'invalid_name', reason };
  const confirmed = await signIn.confirm({ ...typed, email: account.email });
  if (confirmed.kind !== 'right') return { kind: 'not_confirmed', refusal: confirmed };
  const response = parseAuthenticatorResponse(credential);
  if (response === undefined) return { kind: 'refused', cause: null };
  const { challenge } = response;
  const expiresAt = challenges.findExpiry(challenge, purposeOf(account), clock.now());
  if (expiresAt === null) return { kind: 'refused', cause: UNUSABLE };
  let verified: Omit<NewPasskey, 'name'>;
  try {
    verified = await verify(response, relyingParty);
  } catch (cause) {
    return { kind: 'refused', cause };
  }
  const by = { kind: 'member', accountId: account.id } as const;
  const passkey = { ...verified, name };
  return await db.transaction(async (tx): Promise<FinishPasskeyRegistrationResult> => {
    const isFirst = await useChallenge(tx, challenge, expiresAt);
    if (!isFirst) return { kind: 'refused', cause: UNUSABLE };
    const isStill = await lockUnchangedPassword(tx, account.id, confirmed.passwordHash);
    if (!isStill) return { kind: 'not_confirmed', refusal: { kind: 'refused' } };
    return await addPasskey(tx, account.id, passkey, clock.now(), by);
  });
}

const UNUSABLE = 'the challenge was not issued here, has expired or was used before';

function purposeOf({ id }: Account): string {
  return `register ${id}`;
}

type ParsedResponse = NonNullable<ReturnType<typeof parseAuthenticatorResponse>>;

/** @throws Error with the library's reason when verification fails */
async function verify(
  { credentialId, challenge, clientDataJSON, texts, transports }: ParsedResponse,
  { id, origin }: Extract<RelyingParty, { readonly kind: 'host' }>,
): Promise<Omit<NewPasskey, 'name'>> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id: credentialId,
      rawId: credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject: texts['attestationObject'] ?? '' },
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: COSE_ALGORITHMS,
  });
  if (!verified) throw new Error('the attestation is not valid');
  const { credential, credentialDeviceType } = registrationInfo;
  return {
    // Use the attested credential id, not the id that the browser sent next to it.
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports,
    isSynced: credentialDeviceType === 'multiDevice',
  };
}

export function userHandleOf(accountId: string): Buffer {
  return Buffer.from(accountId.replaceAll('-', ''), 'hex');
}
