import type { AttemptError } from '../webhooks/attempt.ts';

/** A failure that Cardport raised: by the address guard, by a limit, or by aborting the attempt. */
export class AttemptFault extends Error {
  readonly kind: AttemptError;

  constructor(kind: AttemptError, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AttemptFault';
    this.kind = kind;
  }
}

/** Classifies an error raised while connecting, either before or during the TLS handshake. */
export function toConnectFault(error: unknown, isHandshake: boolean): AttemptFault {
  if (error instanceof AttemptFault) return error;
  const codes = errorCodesOf(error);
  const cause = { cause: error };
  if (isHandshake) {
    const isReset = codes.some((code) => RESET_CODES.has(code));
    return new AttemptFault(
      isReset ? 'reset' : 'tls',
      'the TLS connection could not be established',
      cause,
    );
  }
  const isTimeout = codes.includes('ETIMEDOUT');
  return new AttemptFault(
    isTimeout ? 'timeout' : 'connect',
    'the connection could not be established',
    cause,
  );
}

/** Classifies an error on an open connection. Anything but a network error is `protocol`. */
export function classifyExchangeError(error: unknown): AttemptError {
  if (error instanceof AttemptFault) return error.kind;
  const [code = ''] = errorCodesOf(error);
  if (code === 'UND_ERR_SOCKET') return isSocketClosed(error) ? 'reset' : 'protocol';
  if (code === 'ETIMEDOUT') return 'timeout';
  if (RESET_CODES.has(code)) return 'reset';
  // A receiver may send a TLS alert after the handshake, if it requires a client certificate.
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls';
  return 'protocol';
}

const RESET_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ERR_STREAM_DESTROYED',
]);

/** undici uses one code for a closed socket and for a response that it rejects, such as 101. */
function isSocketClosed(error: unknown): boolean {
  return error instanceof Error && /closed|destroyed/.test(error.message);
}

function errorCodesOf(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap((each) => errorCodesOf(each));
  if (!(error instanceof Error) || !('code' in error)) return [];
  return typeof error.code === 'string' ? [error.code] : [];
}
