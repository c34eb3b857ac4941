/** An HTTP answer with everything that a rule may speak of. */
export interface Answer {
  /** What was asked, for messages: `GET https://…/cards?search=x`. Never a header. */
  readonly request: string;
  readonly status: number;
  readonly body: Buffer;
  /** `body` as UTF-8. */
  readonly text: string;
  /** Every value of a header by its name in lower case, in the order of the wire. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

/** The one value of a header, null when it is absent; several are joined by `, ` (RFC 9110 §5.2). */
export function headerOf(answer: Answer, name: string): string | null {
  return answer.headers.get(name.toLowerCase())?.join(', ') ?? null;
}
