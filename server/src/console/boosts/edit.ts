import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { addBoost, editBoost, type EditBoostResult } from '../../boosts/edit-boost.ts';
import { BOOST_IS_ENDED, type BoostChange } from '../../boosts/put-boost.ts';
import type { Language } from '../../pages/language.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormFault } from '../parts/notes.ts';
import { asksForHits, type PickFields } from '../parts/pick.ts';
import type { Visit } from '../visit.ts';
import { findBoostOf } from './boost-of.ts';
import {
  type BoostTexts,
  changeOfGroups,
  differingGroups,
  emptyTexts,
  endsFirstFault,
  type FieldGroup,
  GROUP_NAMES,
  readBoost,
  readTexts,
  settledTexts,
  textsOf,
  withGroups,
} from './form-values.ts';
import { renderBoostForm } from './form.ts';
import { seenFields } from './seen-fields.ts';
import { stalePage } from './stale.ts';
import { boostEditMessages } from './messages/form.ts';

/** How often an edit that does not touch what was changed meanwhile is tried again, as when a till buys every second. */
const TRIES_MAX = 3;

/** The form of a new boost. */
export async function showNew(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const texts = emptyTexts(visit.shop.currency);
  return await newPage(visit, deps, { texts, faults: [], fields: new Map(), id: newId() });
}

/** Creates a boost. The form carries its id, so that one that is sent twice is one boost. */
export async function createBoost(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { form, language, format, shop, now } = visit;
  const given = form.get('id');
  const id = isUuid(given) ? given.toLowerCase() : newId();
  const texts = readTexts(form);
  const back = { texts, fields: form, id };
  if (isSearching(form)) return await newPage(visit, deps, { ...back, faults: [] });
  const reading = readBoost(texts, language, format.zone);
  if (reading.kind === 'faults') {
    return await newPage(visit, deps, { ...back, faults: reading.faults });
  }
  const { change } = reading;
  const write = async (boostId: string): Promise<Awaited<ReturnType<typeof addBoost>>> =>
    await deps.write(shop.id, async (tx) => await addBoost(tx, shop, boostId, change, now));
  let createdId = id;
  let result = await write(createdId);
  if (result.kind === 'taken') {
    // Somebody went back to the form and made another boost of it.
    createdId = newId();
    result = await write(createdId);
  }
  if (result.kind === 'taken') throw new Error('a fresh id is taken');
  if ('boostText' in result) return goTo(visit.path(`/boosts/${createdId}`), 'boost_created');
  return await newPage(visit, deps, { ...back, faults: [faultOfRefusal(result, language)] });
}

/** The form of a boost as it is now. */
export async function showEdit(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  if (row.endedAt !== null) return goTo(visit.path(`/boosts/${row.id}`));
  const texts = textsOf(row, visit.format.zone);
  const fields = new Map<string, string>();
  const seen = { texts, seenAt: row.updatedAt };
  return await editPage(visit, deps, { texts, faults: [], fields, id: row.id, seen });
}

/**
 * Saves an edit. Only what the member changed is written. When somebody else has changed the boost since the form was
 * shown, he decides what counts, unless only a till has bought and he left the quantity alone.
 */
export async function saveEdit(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { form, language, format } = visit;
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const seenAt = new Date(form.get('seen') ?? '');
  const was = readTexts(form, 'was_');
  const seen = { texts: was, seenAt: Number.isNaN(seenAt.getTime()) ? new Date(0) : seenAt };
  const taken = GROUP_NAMES.filter((group) => form.get(`take_${group}`) === 'now');
  const texts = withGroups(readTexts(form), was, taken);
  const back = { texts, fields: fieldsOf(form, texts), id: row.id, seen };
  if (isSearching(form)) return await editPage(visit, deps, { ...back, faults: [] });
  const reading = readBoost(texts, language, format.zone);
  if (reading.kind === 'faults') {
    return await editPage(visit, deps, { ...back, faults: reading.faults });
  }
  const mine = settledTexts(reading.change, format.zone);
  const groups = differingGroups(mine, was);
  const change = changeOfGroups(reading.change, groups);
  const result = await writeEdit(visit, deps, { id: row.id, seen, groups, change });
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'stale':
      return await stalePage(visit, deps, { row: result.row, was, mine });
    case 'created':
    case 'updated':
      return goTo(visit.path(`/boosts/${row.id}`), 'saved');
    case 'unchanged':
      return goTo(visit.path(`/boosts/${row.id}`), 'unchanged');
    default:
      return await editPage(visit, deps, { ...back, faults: [faultOfRefusal(result, language)] });
  }
}

