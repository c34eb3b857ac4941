import { DeliveryWorker } from './delivery-worker.ts';
import type { Delivery, DeliveryDeps } from './delivery-terms.ts';

export type { Delivery, DeliveryMeters, DeliveryOptions, DeliveryState } from './delivery-terms.ts';

/** Begins to send notices (decision 0104). */
export function startDelivery(deps: DeliveryDeps): Delivery {
  const worker = new DeliveryWorker(deps);
  const hear = (topic: string, shopId: string): void => {
    if (topic === 'stock' || topic === 'access' || topic === 'webhooks') worker.wake(shopId);
  };
  deps.db.onAnnounced(hear);
  deps.channel.subscribe('stock', (shopId) => worker.wake(shopId));
  deps.channel.subscribe('access', (shopId) => worker.wake(shopId));
  deps.channel.subscribe('webhooks', (shopId) => worker.wake(shopId));
  deps.channel.onReset(() => worker.wakeAll());
  worker.start();
  return worker;
}
