import type pg from 'pg';
import { endsWithin } from '../base/ends-within.ts';
import { destroyConnection } from '../patches/pg-connection.ts';

// A stuck or unreachable server never confirms that a connection is closed.
const END_TIMEOUT_MS = 2_000;

/** Waits until `ended` settles, or calls `cut` after 2 s. Never throws. */
export async function waitOrCut(ended: Promise<unknown>, cut: () => void): Promise<void> {
  if (!(await endsWithin(ended, END_TIMEOUT_MS))) cut();
}

/** Ends the connection, and destroys its socket if that takes longer than 2 s. Never throws. */
export async function endClient(client: pg.Client): Promise<void> {
  await waitOrCut(client.end(), () => destroyConnection(client));
}
