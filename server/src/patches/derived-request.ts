import { IncomingMessage } from 'node:http';

export interface DerivedRequestOptions {
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  readonly body: Buffer | null;
}

/** oidc-provider takes only an `IncomingMessage`, whose constructor Node does not document. */
export class DerivedRequest extends IncomingMessage {
  constructor(raw: IncomingMessage, { headers, url, body }: DerivedRequestOptions) {
    super(raw.socket);
    this.method = raw.method;
    this.httpVersion = raw.httpVersion;
    this.httpVersionMajor = raw.httpVersionMajor;
    this.httpVersionMinor = raw.httpVersionMinor;
    this.headers = headers;
    this.url = url;
    if (body !== null) this.push(body);
    this.push(null);
    // Marks the request as fully read. Otherwise the end of this stream would close the connection.
    this.complete = true;
  }
}
