import { newId } from '../base/secrets.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** A trial: a notice that is sent now although nothing may have changed (decision 0003). */
export type TrialResult =
  /** The event id under which it arrives. */
  | { readonly kind: 'asked'; readonly eventId: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'connection_ended' | 'no_webhook' | 'app_disabled' };

interface TrialState {
  readonly isActive: boolean;
  readonly isEnabled: boolean;
  readonly hasWebhook: boolean;
}

export const readTrialState = statement<TrialState>(
  'read_trial_state',
  `select c.status = 'active' as "isActive", a.is_enabled and a.removed_at is null as "isEnabled",
          exists (
            select from webhook w
             where w.shop_id = c.shop_id and w.connection_id = c.connection_id and w.removed_at is null
          ) as "hasWebhook"
     from connection c
     join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
    where c.shop_id = $1 and c.connection_id = $2`,
);

// A notice that waits already is the trial: it keeps its id, and what was to come sooner still does. Within the pace it
// waits for its end, as everything. What has brought an attempt forward that is under way ends with it.
export const askForNotice = statement<{ readonly eventId: string }>(
  'ask_for_notice',
  `update webhook
      set event_id = coalesce(event_id, $3),
          early_at = least(case when not is_early then early_at end, $4), is_early = false
    where shop_id = $1 and connection_id = $2 and removed_at is null
   returning event_id as "eventId"`,
);

/**
 * Asks for a real notice of the connection, at once, at least 1 s after the attempt before. Asked again before it is
 * sent, it is the same one. A trial that fails takes no step on the retry table.
 */
export async function askForTrial(
  tx: Transaction,
  shopId: string,
  connectionId: string,
  now: Date,
): Promise<TrialResult> {
  const state = await tx.one(readTrialState, [shopId, connectionId]);
  if (state === undefined) return { kind: 'not_found' };
  if (!state.isActive) return { kind: 'connection_ended' };
  if (!state.hasWebhook) return { kind: 'no_webhook' };
  if (!state.isEnabled) return { kind: 'app_disabled' };
  const asked = await tx.one(askForNotice, [shopId, connectionId, newId(), now]);
  if (asked === undefined) return { kind: 'no_webhook' };
  await announce(tx, 'webhooks', shopId);
  return { kind: 'asked', eventId: asked.eventId };
}
