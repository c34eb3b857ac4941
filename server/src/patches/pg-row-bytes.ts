import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { RowCutter } from './row-cutter.ts';

/**
 * Lets a client that has not connected yet take rows in the binary format as bytes. `pg` decodes each value as UTF-8
 * first, in the binary format too: a number does not survive that (brianc/node-postgres#3495), and a page of the feed
 * takes 2.1 times the processor time (decision 0124). Everything else reaches `pg` as it came.
 *
 * @throws Error when this version of `pg` attaches its parser in another way.
 */
export function takeRowsAsBytes(client: pg.Client): void {
  const { connection } = client;
  if (!isListening(connection)) throw new Error('this version of pg attaches its parser otherwise');
  const attach = connection.attachListeners.bind(connection);
  // Called when the stream is ready to be read, after TLS where there is any.
  connection.attachListeners = (stream): void => cutRows(connection, stream, attach);
}

/** What `pg` is asked besides name, text and values. Neither its documentation nor its types name `binary`. */
export interface BinaryAnswer {
  readonly binary: true;
  readonly types: pg.CustomTypesConfig;
}

/** Asks for an answer in PostgreSQL's binary format, each column read as the number of its type says. */
export function binaryAnswer(readerOf: (type: number) => (value: Buffer) => unknown): BinaryAnswer {
  // Declared with one overload for each type that `pg` knows.
  return { binary: true, types: { getTypeParser: (type: number) => readerOf(type) } };
}

interface Listening extends EventEmitter {
  attachListeners(stream: EventEmitter): void;
}

function isListening(connection: object): connection is Listening {
  return 'attachListeners' in connection && typeof connection.attachListeners === 'function';
}

/** Puts a cutter between a connection's stream and the parser of `pg`. */
function cutRows(
  connection: Listening,
  stream: EventEmitter,
  attach: (stream: EventEmitter) => void,
): void {
  const relay = new EventEmitter();
  attach(relay);
  let isBinary = false;
  // Before `pg` hears it: to `pg` these are rows whose values need no copy.
  connection.prependListener('rowDescription', ({ fields }: RowDescription) => {
    isBinary = fields.some(({ format }) => format === 'binary');
    for (const field of fields) field.format = 'text';
  });
  const cutter = new RowCutter({
    wantsRows: () => isBinary,
    row: (fields) => connection.emit('dataRow', { name: 'dataRow', fields }),
    others: (bytes) => relay.emit('data', bytes),
  });
  stream.on('data', (bytes: Buffer) => cutter.take(bytes));
  stream.on('end', () => relay.emit('end'));
}

interface RowDescription {
  readonly fields: readonly { format: 'text' | 'binary' }[];
}
