import { type Fields, type Members, readMembers } from '../base/field.ts';
import type { Emulation } from './emulation.ts';

/** What a call names cannot be found, or cannot be done: 422, with a sentence for the developer. */
export interface Unfit {
  readonly kind: 'unfit';
  readonly detail: string;
}

/** What a call did: what is answered, or why it did nothing. */
export type AdminResult =
  | { readonly kind: 'done'; readonly json: object }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly detail: string }
  | Unfit;

/** A call of the admin address: POST with a JSON object, or with nothing where every member may be left out. */
export interface AdminCall {
  /** Below `/emulator/`. */
  readonly path: string;
  /** One sentence for the help. */
  readonly summary: string;
  /** The members as the help shows them, optional ones with `?`. */
  readonly body: string;
  run(emulation: Emulation, body: unknown): Promise<AdminResult>;
}

/** What a call is made of. */
export interface AdminCallTerms<F extends Fields> {
  readonly path: string;
  readonly summary: string;
  readonly fields: F;
  readonly required?: readonly (keyof F & string)[];
  run(emulation: Emulation, members: Members<F>): Promise<AdminResult> | AdminResult;
}

/** A call that reads its members before it runs; unknown ones are refused. */
export function adminCall<F extends Fields>(terms: AdminCallTerms<F>): AdminCall {
  const required: readonly string[] = terms.required ?? [];
  const names = Object.keys(terms.fields);
  const shown = names.map((name) => (required.includes(name) ? name : `${name}?`));
  return {
    path: terms.path,
    summary: terms.summary,
    body: names.length === 0 ? '' : `{${shown.join(', ')}}`,
    run: async (emulation, body) => {
      const reading = readMembers(terms.fields, body, 'refuse');
      if (!reading.ok) {
        return { kind: reading.isReference ? 'unfit' : 'refused', detail: reading.fault };
      }
      const missing = required.find((name) => Reflect.get(reading.value, name) === undefined);
      if (missing !== undefined) return { kind: 'refused', detail: `${missing} is missing.` };
      return await terms.run(emulation, reading.value);
    },
  };
}

/** What a call did, as its answer. */
export function done(json: object): AdminResult {
  return { kind: 'done', json };
}
