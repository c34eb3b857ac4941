import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { addBoost, type AddBoostResult, editBoost } from '../../boosts/edit-boost.ts';
import { BOOST_IS_ENDED, type BoostChange, type PutBoostResult } from '../../boosts/put-boost.ts';
import type { Language } from '../../pages/language.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { localTextOf } from '../local-instant.ts';
import { answerForm, type Form, showForm } from '../parts/form/form.ts';
import type { FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { boostChange, boostFields, type BoostValues, valuesOfBoost } from './boost-fields.ts';
import { findBoostOf } from './boost-of.ts';
import { boostEditMessages, boostFaultMessages } from './messages/form.ts';

export async function showNew(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  return await showForm(visit, newForm(visit, deps, newId()), {});
}

/** Creates a boost. The form carries its id, so that submitting it twice creates one boost. */
export async function createBoost(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { shop, now, language } = visit;
  const given = visit.form.get('id');
  const id = isUuid(given) ? given.toLowerCase() : newId();
  return await answerForm(visit, newForm(visit, deps, id), async ({ values }) => {
    const change = boostChange(values);
    const write = async (boostId: string): Promise<AddBoostResult> =>
      await deps.write(shop.id, async (tx) => await addBoost(tx, shop, boostId, change, now));
    let createdId = id;
    let result = await write(createdId);
    if (result.kind === 'taken') {
      // The person went back to the form and submitted it again with other values.
      createdId = newId();
      result = await write(createdId);
    }
    if (result.kind === 'taken') throw new Error('a fresh id is taken');
    if ('boostText' in result) return goTo(visit.path(`/boosts/${createdId}`), 'boost_created');
    return { kind: 'refused', faults: [faultOfRefusal(result, language)] };
  });
}

export async function showEdit(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  if (row.endedAt !== null) return goTo(visit.path(`/boosts/${row.id}`));
  return await showForm(visit, editForm(visit, deps, row.id), valuesOfBoost(row));
}

export async function saveEdit(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { shop, now, language } = visit;
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const { id } = row;
  return await answerForm(visit, editForm(visit, deps, id), async ({ change, isOvertaken }) => {
    // Let an ended boost through: the edit then reports that it has ended, also when other fields
    // changed.
    const expects = (standing: BoostRow): boolean =>
      standing.endedAt !== null || !isOvertaken(valuesOfBoost(standing));
    const result = await deps.write(
      shop.id,
      async (tx) => await editBoost(tx, shop, { id, expects }, changeOf(visit, row, change), now),
    );
    switch (result.kind) {
      case 'not_found':
        return NOT_FOUND;
      case 'stale':
        return { kind: 'overtaken', now: valuesOfBoost(result.row) };
      case 'created':
      case 'updated':
        return goTo(visit.path(`/boosts/${id}`), 'saved');
      case 'unchanged':
        return goTo(visit.path(`/boosts/${id}`), 'unchanged');
      default:
        return { kind: 'refused', faults: [faultOfRefusal(result, language)] };
    }
  });
}

/** A form shows minutes. An instant that it still shows as it was is left alone, with its seconds. */
function changeOf(visit: Visit, row: BoostRow, change: Partial<BoostValues>): BoostChange {
  const { startsAt, endsAt, ...others } = boostChange(change);
  const { zone } = visit.format;
  const textOf = (at: Date | null): string => (at === null ? '' : localTextOf(at, zone));
  const isNew = (typed: Date | null | undefined, was: Date | null): typed is Date | null =>
    typed !== undefined && textOf(typed) !== textOf(was);
  return {
    ...others,
    ...(isNew(startsAt, row.startsAt) ? { startsAt } : {}),
    ...(isNew(endsAt, row.endsAt) ? { endsAt } : {}),
  };
}

function newForm(visit: Visit, deps: ConsoleDeps, id: string): Form<BoostValues> {
  const messages = boostEditMessages[visit.language];
  const back = { href: visit.path('/boosts'), label: messages.list };
  return {
    page: { title: messages.create, section: 'boosts', back, scripts: SCRIPTS },
    action: visit.path('/boosts/new'),
    fields: boostFields(visit, deps),
    hidden: { id },
    submit: messages.submitCreate,
  };
}

function editForm(visit: Visit, deps: ConsoleDeps, id: string): Form<BoostValues> {
  const messages = boostEditMessages[visit.language];
  const back = { href: visit.path(`/boosts/${id}`), label: messages.boost };
  return {
    page: { title: messages.edit, section: 'boosts', back, scripts: SCRIPTS },
    action: `${back.href}/edit`,
    fields: boostFields(visit, deps),
  };
}

const SCRIPTS = ['card-picker', 'boost-form'] as const;

function faultOfRefusal(
  refusal: Exclude<PutBoostResult, { readonly boostText: string }>,
  language: Language,
): FormFault {
  const messages = boostEditMessages[language];
  switch (refusal.kind) {
    case 'incomplete':
      throw new Error(`a form without ${refusal.missing.join(', ')} went through`);
    case 'invalid':
      return { field: 'ends', text: boostFaultMessages[language].endsFirst };
    case 'conflict': {
      const isEnded = refusal.detail === BOOST_IS_ENDED.detail;
      return { field: null, text: isEnded ? messages.ended : messages.full };
    }
    case 'unknown_reference': {
      const field = (['card', 'grade', 'product'] as const).find((each) =>
        refusal.detail.startsWith(`target.${each}Id`),
      );
      if (field === undefined) throw new Error(refusal.detail);
      return { field, text: messages.unknown[field] };
    }
  }
}
