import { type BinaryAnswer, binaryAnswer } from '../patches/pg-row-bytes.ts';
import { Statement } from './statement.ts';

/**
 * A statement whose answer comes in PostgreSQL's binary format, so that long texts reach the caller as they came off the
 * wire: `text` is a Buffer of UTF-8, `bigint` a number. It fails with values of other types.
 */
export class BytesStatement<Row extends object> extends Statement<Row> {
  constructor(name: string, text: string) {
    super(name, text, 'pool');
  }
}

/** Declares a statement for texts that are passed on and not looked at: a megabyte is neither decoded nor encoded. */
export function bytesStatement<Row extends object>(name: string, text: string): Statement<Row> {
  return new BytesStatement(name, text);
}

/** How the answer to a statement is to come. */
export function answerFormatOf(statement: Statement<object>): BinaryAnswer | undefined {
  return statement instanceof BytesStatement ? BINARY : undefined;
}

/** The types' numbers in PostgreSQL's catalog (pg_type). */
const INT8 = 20;
const TEXT_TYPE = 25;

function readerOf(type: number): (value: Buffer) => Buffer | number {
  switch (type) {
    case INT8:
      return (value) => Number(value.readBigInt64BE());
    case TEXT_TYPE:
      return (value) => value;
    default:
      // Thrown here it would end the process; thrown from a row it fails the statement.
      return () => {
        throw new Error(`a statement of bytes with a column of type ${type}`);
      };
  }
}

const BINARY = binaryAnswer(readerOf);
