import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { addBoost, type AddBoostResult, editBoost } from '../../boosts/edit-boost.ts';
import { recordBoostEdit } from '../../boosts/last-boost-edit.ts';
import { BOOST_IS_ENDED, type BoostChange, type PutBoostResult } from '../../boosts/put-boost.ts';
import type { Language } from '../../html/language.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { formatLocalInstant } from '../local-instant.ts';
import { handleForm, type Form, showForm } from '../parts/form/form.ts';
import type { FormError } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { boostChange, boostFields, type BoostValues, valuesOfBoost } from './boost-fields.ts';
import { findBoostByPath } from './find-boost.ts';
import { boostEditMessages, boostErrorMessages } from './messages/form.ts';

export async function showNewBoost(
  context: RequestContext,
  deps: ConsoleDeps,
): Promise<ConsoleResponse> {
  return await showForm(context, newForm(context, deps, newId()), {});
}

/**
 * Creates a boost. The form contains the boost's id, so that submitting the form twice creates one
 * boost.
 */
export async function createBoost(
  context: RequestContext,
  deps: ConsoleDeps,
): Promise<ConsoleResponse> {
  const { shop, now, language } = context;
  const given = context.form.get('id');
  const id = isUuid(given) ? given.toLowerCase() : newId();
  return await handleForm(context, newForm(context, deps, id), async ({ values }) => {
    const change = boostChange(values);
    const write = async (boostId: string): Promise<AddBoostResult> =>
      await deps.write(shop.id, async (tx) => {
        const added = await addBoost(tx, shop, boostId, change, now);
        if (added.kind === 'created') {
          await recordBoostEdit(tx, shop.id, boostId, context.actor, now);
        }
        return added;
      });
    let createdId = id;
    let result = await write(createdId);
    if (result.kind === 'taken') {
      // The person went back to the form and submitted other values, so this is a new boost.
      createdId = newId();
      result = await write(createdId);
    }
    if (result.kind === 'taken') throw new Error('a new random id already exists');
    if ('boostText' in result) {
      return redirectTo(context.shopPath(`/boosts/${createdId}`), 'boost_created');
    }
    return { kind: 'refused', errors: [toFormError(result, language)] };
  });
}

export async function showBoostEdit(
  context: RequestContext,
  deps: ConsoleDeps,
): Promise<ConsoleResponse> {
  const row = await findBoostByPath(context, deps);
  if (row === undefined) return NOT_FOUND;
  if (row.endedAt !== null) return redirectTo(context.shopPath(`/boosts/${row.id}`));
  return await showForm(context, editForm(context, deps, row.id), valuesOfBoost(row));
}

export async function saveBoostEdit(
  context: RequestContext,
  deps: ConsoleDeps,
): Promise<ConsoleResponse> {
  const { shop, now, language } = context;
  const row = await findBoostByPath(context, deps);
  if (row === undefined) return NOT_FOUND;
  const { id } = row;
  return await handleForm(context, editForm(context, deps, id), async ({ change, hasConflict }) => {
    // Accept an ended boost here: the edit then reports that the boost has ended, even if other
    // fields changed.
    const expects = (current: BoostRow): boolean =>
      current.endedAt !== null || !hasConflict(valuesOfBoost(current));
    const changed = changeOf(context, row, change);
    const result = await deps.write(shop.id, async (tx) => {
      const edited = await editBoost(tx, shop, { id, expects }, changed, now);
      if (edited.kind === 'updated') await recordBoostEdit(tx, shop.id, id, context.actor, now);
      return edited;
    });
    switch (result.kind) {
      case 'not_found':
        return NOT_FOUND;
      case 'stale':
        return { kind: 'overtaken', now: valuesOfBoost(result.row) };
      case 'created':
      case 'updated':
        return redirectTo(context.shopPath(`/boosts/${id}`), 'saved');
      case 'unchanged':
        return redirectTo(context.shopPath(`/boosts/${id}`), 'unchanged');
      default:
        return { kind: 'refused', errors: [toFormError(result, language)] };
    }
  });
}

/** The form shows instants to the minute, so an unchanged minute keeps the stored seconds. */
function changeOf(
  context: RequestContext,
  row: BoostRow,
  change: Partial<BoostValues>,
): BoostChange {
  const { startsAt, endsAt, ...others } = boostChange(change);
  const { zone } = context.format;
  const textOf = (at: Date | null): string => (at === null ? '' : formatLocalInstant(at, zone));
  const isNew = (typed: Date | null | undefined, was: Date | null): typed is Date | null =>
    typed !== undefined && textOf(typed) !== textOf(was);
  return {
    ...others,
    ...(isNew(startsAt, row.startsAt) ? { startsAt } : {}),
    ...(isNew(endsAt, row.endsAt) ? { endsAt } : {}),
  };
}

function newForm(context: RequestContext, deps: ConsoleDeps, id: string): Form<BoostValues> {
  const messages = boostEditMessages[context.language];
  const back = { href: context.shopPath('/boosts'), label: messages.list };
  return {
    page: { title: messages.create, section: 'boosts', back, scripts: SCRIPTS },
    action: context.shopPath('/boosts/new'),
    fields: boostFields(context, deps),
    hidden: { id },
    submit: messages.submitCreate,
  };
}

function editForm(context: RequestContext, deps: ConsoleDeps, id: string): Form<BoostValues> {
  const messages = boostEditMessages[context.language];
  const back = { href: context.shopPath(`/boosts/${id}`), label: messages.boost };
  return {
    page: { title: messages.edit, section: 'boosts', back, scripts: SCRIPTS },
    action: `${back.href}/edit`,
    fields: boostFields(context, deps),
  };
}

const SCRIPTS = ['card-picker', 'boost-form'] as const;

function toFormError(
  refusal: Exclude<PutBoostResult, { readonly boostText: string }>,
  language: Language,
): FormError {
  const messages = boostEditMessages[language];
  switch (refusal.kind) {
    case 'incomplete':
      throw new Error(`the form accepted a boost without ${refusal.missing.join(', ')}`);
    case 'invalid':
      return { field: 'ends', text: boostErrorMessages[language].endsFirst };
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
