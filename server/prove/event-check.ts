import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** The details of its connection that a receiver knows. */
export interface Registration {
  readonly shopId: string;
  readonly connectionId: string;
  /** The secret that `PUT /webhook` returned. */
  readonly secret: string;
  readonly token: string;
}

/** A received delivery, and everything in it that violates the specification. */
export interface CheckedDelivery {
  readonly eventId: string;
  readonly attempt: number;
  /** Milliseconds since 1970, or NaN if the body has no `occurredAt`. */
  readonly occurredAtMs: number;
  readonly faults: readonly string[];
}

/** The time difference from which a delivery must be refused (spec 6). */
const TOLERANCE_SECONDS = 300;
const MEMBERS = 'connectionId,occurredAt,tenantId,type';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Checks a delivery as an app's developer would, with only the specification and the unmodified
 * `standardwebhooks` library. The function shares no code with the service.
 */
export function checkDelivery(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { shopId, connectionId, secret }: Registration,
): CheckedDelivery {
  const faults: string[] = [];
  const timestamp = single(headers['x-service-timestamp']);
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  if (single(headers['x-service-signature']) !== `v1=${hmac}`) faults.push('x-service-signature');
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || ageSeconds >= TOLERANCE_SECONDS) faults.push('timestamp');
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } catch (error) {
    faults.push(`standardwebhooks: ${String(error)}`);
  }
  if (single(headers['content-type']) !== 'application/json') faults.push('content type');
  const told = parseObject(body);
  if (Object.keys(told).toSorted().join() !== MEMBERS) faults.push('members of the body');
  if (told['type'] !== 'inventory.changed') faults.push('type');
  if (told['tenantId'] !== shopId) faults.push('tenantId');
  if (told['connectionId'] !== connectionId) faults.push('connectionId');
  const occurredAt = told['occurredAt'];
  if (typeof occurredAt !== 'string' || !INSTANT.test(occurredAt)) faults.push('occurredAt');
  const eventId = single(headers['x-service-event-id']);
  if (eventId === '' || single(headers['webhook-id']) !== eventId) faults.push('event id');
  const attempt = Number(single(headers['x-service-attempt']));
  if (!Number.isInteger(attempt) || attempt < 1) faults.push('attempt');
  const occurredAtMs = typeof occurredAt === 'string' ? Date.parse(occurredAt) : Number.NaN;
  return { eventId, attempt, occurredAtMs, faults };
}

function single(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
