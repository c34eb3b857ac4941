import { createHmac } from 'node:crypto';
import type { Break, WireRequest } from './break.ts';

/**
 * The headers that differ between two attempts, because each attempt has its own time and
 * signature.
 */
const OWN = ['x-service-timestamp', 'x-service-signature'] as const;

/** The first attempt of each event, by event id. */
const firstAttempts = new Map<string, WireRequest>();

function withHeaders(notice: WireRequest, headers: WireRequest['headers']): WireRequest {
  return { ...notice, headers: { ...notice.headers, ...headers } };
}

/** Violations of the rules for retries (decision 7). */
export const attemptBreaks: readonly Break[] = [
  {
    name: 'retry-as-it-was',
    clause: 'D7',
    wrong: 'sends a retry with the timestamp and signature of the first attempt',
    caughtBy: ['D7-retry'],
    notice: (notice) => {
      const id = String(notice.headers['x-service-event-id']);
      const first = firstAttempts.get(id) ?? notice;
      firstAttempts.set(id, first);
      return withHeaders(
        notice,
        Object.fromEntries(OWN.map((name) => [name, first.headers[name] ?? ''])),
      );
    },
  },
  {
    name: 'retry-not-signed',
    clause: 'D7',
    wrong: 'signs the first attempt only',
    caughtBy: ['D7-retry'],
    notice: (notice) =>
      notice.headers['x-service-attempt'] === '1'
        ? notice
        : withHeaders(notice, { 'x-service-signature': `v1=${'0'.repeat(64)}` }),
  },
  {
    name: 'another-id-each-attempt',
    clause: 'D7',
    wrong: 'gives each attempt a different `webhook-id`, with a correct signature',
    caughtBy: ['D7-retry'],
    notice: (notice, memory) => {
      const { headers, body } = notice;
      const id = `${String(headers['webhook-id'])}-${String(headers['x-service-attempt'])}`;
      const key = Buffer.from(String(memory.get('secret')).replace('whsec_', ''), 'base64');
      const signature = createHmac('sha256', key)
        .update(`${id}.${String(headers['webhook-timestamp'])}.${body.toString()}`)
        .digest('base64');
      return withHeaders(notice, { 'webhook-id': id, 'webhook-signature': `v1,${signature}` });
    },
  },
  {
    name: 'previous-secret-dropped',
    clause: 'D7',
    wrong: 'signs only with the new secret after the secret was replaced',
    caughtBy: ['D7-previous-secret'],
    notice: (notice) =>
      withHeaders(notice, {
        'webhook-signature': String(notice.headers['webhook-signature']).split(' ')[0] ?? '',
      }),
  },
];
