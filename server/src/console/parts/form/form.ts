import { html } from 'hono/html';
import type { Markup } from '../../../html/page.ts';
import { type ConsoleResponse, showPage, type ConsolePage } from '../../response.ts';
import { linkButton, submitButton } from '../button.ts';
import { errorOf, errorSummary, type FormError } from '../notes.ts';
import type { AccountContext } from '../../request-context.ts';
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
  readonly page: Pick<ConsolePage, 'title' | 'section' | 'scripts'> & {
    /** The page that the back link and the Cancel button lead to. */
    readonly back: { readonly href: string; readonly label: string };
  };
  readonly action: string;
  readonly fields: FieldsOf<V>;
  /** The values of hidden inputs. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly intro?: Markup;
  /** Renders content below the form. */
  readonly after?: () => Promise<Markup>;
  /** The label of the submit button. The default is "Save". */
  readonly submit?: string;
  /** Arranges the rendered fields. By default, fields are stacked. */
  readonly layout?: (rendered: Readonly<Record<string, Markup>>) => Markup;
}

/** A submitted form with valid fields. */
export interface Edit<V> {
  readonly values: V;
  /** Only the values that the member changed. Other fields keep their current value. */
  readonly change: Partial<V>;
  /** Returns true if a concurrent edit changed one of the same fields to a different value. */
  readonly hasConflict: (now: V) => boolean;
}

/** The result of saving: a response, or the reason why the form is shown again. */
export type SaveResult<V> =
  | ConsoleResponse
  | { readonly kind: 'overtaken'; readonly now: V }
  /** `end` is rendered between the fields and the buttons. */
  | { readonly kind: 'refused'; readonly errors: readonly FormError[]; readonly end?: Markup };

const LAST_INPUT = 'form_end';

type FormContext = Pick<AccountContext, 'language' | 'form' | 'formToken' | 'formDraft'>;

interface FormState {
  readonly inputs: Inputs;
  /** The inputs as first shown. An input that differs from these is the member's change. */
  readonly seen: Inputs;
  readonly errors: readonly FormError[];
  readonly status: 200 | 409 | 422;
  readonly end?: Markup;
  readonly isDraft?: boolean;
}

/** Shows a form with these values. */
export async function showForm<V extends object>(
  context: FormContext,
  form: Form<V>,
  values: Partial<V>,
): Promise<ConsoleResponse> {
  return await showInputs(context, form, inputsOf(form.fields, values));
}

/** Shows a form with these inputs, or with the draft that was posted after the session ended. */
export async function showInputs<V extends object>(
  context: FormContext,
  form: Form<V>,
  inputs: Inputs,
): Promise<ConsoleResponse> {
  const { formDraft: draft } = context;
  const shown =
    draft === null
      ? { inputs, seen: inputs }
      : { inputs: draft, seen: new Map(new URLSearchParams(draft.get('seen'))), isDraft: true };
  return await renderForm(context, form, { ...shown, errors: [], status: 200 });
}

/**
 * Handles a submitted form. If a field is invalid or `save` refuses the edit, the form is shown
 * again as typed (422). After a concurrent edit of the same fields, the form also shows the
 * concurrent values (409), and submitting the form again overwrites those values.
 */
export async function handleForm<V extends object>(
  context: FormContext,
  form: Form<V>,
  save: (edit: Edit<V>) => Promise<SaveResult<V>>,
): Promise<ConsoleResponse> {
  const { fields } = form;
  const seen = new Map(new URLSearchParams(context.form.get('seen')));
  const inputs = addAbsentInputs(fields, context.form, seen);
  const state = { inputs, seen, errors: [], status: 200 } as const;
  if (fieldsOf(fields).some(([, field]) => field.isSearch?.(inputs) === true)) {
    return await renderForm(context, form, state);
  }
  const errors: FormError[] = [];
  const values = readFields(fields, inputs, (field, text) => void errors.push({ field, text }));
  if (values === null) return await renderForm(context, form, { ...state, errors, status: 422 });
  const { change, changed, findConflicts } = compare(fields, values, seen);
  const hasConflict = (now: V): boolean => findConflicts(now).length > 0;
  const saved = await save({ values, change, hasConflict });
  switch (saved.kind) {
    case 'refused': {
      const { end = html``, errors: refused } = saved;
      return await renderForm(context, form, { ...state, errors: refused, status: 422, end });
    }
    case 'overtaken': {
      const now = inputsOf(fields, saved.now);
      const conflicts = await describeConflicts(context, fields, findConflicts(saved.now), {
        now,
        seen,
      });
      const merged = mergeInputs(inputs, now, fields, changed);
      const back = { inputs: merged, seen: now, errors: conflicts, status: 409 } as const;
      return await renderForm(context, form, back);
    }
    default:
      return saved;
  }
}

