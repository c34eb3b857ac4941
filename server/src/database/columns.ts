import type { Field, Fields } from '../base/field.ts';
import { namesOf } from '../base/object-fields.ts';

/** A column as its migration declares it, without its constraints. */
export type ColumnDefinition =
  `${string} ${'uuid' | 'text' | 'bigint' | 'boolean' | 'timestamptz' | 'jsonb'}`;

/** A field that its object's row keeps in a column of its own. */
export interface KeptField<T> extends Field<T> {
  readonly column: ColumnDefinition;
}

/** The members of an object that its row keeps. */
export type KeptValues<F extends Fields> = {
  readonly [K in keyof F as F[K] extends KeptField<unknown> ? K : never]: F[K] extends Field<
    infer T
  >
    ? T
    : never;
};

/** The field, kept in a column. */
export function kept<T>(column: ColumnDefinition, field: Field<T>): KeptField<T> {
  return { ...field, column };
}

/** The columns of an object's kept fields, by the names of the fields. */
export function columnsOf<F extends Fields>(
  fields: F,
): Readonly<Record<keyof KeptValues<F> & string, ColumnDefinition>> {
  const columns = Object.entries(fields).flatMap(([name, field]) =>
    'column' in field ? [[name, field.column]] : [],
  );
  return Object.fromEntries(columns) as Record<keyof KeptValues<F> & string, ColumnDefinition>;
}

/**
 * Columns of a table, by the members of its rows. Every list that a statement needs of them, and the list of their
 * values, are in one order: no statement counts parameters.
 */
export class Columns<Row extends object> {
  /** The members that are kept in these columns. */
  readonly members: readonly (keyof Row & string)[];
  readonly #columns: Readonly<Record<keyof Row & string, ColumnDefinition>>;

  constructor(columns: Readonly<Record<keyof Row & string, ColumnDefinition>>) {
    this.members = namesOf(columns);
    this.#columns = columns;
  }

  /** `site_id, code`; of a table or alias, `s.site_id, s.code`. */
  names(of = ''): string {
    return this.#list((column) => dotted(of, column));
  }

  /** What a select makes the members of: `site_id as "siteId", code as "code"`. */
  select(of = ''): string {
    return this.#list((column, _type, member) => `${dotted(of, column)} as "${member}"`);
  }

  /** What an update sets: `site_id = excluded.site_id, code = excluded.code`. */
  set(from: string): string {
    return this.#list((column) => `${column} = ${from}.${column}`);
  }

  /** One parameter each: `$6::uuid, $7::text`. */
  parameters(first: number): string {
    return this.#list((_column, type, _member, index) => `$${first + index}::${type}`);
  }

  /** One parameter each for the values of many rows: `$6::uuid[], $7::text[]`. */
  arrayParameters(first: number): string {
    return this.#list((_column, type, _member, index) => `$${first + index}::${type}[]`);
  }

  /** The values out of the JSON of an object; `set.code` is the `code` of its `set`. */
  fromJson(of: string): string {
    return this.#list((_column, type, member) => {
      const [last = '', ...outer] = member.split('.').toReversed();
      const within = [of, ...outer.toReversed().map((name) => `'${name}'`)].join(' -> ');
      return type === 'jsonb' ? `${within} -> '${last}'` : `(${within} ->> '${last}')::${type}`;
    });
  }

  /** The values of a row, for `parameters`. */
  values(row: Row): unknown[] {
    return this.members.map((member) => row[member]);
  }

  /** The type of a member's column. */
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

function dotted(of: string, column: string): string {
  return of === '' ? column : `${of}.${column}`;
}
