import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { RateLimits } from '../base/rate-limits.ts';
import type { CardSearch } from '../catalog/search/card-search.ts';
import type { Database } from '../database/database.ts';
import type { WriteInTurn } from '../http/write-turns.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { PictureQueue } from '../pictures/picture-queue.ts';
import type { PictureStore } from '../pictures/picture-store.ts';
import type { SignInRoom } from '../signin/room.ts';
import type { CatalogPicks } from './parts/pick.ts';

/** What the service gives the console. */
export interface ConsoleOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** `PUBLIC_URL` without a trailing slash. */
  readonly publicUrl: string;
  readonly signIn: SignInRoom;
  /** Sends invitations. */
  readonly mail: Mailer;
  readonly search: CardSearch;
  readonly pictures: PictureStore;
  readonly pictureQueue: PictureQueue;
  /** Null when `RATE_LIMITS=off`. */
  readonly rateLimits: Pick<RateLimits, 'console'> | null;
  /** True when webhooks may go to `http` and loopback hosts (`ALLOW_LOOPBACK_WEBHOOKS`). */
  readonly allowsLoopbackWebhooks: boolean;
  /** True for temporary faults, where the page says to try again (503). */
  readonly isUnavailable: (error: unknown) => boolean;
}

export interface ConsoleDeps extends ConsoleOptions {
  /** Searches the catalog for pickers. */
  readonly picks: CatalogPicks;
  readonly write: WriteInTurn;
}
