import type pg from 'pg';
import { endsWithin } from '../base/ends-within.ts';
import { destroyConnection } from '../patches/pg-connection.ts';

/** A frozen or unreachable server never confirms the end. */
const END_TIMEOUT_MS = 2_000;

/** Calls `cut` after 2 s. Never throws. */
export async function endWithin(ended: Promise<unknown>, cut: () => void): Promise<void> {
  if (!(await endsWithin(ended, END_TIMEOUT_MS))) cut();
}

/** Destroys the connection's stream when its end takes longer than 2 s. Never throws. */
export async function endClient(client: pg.Client): Promise<void> {
  await endWithin(client.end(), () => destroyConnection(client));
}
