import type pg from 'pg';
import { endsWithin } from '../base/ends-within.ts';
import { destroyConnection } from '../patches/pg-connection.ts';

/** Longest wait for a connection to end: a frozen or unreachable server never confirms it. */
const END_TIMEOUT_MS = 2_000;

/** Waits for `ended`, at most 2 s; then it calls `cut`. Never throws. */
export async function endWithin(ended: Promise<unknown>, cut: () => void): Promise<void> {
  if (!(await endsWithin(ended, END_TIMEOUT_MS))) cut();
}

/**
 * Ends a connection properly, or destroys its stream when that takes longer than 2 s. Never throws.
 */
export async function endClient(client: pg.Client): Promise<void> {
  await endWithin(client.end(), () => destroyConnection(client));
}