interface Seen {
  readonly texts: BoostTexts;
  readonly seenAt: Date;
}

async function writeEdit(
  { shop, now, format }: Visit,
  deps: ConsoleDeps,
  edit: {
    readonly id: string;
    readonly seen: Seen;
    readonly groups: readonly FieldGroup[];
    readonly change: BoostChange;
  },
): Promise<EditBoostResult> {
  let { seenAt } = edit.seen;
  for (let tries = 1; ; tries += 1) {
    const as = { id: edit.id, seenAt };
    const result = await deps.write(
      shop.id,
      async (tx) => await editBoost(tx, shop, as, edit.change, now),
    );
    if (result.kind !== 'stale' || tries === TRIES_MAX) return result;
    if (!isApart(result.row, edit, format.zone)) return result;
    seenAt = result.row.updatedAt;
  }
}

/** True when what changed meanwhile has nothing to do with the edit: a pause, or a till's purchase. */
function isApart(
  row: BoostRow,
  { seen, groups }: { readonly seen: Seen; readonly groups: readonly FieldGroup[] },
  zone: string,
): boolean {
  const meanwhile = differingGroups(textsOf(row, zone), seen.texts);
  return meanwhile.every((group) => group === 'left' && !groups.includes('left'));
}

interface ShownForm {
  readonly texts: BoostTexts;
  readonly faults: readonly FormFault[];
  /** What the pickers were left as. */
  readonly fields: PickFields;
  readonly id: string;
}

async function newPage(
  visit: Visit,
  deps: ConsoleDeps,
  { texts, faults, fields, id }: ShownForm,
): Promise<ConsoleAnswer> {
  const messages = boostEditMessages[visit.language];
  const content = await renderBoostForm(visit, deps.db, {
    action: visit.path('/boosts/new'),
    texts,
    faults,
    card: await deps.picks.read('card', visit, fields, 'card'),
    product: await deps.picks.read('product', visit, fields, 'product'),
    hidden: { id },
    submit: messages.submitCreate,
    cancelHref: visit.path('/boosts'),
  });
  return showPage({
    title: messages.create,
    content,
    section: 'boosts',
    status: faults.length === 0 ? 200 : 422,
    scripts: ['card-picker', 'boost-form'],
    back: { href: visit.path('/boosts'), label: messages.list },
  });
}

async function editPage(
  visit: Visit,
  deps: ConsoleDeps,
  { texts, faults, fields, id, seen }: ShownForm & { readonly seen: Seen },
): Promise<ConsoleAnswer> {
  const messages = boostEditMessages[visit.language];
  const href = visit.path(`/boosts/${id}`);
  const own = fieldsOf(fields, texts);
  const content = await renderBoostForm(visit, deps.db, {
    action: `${href}/edit`,
    texts,
    faults,
    card: await deps.picks.read('card', visit, own, 'card'),
    product: await deps.picks.read('product', visit, own, 'product'),
    hidden: seenFields(seen.texts, seen.seenAt),
    submit: messages.submitEdit,
    cancelHref: href,
  });
  return showPage({
    title: messages.edit,
    content,
    section: 'boosts',
    status: faults.length === 0 ? 200 : 422,
    scripts: ['card-picker', 'boost-form'],
    back: { href, label: messages.boost },
  });
}

/** The fields of the pickers, with what is chosen by now. */
function fieldsOf(form: PickFields, { card, product }: BoostTexts): PickFields {
  return new Map([...form, ['card', card], ['product', product]]);
}

function isSearching(form: PickFields): boolean {
  return asksForHits(form, 'card') || asksForHits(form, 'product');
}

type Refusal = Exclude<
  Awaited<ReturnType<typeof addBoost>>,
  { readonly boostText: string } | { readonly kind: 'taken' }
>;

function faultOfRefusal(refusal: Refusal, language: Language): FormFault {
  const messages = boostEditMessages[language];
  switch (refusal.kind) {
    case 'incomplete':
      throw new Error(`a form without ${refusal.missing.join(', ')} went through`);
    case 'invalid':
      return endsFirstFault(language);
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
