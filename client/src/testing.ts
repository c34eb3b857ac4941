import { fromBase64, toBase64 } from './base64.ts';
import { hmac, toHex, utf8 } from './hmac.ts';

/** What a notice for a test is made of; everything but the secret has a default. */
export interface NoticeToSign {
  /** The secret that your receiver knows: `whsec_` and base64. */
  readonly secret: string;
  /** The secret before, as in the 24 hours after a new registration; it signs `webhook-signature` only. */
  readonly previousSecret?: string;
  /** Members of the body that matter to your test. */
  readonly notice?: {
    readonly type?: string;
    readonly tenantId?: string;
    readonly connectionId?: string;
    readonly occurredAt?: string;
  };
  /** Whole seconds since 1970; now unless given. */
  readonly timestamp?: number;
  readonly eventId?: string;
  /** 1 unless given. */
  readonly attempt?: number;
}

/** A notice as it is sent. */
export interface SignedNotice {
  /** Send it as it is: the signature is of these bytes. */
  readonly body: string;
  readonly headers: Record<string, string>;
}

/**
 * A genuine notice, header for header as the service sends it, for the tests of your receiver:
 * `await fetch(url, { method: 'POST', ...(await signNotice({ secret })) })`.
 */
export async function signNotice(options: NoticeToSign): Promise<SignedNotice> {
  const { secret, previousSecret, notice = {}, attempt = 1 } = options;
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1_000));
  const eventId = options.eventId ?? crypto.randomUUID();
  const body = JSON.stringify({
    type: notice.type ?? 'inventory.changed',
    tenantId: notice.tenantId ?? crypto.randomUUID(),
    connectionId: notice.connectionId ?? crypto.randomUUID(),
    occurredAt: notice.occurredAt ?? new Date(Number(timestamp) * 1_000).toISOString(),
  });
  const house = await hmac(utf8(secret), utf8(`${timestamp}.${body}`));
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const standard = await Promise.all(
    secrets.map(async (one) => await standardSignature(one, `${eventId}.${timestamp}.${body}`)),
  );
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': `v1=${toHex(house)}`,
      'X-Service-Event-Id': eventId,
      'X-Service-Attempt': String(attempt),
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': standard.join(' '),
    },
  };
}

/** One signature of Standard Webhooks: the key is the bytes behind `whsec_`. */
async function standardSignature(secret: string, signed: string): Promise<string> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  return `v1,${toBase64(await hmac(key, utf8(signed)))}`;
}
