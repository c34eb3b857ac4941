import type { Clock } from '../base/clock.ts';
import { deriveKey } from '../base/keys.ts';
import type { Database } from '../database/database.ts';
import { FormGuard } from '../pages/form-guard.ts';
import { SessionCookie } from './session-cookie.ts';
import { SignIn } from './sign-in.ts';

/** What signing in needs. One for all faces that ask for a signed-in person, so that they share its turns and its cookie. */
export interface SignInRoom {
  readonly db: Database;
  readonly clock: Clock;
  readonly guard: FormGuard;
  readonly cookie: SessionCookie;
  readonly signIn: SignIn;
}

export interface SignInRoomOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** `PUBLIC_URL`. */
  readonly publicUrl: string;
  readonly secretKey: string;
  /** Null switches the throttle of failed attempts off. */
  readonly failuresPerMinute: number | null;
}

/** Makes what signing in needs. */
export function openSignInRoom(options: SignInRoomOptions): SignInRoom {
  const { db, clock, publicUrl, secretKey, failuresPerMinute } = options;
  return {
    db,
    clock,
    guard: new FormGuard(deriveKey(secretKey, 'csrf'), publicUrl),
    cookie: new SessionCookie(publicUrl),
    signIn: new SignIn(db, clock, failuresPerMinute),
  };
}
