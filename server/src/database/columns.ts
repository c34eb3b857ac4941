import type { Field, Fields } from '../base/field.ts';
import { namesOf } from '../base/object-fields.ts';

/** The name and type of a column as the migration declares them, without constraints. */
export type ColumnDefinition =
  `${string} ${'uuid' | 'text' | 'bigint' | 'boolean' | 'timestamptz' | 'jsonb'}`;

export interface StoredField<T> extends Field<T> {
  readonly column: ColumnDefinition;
}

export type StoredValues<F extends Fields> = {
  readonly [K in keyof F as F[K] extends StoredField<unknown> ? K : never]: F[K] extends Field<
    infer T
  >
    ? T
    : never;
};

export function storedField<T>(column: ColumnDefinition, field: Field<T>): StoredField<T> {
  return { ...field, column };
}

export function columnsOf<F extends Fields>(
  fields: F,
): Readonly<Record<keyof StoredValues<F> & string, ColumnDefinition>> {
  const columns = Object.entries(fields).flatMap(([name, field]) =>
    'column' in field ? [[name, field.column]] : [],
  );
  return Object.fromEntries(columns) as Record<keyof StoredValues<F> & string, ColumnDefinition>;
}

/**
 * The columns of a table, keyed by the property names of a row object. Column lists, parameters and
 * values have the same order, so statements need not count parameters.
 */
export class Columns<Row extends object> {
  readonly members: readonly (keyof Row & string)[];
  readonly #columns: Readonly<Record<keyof Row & string, ColumnDefinition>>;

  constructor(columns: Readonly<Record<keyof Row & string, ColumnDefinition>>) {
    this.members = namesOf(columns);
    this.#columns = columns;
  }

  /** Returns `site_id, code`, or with the qualifier `s`, `s.site_id, s.code`. */
  names(qualifier = ''): string {
    return this.#list((column) => qualify(qualifier, column));
  }

  /** Returns `site_id as "siteId", code as "code"`. */
  select(qualifier = ''): string {
    return this.#list((column, _type, member) => `${qualify(qualifier, column)} as "${member}"`);
  }

  /** Returns `site_id = excluded.site_id, code = excluded.code` for an update. */
  set(from: string): string {
    return this.#list((column) => `${column} = ${from}.${column}`);
  }

  /** Returns `$6::uuid, $7::text`, numbered from `first`. */
  parameters(first: number): string {
    return this.#list((_column, type, _member, index) => `$${first + index}::${type}`);
  }

  /** Returns `$6::uuid[], $7::text[]`, for a statement over many rows. */
  arrayParameters(first: number): string {
    return this.#list((_column, type, _member, index) => `$${first + index}::${type}[]`);
  }

  /** Reads the columns from a JSON object, and a property `set.code` from its object `set`. */
  fromJson(qualifier: string): string {
    return this.#list((_column, type, member) => {
      const [last = '', ...outer] = member.split('.').toReversed();
      const within = [qualifier, ...outer.toReversed().map((name) => `'${name}'`)].join(' -> ');
      return type === 'jsonb' ? `${within} -> '${last}'` : `(${within} ->> '${last}')::${type}`;
    });
  }

  values(row: Row): unknown[] {
    return this.members.map((member) => row[member]);
  }

  typeOf(member: keyof Row & string): string {
    return this.#columns[member].split(' ')[1] ?? '';
  }

  #list(render: (column: string, type: string, member: string, index: number) => string): string {
    return this.members
      .map((member, index) => {
        const [column = '', type = ''] = this.#columns[member].split(' ');
        return render(column, type, member, index);
      })
      .join(', ');
  }
}

function qualify(qualifier: string, column: string): string {
  return qualifier === '' ? column : `${qualifier}.${column}`;
}
