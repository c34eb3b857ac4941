import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import type { Formatter } from '../format.ts';
import { badge, type Tone } from './badge.ts';
import { healthMessages } from './messages/apps.ts';

/** The health of an app. If several states apply, the app has the first one in this list. */
export type Health = 'disabled' | 'unapproved' | 'failing' | 'behind' | 'good' | 'not_connected';

export interface HealthFacts {
  readonly isEnabled: boolean;
  /** Null while the app is not connected. */
  readonly connection: {
    readonly connectedAt: Date;
    readonly isApproved: boolean;
    readonly lagChanges: number;
    readonly lastReadAt: Date | null;
    readonly failingSince: Date | null;
  } | null;
}

/**
 * An app is behind if it has unread changes and has not read the change feed for an hour. An app
 * that polls reads the feed every few minutes; an app with a webhook reads it within seconds.
 */
const BEHIND_AFTER_MS = 60 * 60_000;

const TONES: Readonly<Record<Health, Tone>> = {
  disabled: 'warn',
  unapproved: 'bad',
  failing: 'bad',
  behind: 'warn',
  good: 'good',
  not_connected: 'calm',
};

export function healthOf({ isEnabled, connection }: HealthFacts, now: Date): Health {
  if (!isEnabled) return 'disabled';
  if (connection === null) return 'not_connected';
  const { connectedAt, isApproved, lagChanges, lastReadAt, failingSince } = connection;
  if (!isApproved) return 'unapproved';
  if (failingSince !== null) return 'failing';
  const sinceMs = now.getTime() - (lastReadAt ?? connectedAt).getTime();
  return lagChanges > 0 && sinceMs >= BEHIND_AFTER_MS ? 'behind' : 'good';
}

export function healthBadge(health: Health, language: Language): Markup {
  return badge(healthMessages[language].names[health], TONES[health]);
}

/** Returns how far an app is behind, as text. */
export function lagText(
  { lagChanges, lastReadAt }: { readonly lagChanges: number; readonly lastReadAt: Date | null },
  { language, number }: Formatter,
): string {
  const messages = healthMessages[language];
  if (lagChanges === 0) return messages.upToDate;
  if (lastReadAt === null) return messages.neverRead(number(lagChanges));
  return messages.changesBehind(number(lagChanges), lagChanges);
}

/** Renders the time at which an app last read the change feed, or "never". */
export function lastReadText(lastReadAt: Date | null, format: Formatter): Markup {
  return lastReadAt === null
    ? html`${healthMessages[format.language].never}`
    : format.ago(lastReadAt);
}
