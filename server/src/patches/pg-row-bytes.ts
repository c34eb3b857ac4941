import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { RowExtractor } from './row-extractor.ts';

/**
 * Call this before the client connects. `pg` decodes every value as UTF-8, which corrupts binary
 * numbers (brianc/node-postgres#3495) and doubles a feed page's processor time (decision 0124).
 *
 * @throws Error if this version of `pg` attaches its parser differently
 */
export function receiveRowsAsBytes(client: pg.Client): void {
  const { connection } = client;
  if (!isListening(connection)) {
    throw new Error('this version of pg attaches its parser in a different way');
  }
  const attach = connection.attachListeners.bind(connection);
  // `pg` calls this function when the stream is ready, which is after the TLS handshake, if any.
  connection.attachListeners = (stream): void => interceptRows(connection, stream, attach);
}

/** The query options for binary results. The documentation and types of `pg` omit `binary`. */
export interface BinaryResultFormat {
  readonly binary: true;
  readonly types: pg.CustomTypesConfig;
}

export function binaryResultFormat(
  decoderFor: (type: number) => (value: Buffer) => unknown,
): BinaryResultFormat {
  // `pg` declares one overload per known type, so the function needs an explicit parameter type.
  return { binary: true, types: { getTypeParser: (type: number) => decoderFor(type) } };
}

interface Listening extends EventEmitter {
  attachListeners(stream: EventEmitter): void;
}

function isListening(connection: object): connection is Listening {
  return 'attachListeners' in connection && typeof connection.attachListeners === 'function';
}

function interceptRows(
  connection: Listening,
  stream: EventEmitter,
  attach: (stream: EventEmitter) => void,
): void {
  const relay = new EventEmitter();
  attach(relay);
  let isBinary = false;
  // This runs before the listener of `pg`, which copies no values if the format is `text`.
  connection.prependListener('rowDescription', ({ fields }: RowDescription) => {
    isBinary = fields.some(({ format }) => format === 'binary');
    for (const field of fields) field.format = 'text';
  });
  const extractor = new RowExtractor({
    wantsRows: () => isBinary,
    onRow: (fields) => connection.emit('dataRow', { name: 'dataRow', fields }),
    onOtherBytes: (bytes) => relay.emit('data', bytes),
  });
  stream.on('data', (bytes: Buffer) => extractor.push(bytes));
  stream.on('end', () => relay.emit('end'));
}

interface RowDescription {
  readonly fields: readonly { format: 'text' | 'binary' }[];
}
