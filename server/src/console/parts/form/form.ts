import { html } from 'hono/html';
import type { Markup } from '../../../pages/page.ts';
import { type ConsoleAnswer, showPage, type ShownPage } from '../../answer.ts';
import { linkButton, submitButton } from '../button.ts';
import { faultOf, faultSummary, type FormFault } from '../notes.ts';
import type { Visitor } from '../../visit.ts';
import {
  differingFields,
  type FieldsOf,
  fieldsOf,
  type Inputs,
  inputsOf,
  readFields,
} from './form-field.ts';
import { formMessages } from './messages.ts';

/** A page with a form that creates or changes one record. */
export interface Form<V> {
  readonly page: Pick<ShownPage, 'title' | 'section' | 'scripts'> & {
    /** Also the target of Cancel. */
    readonly back: { readonly href: string; readonly label: string };
  };
  readonly action: string;
  readonly fields: FieldsOf<V>;
  /** Hidden inputs. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly intro?: Markup;
  /** Default: "Save". */
  readonly submit?: string;
  /** Default: one field below another. */
  readonly layout?: (rendered: Readonly<Record<string, Markup>>) => Markup;
}

/** A submitted form with valid fields. */
export interface Edit<V> {
  readonly values: V;
  /**
   * Only what differs from the values the form was rendered with; other fields keep their current
   * value.
   */
  readonly change: Partial<V>;
  /** True when a concurrent edit gave a field of this change another value. */
  readonly isOvertaken: (now: V) => boolean;
}

/** The result of saving: where to go next, or why the form is shown again. */
export type Saved<V> =
  | ConsoleAnswer
  | { readonly kind: 'overtaken'; readonly now: V }
  /** `end` is rendered between the fields and the buttons. */
  | { readonly kind: 'refused'; readonly faults: readonly FormFault[]; readonly end?: Markup };

type Asked = Pick<Visitor, 'language' | 'form' | 'formToken'>;

interface FormState {
  readonly inputs: Inputs;
  /** The inputs when the record was read: a difference from them is the member's change. */
  readonly seen: Inputs;
  readonly faults: readonly FormFault[];
  readonly status: 200 | 409 | 422;
  readonly end?: Markup;
}

/** Shows a form with these values. */
export async function showForm<V extends object>(
  visitor: Asked,
  form: Form<V>,
  values: Partial<V>,
): Promise<ConsoleAnswer> {
  return await showInputs(visitor, form, inputsOf(form.fields, values));
}

/** Shows a form with these inputs. */
export async function showInputs<V extends object>(
  visitor: Asked,
  form: Form<V>,
  inputs: Inputs,
): Promise<ConsoleAnswer> {
  return await showState(visitor, form, { inputs, seen: inputs, faults: [], status: 200 });
}

/**
 * Handles a submitted form. It is shown again as typed when a field is invalid or `save` refuses it
 * (422). After a concurrent edit of the same fields it shows the other values too (409), and
 * submitting it again overwrites them.
 */
export async function answerForm<V extends object>(
  visitor: Asked,
  form: Form<V>,
  save: (edit: Edit<V>) => Promise<Saved<V>>,
): Promise<ConsoleAnswer> {
  const { fields } = form;
  const inputs = visitor.form;
  const seen = new Map(new URLSearchParams(inputs.get('seen')));
  const state = { inputs, seen, faults: [], status: 200 } as const;
  if (fieldsOf(fields).some(([, field]) => field.isAsking?.(inputs) === true)) {
    return await showState(visitor, form, state);
  }
  const faults: FormFault[] = [];
  const values = readFields(fields, inputs, (field, text) => void faults.push({ field, text }));
  if (values === null) return await showState(visitor, form, { ...state, faults, status: 422 });
  const { change, changed, overtakenBy } = compare(fields, values, seen);
  const isOvertaken = (now: V): boolean => overtakenBy(now).length > 0;
  const saved = await save({ values, change, isOvertaken });
  switch (saved.kind) {
    case 'refused': {
      const { end = html``, faults: refused } = saved;
      return await showState(visitor, form, { ...state, faults: refused, status: 422, end });
    }
    case 'overtaken': {
      const now = inputsOf(fields, saved.now);
      const told = await tellOvertaken(visitor, fields, overtakenBy(saved.now), { now, seen });
      const merged = withFields(inputs, now, fields, changed);
      const back = { inputs: merged, seen: now, faults: told, status: 409 } as const;
      return await showState(visitor, form, back);
    }
    default:
      return saved;
  }
}

