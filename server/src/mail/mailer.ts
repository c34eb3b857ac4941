import { FairLimiter, type LimiterOptions } from '../base/fair-limiter.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export type SendResult =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'failed';
      /**
       * `invalid`: the address, subject or text. `busy`: too many mails are being sent. `rejected`:
       * the server replied 5xx. `unreachable`: the server or folder is unavailable.
       */
      readonly reason: 'invalid' | 'busy' | 'rejected' | 'unreachable';
      /** The error for the log, which may contain addresses. */
      readonly cause: unknown;
    };

export interface Mailer {
  /** `folder`: no mail server is set, and the operator must pass each mail on. */
  readonly kind: 'server' | 'folder';
  /** Sends a mail within at most a minute. Failures are returned, not thrown. */
  send(mail: Mail): Promise<SendResult>;
}

export type Deliver = (mail: Mail) => Promise<void>;

/** Enough for a shop that sends invitations one by one over a slow server. */
const BOUNDS: LimiterOptions = { bounds: [{ running: 4, waiting: 100 }], waitMsMax: 20_000 };
/** The maximum lengths in UTF-16 code units. The service's mails have a few hundred. */
const SUBJECT_LENGTH_MAX = 500;
const TEXT_LENGTH_MAX = 20_000;

export function boundedMailer(kind: Mailer['kind'], deliver: Deliver): Mailer {
  const limiter = new FairLimiter(BOUNDS);
  return {
    kind,
    async send(mail) {
      const problem = findMailProblem(mail);
      if (problem !== null) return { kind: 'failed', reason: 'invalid', cause: new Error(problem) };
      try {
        const done = await limiter.run([], async () => await deliver(mail));
        if (done === undefined) return { kind: 'failed', reason: 'busy', cause: null };
        return { kind: 'sent' };
      } catch (cause) {
        return { kind: 'failed', reason: isRejected(cause) ? 'rejected' : 'unreachable', cause };
      }
    },
  };
}

/** Finds header injection (CWE-93) and characters that turn one address into several (RFC 5322). */
function findMailProblem({ to, subject, text }: Mail): string | null {
  if (to.length > 254 || !/^[^\s@<>()[\]:;,"\\]+@[^\s@<>()[\]:;,"\\]+$/.test(to)) {
    return 'the address is not valid';
  }
  // oxlint-disable-next-line no-control-regex -- the pattern finds control characters
  const isLine = !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(`${to}${subject}`);
  if (!isLine || subject.length > SUBJECT_LENGTH_MAX) {
    return 'the subject must be one line of at most 500 characters';
  }
  return text.length > TEXT_LENGTH_MAX || text.includes('\0')
    ? 'the text must have at most 20,000 characters and no NUL byte'
    : null;
}

/** Returns true for an SMTP 5xx reply, which is permanent (RFC 5321 §4.2.1). */
function isRejected(error: unknown): boolean {
  return (
    error instanceof Error &&
    'responseCode' in error &&
    typeof error.responseCode === 'number' &&
    error.responseCode >= 500
  );
}
