import { type Fields, type Members, parseMembers } from '../base/field.ts';
import type { Emulation } from './emulation.ts';

/** A call that refers to something unknown or cannot be carried out. The response is 422. */
export interface Unprocessable {
  readonly kind: 'unprocessable';
  readonly detail: string;
}

/** The result of a call. If it is `unprocessable`, nothing was done. */
export type AdminResult =
  | { readonly kind: 'done'; readonly json: object }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly detail: string }
  | Unprocessable;

/** A call is a POST with a JSON object. The body may be omitted if all members are optional. */
export interface AdminCall {
  /** The path below `/emulator/`. */
  readonly path: string;
  /** A sentence for the help text. */
  readonly summary: string;
  /** The members of the body for the help text. Optional members have `?`. */
  readonly body: string;
  run(emulation: Emulation, body: unknown): Promise<AdminResult>;
}

export interface AdminCallDefinition<F extends Fields> {
  readonly path: string;
  readonly summary: string;
  readonly fields: F;
  readonly required?: readonly (keyof F & string)[];
  run(emulation: Emulation, members: Members<F>): Promise<AdminResult> | AdminResult;
}

/** Defines a call. Its members are parsed before the call runs; unknown members are refused. */
export function adminCall<F extends Fields>(definition: AdminCallDefinition<F>): AdminCall {
  const required: readonly string[] = definition.required ?? [];
  const names = Object.keys(definition.fields);
  const shown = names.map((name) => (required.includes(name) ? name : `${name}?`));
  return {
    path: definition.path,
    summary: definition.summary,
    body: names.length === 0 ? '' : `{${shown.join(', ')}}`,
    run: async (emulation, body) => {
      const reading = parseMembers(definition.fields, body, 'refuse');
      if (!reading.ok) {
        return { kind: reading.isReference ? 'unprocessable' : 'refused', detail: reading.problem };
      }
      const missing = required.find((name) => Reflect.get(reading.value, name) === undefined);
      if (missing !== undefined) return { kind: 'refused', detail: `${missing} is missing.` };
      return await definition.run(emulation, reading.value);
    },
  };
}

export function successResult(json: object): AdminResult {
  return { kind: 'done', json };
}