/**
 * Keeps the values of inputs that did not arrive, because only a person erases a value (decision
 * 0237): a script or a proxy may have dropped them. The last input of the form tells that an absent
 * box was not ticked.
 */
function addAbsentInputs(fields: object, arrived: Inputs, seen: Inputs): Inputs {
  const inputs = new Map(arrived);
  for (const [name, field] of fieldsOf(fields)) {
    if (field.hasTicks === true && arrived.has(LAST_INPUT)) continue;
    for (const input of field.names(name)) {
      const text = seen.get(input);
      if (text !== undefined && !arrived.has(input)) inputs.set(input, text);
    }
  }
  return inputs;
}

interface Comparison<V> {
  readonly change: Partial<V>;
  /** The names of the fields that the member changed. */
  readonly changed: readonly string[];
  /** Returns the names of the changed fields that a concurrent edit set to a different value. */
  readonly findConflicts: (now: V) => readonly string[];
}

function compare<V extends object>(fields: FieldsOf<V>, values: V, seen: Inputs): Comparison<V> {
  const typed = inputsOf(fields, values);
  const changed = differingFields(fields, typed, seen);
  const entries = Object.entries(values).filter(([name]) => changed.includes(name));
  return {
    // The cast is safe because the entries are a subset of the entries of a `V`.
    change: Object.fromEntries(entries) as Partial<V>,
    changed,
    findConflicts: (now) => {
      const held = inputsOf(fields, now);
      const theirs = differingFields(fields, held, seen);
      const apart = differingFields(fields, held, typed);
      return changed.filter((name) => theirs.includes(name) && apart.includes(name));
    },
  };
}

/**
 * Returns the submitted inputs of the fields that the member changed, and the current inputs of all
 * other fields.
 */
function mergeInputs(
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

/**
 * Returns an error for each field, with the current value and the value that the member was shown.
 */
async function describeConflicts(
  { language }: FormContext,
  fields: object,
  names: readonly string[],
  { now, seen }: { readonly now: Inputs; readonly seen: Inputs },
): Promise<readonly FormError[]> {
  const messages = formMessages[language];
  const described = fieldsOf(fields)
    .filter(([name]) => names.includes(name))
    .map(async ([name, field]) => {
      const [is, was] = await Promise.all([field.say(name, now), field.say(name, seen)]);
      const text = messages.now(field.label, is || messages.empty, was || messages.empty);
      return { field: field.names(name)[0] ?? name, text };
    });
  return [{ field: null, text: messages.overtaken }, ...(await Promise.all(described))];
}

/** Shows a posted form again with `inputs`, which a button of the form has changed. */
export async function showFormAgain<V extends object>(
  context: FormContext,
  form: Form<V>,
  inputs: Inputs,
  errors: readonly FormError[] = [],
): Promise<ConsoleResponse> {
  const seen = new Map(new URLSearchParams(context.form.get('seen')));
  const status = errors.length === 0 ? 200 : 422;
  return await renderForm(context, form, { inputs, seen, errors, status });
}

async function renderForm<V extends object>(
  context: FormContext,
  form: Form<V>,
  { inputs, seen, errors, status, end = html``, isDraft = false }: FormState,
): Promise<ConsoleResponse> {
  const messages = formMessages[context.language];
  const shown = {
    inputs,
    textOf: (input: string): string => inputs.get(input) ?? '',
    errorOf: (input: string): string | null => errorOf(errors, input),
  };
  const rendered = await Promise.all(
    fieldsOf(form.fields).map(
      async ([name, field]) => [name, await field.render(name, shown)] as const,
    ),
  );
  const { page, action, submit = messages.save, layout = stackFields } = form;
  const hidden = { ...form.hidden, seen: new URLSearchParams([...seen]).toString() };
  const notice = isDraft ? html`<p class="flash" role="status">${messages.kept}</p>` : '';
  const content = html`${notice}${form.intro ?? ''}${errorSummary(messages.faults, errors)}
    <form class="sheet stack" method="post" action="${action}">
      ${context.formToken}
      ${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      ${layout(Object.fromEntries(rendered))} ${end}
      <input type="hidden" name="${LAST_INPUT}" value="1" />
      <div class="actions">
        ${submitButton(submit)}
        ${linkButton({ href: page.back.href, label: messages.cancel, kind: 'plain' })}
      </div>
    </form>
    ${(await form.after?.()) ?? ''}`;
  return showPage({ ...page, content, status });
}

function stackFields(rendered: Readonly<Record<string, Markup>>): Markup {
  return html`${Object.values(rendered)}`;
}
