import { newId } from '../base/secrets.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** A test delivery is an event sent now even if nothing has changed (decision 0003). */
export type TestDeliveryResult =
  | { readonly kind: 'requested'; readonly eventId: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'connection_ended' | 'no_webhook' | 'app_disabled' };

interface TestDeliveryState {
  readonly isActive: boolean;
  readonly isEnabled: boolean;
  readonly hasWebhook: boolean;
}

export const selectTestDeliveryState = statement<TestDeliveryState>(
  'select_test_delivery_state',
  `select c.status = 'active' as "isActive", a.is_enabled and a.removed_at is null as "isEnabled",
          exists (
            select from webhook w
             where w.shop_id = c.shop_id and w.connection_id = c.connection_id and w.removed_at is null
          ) as "hasWebhook"
     from connection c
     join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
    where c.shop_id = $1 and c.connection_id = $2`,
);

// An event that is already waiting becomes the test delivery and keeps its id. An earlier time
// stays, unless it is the `early_at` of an early attempt that is in progress.
export const scheduleTestDelivery = statement<{ readonly eventId: string }>(
  'schedule_test_delivery',
  `update webhook
      set event_id = coalesce(event_id, $3),
          early_at = least(case when not is_early then early_at end, $4), is_early = false
    where shop_id = $1 and connection_id = $2 and removed_at is null
   returning event_id as "eventId"`,
);

/**
 * Schedules an event for now, or for 1 s after the previous attempt. Until it is sent, another
 * request returns the same event. A failed test delivery does not advance the retry schedule.
 */
export async function requestTestDelivery(
  tx: Transaction,
  shopId: string,
  connectionId: string,
  now: Date,
): Promise<TestDeliveryResult> {
  const state = await tx.one(selectTestDeliveryState, [shopId, connectionId]);
  if (state === undefined) return { kind: 'not_found' };
  if (!state.isActive) return { kind: 'connection_ended' };
  if (!state.hasWebhook) return { kind: 'no_webhook' };
  if (!state.isEnabled) return { kind: 'app_disabled' };
  const requested = await tx.one(scheduleTestDelivery, [shopId, connectionId, newId(), now]);
  if (requested === undefined) return { kind: 'no_webhook' };
  await announce(tx, 'webhooks', shopId);
  return { kind: 'requested', eventId: requested.eventId };
}
