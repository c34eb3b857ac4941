import type pg from 'pg';
import { endsWithin } from '../base/ends-within.ts';
import { cutConnection } from '../patches/pg-connection.ts';

/** Longest wait for a connection's end: a server that is frozen, or cut off, never says goodbye. */
const END_TIMEOUT_MS = 2_000;

/** Waits until `ended`; when that takes longer than 2 s it calls `cut` and waits no longer. Never throws. */
export async function endWithin(ended: Promise<unknown>, cut: () => void): Promise<void> {
  if (!(await endsWithin(ended, END_TIMEOUT_MS))) cut();
}

/** Ends a connection: with a goodbye, or by destroying its stream when that is not answered within 2 s. Never throws. */
export async function endClient(client: pg.Client): Promise<void> {
  await endWithin(client.end(), () => cutConnection(client));
}
