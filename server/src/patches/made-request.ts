import { IncomingMessage } from 'node:http';

export interface MadeRequestOptions {
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  /** Null: none. */
  readonly body: Buffer | null;
}

/**
 * A request that was made from another: with other headers, another URL, and a body that is in memory. Node documents
 * `IncomingMessage` as something that its server makes; a library that takes a request takes nothing else.
 */
export class MadeRequest extends IncomingMessage {
  constructor(raw: IncomingMessage, { headers, url, body }: MadeRequestOptions) {
    super(raw.socket);
    this.method = raw.method;
    this.httpVersion = raw.httpVersion;
    this.httpVersionMajor = raw.httpVersionMajor;
    this.httpVersionMinor = raw.httpVersionMinor;
    this.headers = headers;
    this.url = url;
    if (body !== null) this.push(body);
    this.push(null);
    // Read whole: without it the end of the stream would close the connection.
    this.complete = true;
  }
}
