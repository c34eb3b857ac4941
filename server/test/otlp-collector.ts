import { createServer, type IncomingHttpHeaders } from 'node:http';

/** A span as the collector received it. Ids are hexadecimal. A root span has an empty parent id. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** The span kind as in the protocol: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The status code of the span. 2 means error. */
  readonly status: number;
  readonly statusMessage: string;
  readonly resource: Readonly<Record<string, string | number>>;
}

/** A receiver of OTLP over HTTP on 127.0.0.1. */
export interface OtlpCollector extends AsyncDisposable {
  /** The URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }[];
}

/** Starts a collector. If `respond` is false, requests get no response. */
export async function startOtlpCollector(port = 0, respond = true): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpCollector['requests'][number][] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      spans.push(...readSpans(body));
      if (respond) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Parses an `ExportTraceServiceRequest` of opentelemetry/proto/collector/trace/v1. */
function readSpans(body: Buffer): ReceivedSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1).map((one) => readAttributes(one, 1))[0] ?? {};
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => {
        const [status = Buffer.alloc(0)] = messages(span, 15);
        return {
          traceId: bytesOf(span, 1).toString('hex'),
          spanId: bytesOf(span, 2).toString('hex'),
          parentSpanId: bytesOf(span, 4).toString('hex'),
          name: bytesOf(span, 5).toString(),
          kind: numberOf(span, 6),
          attributes: readAttributes(span, 9),
          status: numberOf(status, 3),
          statusMessage: bytesOf(status, 2).toString(),
          resource,
        };
      });
  });
}

function readAttributes(message: Buffer, number: number): Record<string, string | number> {
  const entries = messages(message, number).map((attribute) => {
    const value = bytesOf(attribute, 2);
    const text = messages(value, 1)[0]?.toString();
    return [bytesOf(attribute, 1).toString(), text ?? numberOf(value, 3)] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns all values of a field that is a message, a string or bytes. */
function messages(message: Buffer, number: number): Buffer[] {
  return fieldsOf(message).flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  );
}

function bytesOf(message: Buffer, number: number): Buffer {
  return messages(message, number)[0] ?? Buffer.alloc(0);
}

function numberOf(message: Buffer, number: number): number {
  const field = fieldsOf(message).find((each) => each.number === number);
  return typeof field?.value === 'number' ? field.value : 0;
}

interface Field {
  readonly number: number;
  readonly value: Buffer | number;
}

/** Parses the fields of a message. @see https://protobuf.dev/programming-guides/encoding/ */
function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = readVarint();
    const number = Math.floor(tag / 8);
    const type = tag & 7;
    if (type === 0) {
      fields.push({ number, value: readVarint() });
      continue;
    }
    const length = type === 2 ? readVarint() : type === 1 ? 8 : 4;
    fields.push({ number, value: message.subarray(at, at + length) });
    at += length;
  }
  return fields;
}
