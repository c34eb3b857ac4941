import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { RateLimits } from '../base/rate-limits.ts';
import type { CardSearch } from '../catalog/card-search.ts';
import type { Database } from '../database/database.ts';
import type { LimitedWrite } from '../http/write-limiter.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { DecodeQueue } from '../images/decode-queue.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { SignInServices } from '../sign-in/services.ts';
import type { CatalogLookup } from './parts/catalog-lookup.ts';

/** The services and settings that the process passes to the console. */
export interface ConsoleOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** `PUBLIC_URL` without a trailing slash. */
  readonly publicUrl: string;
  readonly signIn: SignInServices;
  /** Sends invitations. */
  readonly mail: Mailer;
  readonly search: CardSearch;
  readonly images: ImageStore;
  readonly decodeQueue: DecodeQueue;
  /** `SHOP_UNITS_MAX` */
  readonly shopUnitsMax: number;
  /** Null when `RATE_LIMITS=off`. */
  readonly rateLimits: Pick<RateLimits, 'console'> | null;
  /** True when webhooks may use `http` and loopback hosts (`ALLOW_LOOPBACK_WEBHOOKS`). */
  readonly allowsLoopbackWebhooks: boolean;
  /** True for temporary faults. The page then asks the person to try again (503). */
  readonly isUnavailable: (error: unknown) => boolean;
}

export interface ConsoleDeps extends ConsoleOptions {
  readonly catalogLookup: CatalogLookup;
  readonly write: LimitedWrite;
}
