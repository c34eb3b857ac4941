import type { Clock } from '../base/clock.ts';
import { deriveKey } from '../base/keys.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import type { Mailer } from '../mail/mailer.ts';
import { FormGuard } from '../html/form-guard.ts';
import { PasskeyChallenges } from '../shops/passkey-challenge.ts';
import { AttemptCounter } from './attempt-counter.ts';
import { DeviceCookie } from './device-cookie.ts';
import { PasswordResets } from './password-resets.ts';
import { type RelyingParty, relyingPartyOf } from './relying-party.ts';
import { SessionCookie } from './session-cookie.ts';
import { SetupState } from './setup-state.ts';
import { SignIn } from './sign-in.ts';
import { SignInReporter } from './sign-in-reporter.ts';

/** All pages that need a signed-in account share one queue and one cookie. */
export interface SignInServices {
  readonly db: Database;
  readonly clock: Clock;
  readonly guard: FormGuard;
  readonly cookie: SessionCookie;
  readonly devices: DeviceCookie;
  readonly signIn: SignIn;
  readonly counter: AttemptCounter;
  readonly reporter: SignInReporter;
  readonly resets: PasswordResets;
  readonly setup: SetupState;
  readonly relyingParty: RelyingParty;
  readonly challenges: PasskeyChallenges;
  /** The URL of the passkey script. */
  readonly passkeyScript: () => string;
}

export interface SignInServicesOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends the emails about failed attempts. */
  readonly mail: Mailer;
  /** The public URL without a trailing slash. */
  readonly publicUrl: string;
  readonly secretKey: string;
  /** The limit for one name and network. Null turns off the throttling of failed attempts. */
  readonly failuresPerMinute: number | null;
  readonly passkeyScript: () => string;
}

export function createSignInServices(options: SignInServicesOptions): SignInServices {
  const { db, clock, publicUrl, secretKey, failuresPerMinute, passkeyScript } = options;
  const counter = new AttemptCounter(db, clock, failuresPerMinute);
  const devices = new DeviceCookie(deriveKey(secretKey, 'device'), publicUrl);
  const reporter = new SignInReporter(options);
  return {
    db,
    clock,
    guard: new FormGuard(deriveKey(secretKey, 'csrf'), publicUrl),
    cookie: new SessionCookie(publicUrl),
    devices,
    signIn: new SignIn({ db, clock, counter, devices, reporter }),
    counter,
    reporter,
    resets: new PasswordResets(options, counter),
    setup: new SetupState(db),
    relyingParty: relyingPartyOf(publicUrl),
    challenges: new PasskeyChallenges(deriveKey(secretKey, 'passkey challenge')),
    passkeyScript,
  };
}
