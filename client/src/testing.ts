import { fromBase64, toBase64 } from './base64.ts';
import { computeHmac, toHex, encodeUtf8 } from './hmac.ts';

/** The contents of a test notice. Everything but the secret has a default. */
export interface NoticeToSign {
  /** The secret of your receiver: `whsec_` and base64. */
  readonly secret: string;
  /** Also signs `webhook-signature`, as the service does for 24 hours after a new registration. */
  readonly previousSecret?: string;
  readonly notice?: {
    readonly type?: string;
    readonly tenantId?: string;
    readonly connectionId?: string;
    readonly occurredAt?: string;
  };
  /** Seconds since the Unix epoch, as an integer. Defaults to now. */
  readonly timestamp?: number;
  readonly eventId?: string;
  /** The number of the attempt. Defaults to 1. */
  readonly attempt?: number;
}

export interface SignedNotice {
  /** Send the body unchanged: the signature covers these bytes. */
  readonly body: string;
  readonly headers: Record<string, string>;
}

/**
 * Creates a signed notice with the service's headers, for tests of your receiver: `await fetch(url,
 * { method: 'POST', ...(await signNotice({ secret })) })`.
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
  const serviceSignature = await computeHmac(
    encodeUtf8(secret),
    encodeUtf8(`${timestamp}.${body}`),
  );
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const standard = await Promise.all(
    secrets.map(async (one) => await standardSignature(one, `${eventId}.${timestamp}.${body}`)),
  );
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': `v1=${toHex(serviceSignature)}`,
      'X-Service-Event-Id': eventId,
      'X-Service-Attempt': String(attempt),
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': standard.join(' '),
    },
  };
}

/** Returns a Standard Webhooks signature. The key is the decoded part after `whsec_`. */
async function standardSignature(secret: string, signed: string): Promise<string> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  return `v1,${toBase64(await computeHmac(key, encodeUtf8(signed)))}`;
}
