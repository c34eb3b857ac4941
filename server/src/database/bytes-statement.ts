import { type BinaryResultFormat, binaryResultFormat } from '../patches/pg-row-bytes.ts';
import { Statement } from './statement.ts';

/** Results are binary: `text` is a Buffer of UTF-8, `bigint` a number. Other column types fail. */
export class BytesStatement<Row extends object> extends Statement<Row> {
  constructor(name: string, text: string) {
    super(name, text, 'pool');
  }
}

/** Declares a statement that returns long texts as bytes, to send them without decoding. */
export function bytesStatement<Row extends object>(name: string, text: string): Statement<Row> {
  return new BytesStatement(name, text);
}

export function resultFormatOf(statement: Statement<object>): BinaryResultFormat | undefined {
  return statement instanceof BytesStatement ? BINARY : undefined;
}

const INT8 = 20;
const TEXT_TYPE = 25;

function decoderFor(type: number): (value: Buffer) => Buffer | number {
  switch (type) {
    case INT8:
      return (value) => Number(value.readBigInt64BE());
    case TEXT_TYPE:
      return (value) => value;
    default:
      // Throw for each row, so that only this statement fails: a throw here would end the process.
      return () => {
        throw new Error(`a bytes statement cannot return a column of type ${type}`);
      };
  }
}

const BINARY = binaryResultFormat(decoderFor);
