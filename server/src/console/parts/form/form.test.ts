import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from 'hono/html';
import type { ConsoleResponse } from '../../response.ts';
import type { AccountContext } from '../../request-context.ts';
import { checkboxInput, nullable, textInput } from './fields.ts';
import type { Inputs } from './form-field.ts';
import { handleForm, type Edit, type Form, showForm } from './form.ts';
import { formMessages } from './messages.ts';

interface Thing {
  readonly name: string;
  readonly note: string | null;
  readonly isActive: boolean;
}

const BEFORE: Thing = { name: 'Alba', note: 'old', isActive: true };
const DONE: ConsoleResponse = { kind: 'go', path: '/things', flash: 'saved' };
const messages = formMessages.en;

const form: Form<Thing> = {
  page: { title: 'Thing', section: null, back: { href: '/things', label: 'Things' } },
  action: '/things/edit',
  fields: {
    name: textInput({
      label: 'Name',
      accepts: (text) => text !== '',
      invalidMessage: 'Enter a name.',
    }),
    note: nullable(
      textInput({ label: 'Note', accepts: (text) => text !== 'x', invalidMessage: 'No x.' }),
    ),
    isActive: checkboxInput('en', { label: 'In use', hint: '' }),
  },
};

function contextOf(
  inputs: Inputs,
): Pick<AccountContext, 'language' | 'form' | 'formToken' | 'formDraft'> {
  return { language: 'en', form: inputs, formToken: html``, formDraft: null };
}

interface Page {
  readonly status: number;
  readonly text: string;
  /** The inputs as a browser would submit them. */
  readonly inputs: Inputs;
}

async function pageOf(answer: ConsoleResponse): Promise<Page> {
  assert.ok(answer.kind === 'page');
  const text = String(await answer.page.content);
  const inputs = [...text.matchAll(/<input([^>]*)>/g)].flatMap(([, tag = '']) => {
    const name = / name="([^"]*)"/.exec(tag)?.[1] ?? '';
    const value = / value="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&');
    const isLeftOut = tag.includes('type="checkbox"') && !/\schecked/.test(tag);
    return isLeftOut ? [] : [[name, value ?? 'on'] as const];
  });
  return { status: answer.page.status ?? 200, text, inputs: new Map(inputs) };
}

const shown = async (): Promise<Page> =>
  await pageOf(await showForm(contextOf(new Map()), form, BEFORE));

/**
 * Submits the form with these inputs changed. Null leaves an input out, as browsers do for a box
 * that is not ticked.
 */
async function send(
  { inputs }: Page,
  typed: Readonly<Record<string, string | null>>,
  now: Thing,
): Promise<{ readonly answer: ConsoleResponse; readonly written: Partial<Thing> | null }> {
  const sent = new Map(inputs);
  for (const [name, text] of Object.entries(typed)) {
    if (text === null) sent.delete(name);
    else sent.set(name, text);
  }
  let written: Partial<Thing> | null = null;
  const answer = await handleForm(contextOf(sent), form, async (edit: Edit<Thing>) => {
    if (edit.hasConflict(now)) return await Promise.resolve({ kind: 'overtaken', now });
    written = edit.change;
    return DONE;
  });
  return { answer, written };
}

describe('a form of the console', () => {
  it('a form writes only the fields that the member changed, even if another member changed other fields', async () => {
    const now = { ...BEFORE, note: 'theirs', isActive: false };
    const { answer, written } = await send(await shown(), { name: ' Bela ' }, now);
    assert.deepEqual([answer, written], [DONE, { name: 'Bela' }]);
    const same = await send(await shown(), {}, now);
    assert.deepEqual([same.answer, same.written], [DONE, {}]);
    const cleared = await send(await shown(), { note: '', isActive: null }, BEFORE);
    assert.deepEqual(cleared.written, { note: null, isActive: false });
  });

  it('a rejected form is shown again with the typed values and the errors', async () => {
    const { answer, written } = await send(await shown(), { name: ' ', note: 'x' }, BEFORE);
    const page = await pageOf(answer);
    assert.deepEqual([page.status, written], [422, null]);
    assert.ok(page.text.includes('Enter a name.') && page.text.includes('No x.'));
    assert.deepEqual([page.inputs.get('note'), page.inputs.get('isActive')], ['x', 'on']);
  });

  it('a form shows both values if two members changed one field, and is saved when it is sent again', async () => {
    const now = { name: 'Cora', note: 'theirs', isActive: false };
    const { answer, written } = await send(await shown(), { name: 'Bela' }, now);
    const page = await pageOf(answer);
    assert.deepEqual([page.status, written], [409, null]);
    assert.ok(page.text.includes(messages.overtaken));
    assert.ok(page.text.includes(messages.now('Name', 'Cora', 'Alba')));
    assert.equal(page.text.includes(messages.now('Note', 'theirs', 'old')), false);
    const { inputs } = page;
    assert.deepEqual(
      ['name', 'note', 'isActive'].map((name) => inputs.get(name)),
      ['Bela', 'theirs', undefined],
    );
    const again = await send(page, {}, now);
    assert.deepEqual([again.answer, again.written], [DONE, { name: 'Bela' }]);
    const third = await pageOf((await send(page, {}, { ...now, name: 'Dora' })).answer);
    assert.ok(third.text.includes(messages.now('Name', 'Dora', 'Cora')));
  });

  it('there is no conflict if another member has set the same value', async () => {
    const { answer } = await send(await shown(), { name: 'Bela' }, { ...BEFORE, name: 'Bela' });
    assert.deepEqual(answer, DONE);
  });

  it('inputs that do not arrive keep their values, except for a box in a complete form', async () => {
    const page = await shown();
    const partial = await send(page, { name: null, note: null, isActive: null }, BEFORE);
    assert.deepEqual(partial.written, { isActive: false }, 'a browser leaves out such a box');
    const cut = { note: null, isActive: null, form_end: null };
    assert.deepEqual((await send(page, cut, BEFORE)).written, {});
    const renamed = await send(page, { ...cut, name: 'Beta' }, BEFORE);
    assert.deepEqual(renamed.written, { name: 'Beta' });
    assert.deepEqual((await send(page, { note: '' }, BEFORE)).written, { note: null });
  });

  it('a form overwrites nothing if it does not send the values that it showed', async () => {
    const { answer } = await send(await shown(), { seen: '' }, { ...BEFORE, name: 'Cora' });
    assert.equal((await pageOf(answer)).status, 409);
  });
});
