import { type BinaryResultFormat, binaryResultFormat } from '../patches/pg-row-bytes.ts';
import { Statement } from './statement.ts';

/**
 * A statement with results in PostgreSQL's binary format, so that long texts reach the caller
 * undecoded: `text` is a Buffer of UTF-8, `bigint` a number. It fails for other types.
 */
export class BytesStatement<Row extends object> extends Statement<Row> {
  constructor(name: string, text: string) {
    super(name, text, 'pool');
  }
}

/** For texts that are passed on unread: a megabyte is neither decoded nor encoded. */
export function bytesStatement<Row extends object>(name: string, text: string): Statement<Row> {
  return new BytesStatement(name, text);
}

export function resultFormatOf(statement: Statement<object>): BinaryResultFormat | undefined {
  return statement instanceof BytesStatement ? BINARY : undefined;
}

/** Type OIDs of PostgreSQL (pg_type). */
const INT8 = 20;
const TEXT_TYPE = 25;

function decoderFor(type: number): (value: Buffer) => Buffer | number {
  switch (type) {
    case INT8:
      return (value) => Number(value.readBigInt64BE());
    case TEXT_TYPE:
      return (value) => value;
    default:
      // Throwing here would end the process; throwing from a row fails the statement.
      return () => {
        throw new Error(`a statement of bytes with a column of type ${type}`);
      };
  }
}

const BINARY = binaryResultFormat(decoderFor);
