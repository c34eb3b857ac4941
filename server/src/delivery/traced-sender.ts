import type { SpanAttributes, Tracing } from '../base/tracing.ts';
import type { AttemptResult, SignedRequest, WebhookSender } from '../webhooks/attempt.ts';

/**
 * The receiver is a third party, so it gets no `traceparent`, and the path and query of its URL,
 * which may contain a secret, are not recorded (decision 0231).
 */
export function traceSender(sender: WebhookSender, tracing: Tracing): WebhookSender {
  return {
    send: async (request, signal) => {
      const attributes = attributesOf(request);
      const span = tracing.startSpan({ kind: 'client', name: 'POST', attributes });
      const result = await sender.send(request, signal);
      const { status } = result;
      span.end(errorTypeOf(result), status === null ? {} : { 'http.response.status_code': status });
      return result;
    },
    close: async () => await sender.close(),
  };
}

function attributesOf({ url, headers }: SignedRequest): SpanAttributes {
  const target = URL.parse(url);
  const attempt = Number(headers['X-Service-Attempt']);
  return {
    'http.request.method': 'POST',
    ...(target === null ? {} : addressOf(target)),
    ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
    'cardport.webhook.event_id': headers['webhook-id'] ?? '',
  };
}

function addressOf({ hostname, port, protocol }: URL): SpanAttributes {
  const scheme = protocol.slice(0, -1);
  const byDefault = scheme === 'https' ? 443 : 80;
  return {
    'server.address': hostname.replace(/^\[(.*)\]$/, '$1'),
    'server.port': port === '' ? byDefault : Number(port),
    'url.scheme': scheme,
  };
}

function errorTypeOf(result: AttemptResult): string | null {
  if (result.kind === 'delivered') return null;
  return result.error === 'status' ? String(result.status) : result.error;
}
