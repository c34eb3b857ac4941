import { KeyedLimiter } from '../base/keyed-limiter.ts';

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
       * `invalid`: not sent. `busy`: too many mails are being sent. `rejected`: SMTP 5xx.
       * `unreachable`: the server or folder cannot be used now.
       */
      readonly reason: 'invalid' | 'busy' | 'rejected' | 'unreachable';
      /** For the log; it may contain addresses. */
      readonly cause: unknown;
    };

export interface Mailer {
  /** Takes at most a minute. Failures are returned, not thrown. */
  send(mail: Mail): Promise<SendResult>;
}

export type Deliver = (mail: Mail) => Promise<void>;

/** A shop sends invitations one by one, and a server may be slow. */
const BOUNDS = { concurrency: 4, waitingMax: 100, waitMsMax: 20_000 };
/** UTF-16 code units; ours have some hundreds. */
const SUBJECT_LENGTH_MAX = 500;
const TEXT_LENGTH_MAX = 20_000;

export function boundedMailer(deliver: Deliver): Mailer {
  const limiter = new KeyedLimiter(BOUNDS);
  return {
    async send(mail) {
      const problem = findMailProblem(mail);
      if (problem !== null) return { kind: 'failed', reason: 'invalid', cause: new Error(problem) };
      try {
        const done = await limiter.run('mail', async () => await deliver(mail));
        if (done === undefined) return { kind: 'failed', reason: 'busy', cause: null };
        return { kind: 'sent' };
      } catch (cause) {
        return { kind: 'failed', reason: isRejected(cause) ? 'rejected' : 'unreachable', cause };
      }
    },
  };
}

/** Header injection (CWE-93), or specials that make several addresses of one (RFC 5322). */
function findMailProblem({ to, subject, text }: Mail): string | null {
  if (to.length > 254 || !/^[^\s@<>()[\]:;,"\\]+@[^\s@<>()[\]:;,"\\]+$/.test(to)) {
    return 'the address is not valid';
  }
  // oxlint-disable-next-line no-control-regex -- the range is what is looked for
  const isLine = !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(`${to}${subject}`);
  if (!isLine || subject.length > SUBJECT_LENGTH_MAX) return 'the subject must be a single line';
  return text.length > TEXT_LENGTH_MAX || text.includes('\0') ? 'the text is empty' : null;
}

/** RFC 5321 §4.2.1: 5xx is permanent. */
function isRejected(error: unknown): boolean {
  return (
    error instanceof Error &&
    'responseCode' in error &&
    typeof error.responseCode === 'number' &&
    error.responseCode >= 500
  );
}
