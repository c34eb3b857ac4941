import type pg from 'pg';
import { endsWithin } from '../base/ends-within.ts';
import { destroyConnection } from '../patches/pg-connection.ts';

// A stuck or unreachable server never confirms that a connection is closed.
const END_TIMEOUT_MS = 2_000;

/** Waits until `ended` settles, or calls `force` after 2 s. Never throws. */
export async function waitOrForce(ended: Promise<unknown>, force: () => void): Promise<void> {
  if (!(await endsWithin(ended, END_TIMEOUT_MS))) force();
}

export async function closeClient(client: pg.Client): Promise<void> {
  await waitOrForce(client.end(), () => destroyConnection(client));
}
