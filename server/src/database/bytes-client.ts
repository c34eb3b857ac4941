import { EventEmitter } from 'node:events';
import type { ConnectionConfig } from './engine.ts';
import { PrimaryClient } from './primary-client.ts';
import { RowCutter } from './row-cutter.ts';

/**
 * A client of `pg` that takes rows in the binary format as bytes. `pg` itself decodes each value as text before anyone
 * is asked, which a megabyte feels and a number does not survive. Everything else goes to `pg` as it came.
 */
export class BytesClient extends PrimaryClient {
  constructor(config?: ConnectionConfig) {
    super(config);
    const { connection } = this;
    if (!isListening(connection)) throw new Error('this version of pg attaches otherwise');
    const attach = connection.attachListeners.bind(connection);
    // Called when the stream is ready to be read, after TLS where there is any.
    connection.attachListeners = (stream): void => cutRows(connection, stream, attach);
  }
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
  // Before `pg` hears it: to it they are rows whose values need no copy of their own.
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
