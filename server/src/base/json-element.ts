/**
 * One element of a JSON file. `number` is the line where it begins; `ordinal` its place among the elements when others
 * stand before it on that line, else null. `refused`: this one is bad, the next may be good. `broken`: nothing can be
 * read after it; it is always the last.
 */
export type JsonElement =
  | {
      readonly kind: 'value';
      readonly number: number;
      readonly ordinal: number | null;
      readonly value: unknown;
    }
  | {
      readonly kind: 'refused';
      readonly number: number;
      readonly ordinal: number | null;
      readonly reason: string;
    }
  | {
      readonly kind: 'broken';
      readonly number: number;
      readonly reason: string;
      readonly cause: 'gzip' | 'too_large' | 'truncated' | 'not_json';
    };
