/** A complete HTTP response. */
export interface HttpResponse {
  /** The request, for messages: `GET https://…/cards?search=x`. It never includes headers. */
  readonly request: string;
  readonly status: number;
  readonly body: Buffer;
  /** `body` decoded as UTF-8. */
  readonly text: string;
  /** All values of each header by its lower-case name, in the order received. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns a header's value, or null when it is absent. Several values are joined by `, ` (RFC 9110
 * §5.2).
 */
export function headerOf(response: HttpResponse, name: string): string | null {
  return response.headers.get(name.toLowerCase())?.join(', ') ?? null;
}