interface Comparison<V> {
  readonly change: Partial<V>;
  /** The names of the fields that the member changed. */
  readonly changed: readonly string[];
  /** The names of those that a concurrent edit set to another value. */
  readonly overtakenBy: (now: V) => readonly string[];
}

function compare<V extends object>(fields: FieldsOf<V>, values: V, seen: Inputs): Comparison<V> {
  const typed = inputsOf(fields, values);
  const changed = differingFields(fields, typed, seen);
  const entries = Object.entries(values).filter(([name]) => changed.includes(name));
  return {
    // A subset of the entries of a `V`.
    change: Object.fromEntries(entries) as Partial<V>,
    changed,
    overtakenBy: (now) => {
      const held = inputsOf(fields, now);
      const theirs = differingFields(fields, held, seen);
      const apart = differingFields(fields, held, typed);
      return changed.filter((name) => theirs.includes(name) && apart.includes(name));
    },
  };
}

/** The submitted inputs of the fields that the member changed, the current ones of the others. */
function withFields(
  typed: Inputs,
  now: Inputs,
  fields: object,
  changed: readonly string[],
): Inputs {
  const inputs = new Map(typed);
  for (const [name, field] of fieldsOf(fields)) {
    if (changed.includes(name)) continue;
    for (const input of field.names(name)) inputs.set(input, now.get(input) ?? '');
  }
  return inputs;
}

/** For each field, a fault with its current value and the value that the member was shown. */
async function tellOvertaken(
  { language }: Asked,
  fields: object,
  names: readonly string[],
  { now, seen }: { readonly now: Inputs; readonly seen: Inputs },
): Promise<readonly FormFault[]> {
  const messages = formMessages[language];
  const told = fieldsOf(fields)
    .filter(([name]) => names.includes(name))
    .map(async ([name, field]) => {
      const [is, was] = await Promise.all([field.say(name, now), field.say(name, seen)]);
      const text = messages.now(field.label, is || messages.empty, was || messages.empty);
      return { field: field.names(name)[0] ?? name, text };
    });
  return [{ field: null, text: messages.overtaken }, ...(await Promise.all(told))];
}

async function showState<V extends object>(
  visitor: Asked,
  form: Form<V>,
  { inputs, seen, faults, status, end = html`` }: FormState,
): Promise<ConsoleAnswer> {
  const messages = formMessages[visitor.language];
  const shown = {
    inputs,
    textOf: (input: string): string => inputs.get(input) ?? '',
    faultOf: (input: string): string | null => faultOf(faults, input),
  };
  const rendered = await Promise.all(
    fieldsOf(form.fields).map(
      async ([name, field]) => [name, await field.render(name, shown)] as const,
    ),
  );
  const { page, action, submit = messages.save, layout = beneathEachOther } = form;
  const hidden = { ...form.hidden, seen: new URLSearchParams([...seen]).toString() };
  const content = html`${form.intro ?? ''}${faultSummary(messages.faults, faults)}
    <form class="sheet stack" method="post" action="${action}">
      ${visitor.formToken}
      ${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      ${layout(Object.fromEntries(rendered))} ${end}
      <div class="actions">
        ${submitButton(submit)}
        ${linkButton({ href: page.back.href, label: messages.cancel, kind: 'plain' })}
      </div>
    </form>`;
  return showPage({ ...page, content, status });
}

function beneathEachOther(rendered: Readonly<Record<string, Markup>>): Markup {
  return html`${Object.values(rendered)}`;
}
