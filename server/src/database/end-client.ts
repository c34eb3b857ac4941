import type pg from 'pg';

/** Longest wait for a connection's end: a server that is frozen, or cut off, never says goodbye. */
const END_TIMEOUT_MS = 2_000;

/** Waits until `ended`; when that takes longer than 2 s it calls `cut` and waits no longer. Never throws. */
export async function endWithin(ended: Promise<unknown>, cut: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      cut();
      resolve();
    }, END_TIMEOUT_MS);
  });
  // However the connection ends, it is gone afterwards.
  await Promise.race([ended.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Ends a connection: with a goodbye, or by destroying its stream when that is not answered within 2 s. Never throws. */
export async function endClient(client: pg.Client): Promise<void> {
  await endWithin(client.end(), () => client.connection.stream.destroy());
}
