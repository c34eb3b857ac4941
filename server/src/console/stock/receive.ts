import { hash } from 'node:crypto';
import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import { uuidOfHex } from '../../base/uuid.ts';
import { receiveUnits } from '../../inventory/known-units.ts';
import { listPlaces } from '../../inventory/places.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import type { UnitChange, UnitItemChange } from '../../inventory/unit.ts';
import { type ConsoleAnswer, goTo } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { gradeChoices } from '../parts/grade-choices.ts';
import type { FormFault } from '../parts/notes.ts';
import { asksForHits, EMPTY_PICK } from '../parts/pick.ts';
import { withQuery } from '../query.ts';
import type { Visit } from '../visit.ts';
import { parsePlace } from './place-choice.ts';
import { type ReceiveForm, receiveFormPage } from './receive-page.ts';
import { refusalText } from './refusal-words.ts';
import { readUnitFields, textsOfForm } from './unit-fields.ts';
import { receiveMessages } from './messages/unit.ts';

/** Pieces of one form at most: more come by the Shop API, or from a file. */
const QUANTITY_MAX = 100;

/** Shows the form, with the place of the time before. */
export async function receivePage(deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const { query } = visit;
  const pickOf = async (kind: 'card' | 'product'): Promise<ReceiveForm['card']> => ({
    ...EMPTY_PICK,
    chosen: await deps.picks.find(kind, query[kind], visit.language),
  });
  const got = isUuid(query['got'])
    ? await findStockUnit(deps.db, visit.shop.id, query['got'].toLowerCase())
    : undefined;
  const units = Number(/^\d{1,3}$/.exec(query['units'] ?? '')?.[0] ?? 1);
  return await show(deps, visit, {
    batch: newId(),
    kind: kindOf(query['product'] === undefined ? query['kind'] : 'product'),
    card: await pickOf('card'),
    product: await pickOf('product'),
    gradeId: '',
    quantity: '1',
    place: query['place'] ?? '',
    texts: { ...textsOfForm(new Map()), ownership: query['ownership'] ?? 'owned' },
    faults: [],
    received: got === undefined ? null : { unit: got, units },
  });
}

/** Takes the pieces in, and comes back with the same place for the next. The same form sent again makes no further ones. */
export async function receive(deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const { form } = visit;
  const [card, product] = await Promise.all([
    deps.picks.read('card', visit, form, 'card'),
    deps.picks.read('product', visit, form, 'product'),
  ]);
  const batch = form.get('batch');
  const typed: ReceiveForm = {
    batch: isUuid(batch) ? batch.toLowerCase() : newId(),
    kind: kindOf(form.get('kind')),
    card,
    product,
    gradeId: form.get('grade') ?? '',
    quantity: (form.get('quantity') ?? '').normalize('NFKC').trim(),
    place: form.get('place') ?? '',
    texts: textsOfForm(form),
    faults: [],
    received: null,
  };
  if (asksForHits(form, 'card') || asksForHits(form, 'product')) {
    return await show(deps, visit, typed, true);
  }
  const { changes, faults } = readChanges(visit, typed);
  if (faults.length > 0) return await show(deps, visit, { ...typed, faults });
  const shop = { id: visit.shop.id, currency: visit.shop.currency, by: visit.actor };
  const result = await deps.write(
    visit.shop.id,
    async (tx) => await receiveUnits(tx, shop, changes, visit.now),
  );
  // All pieces are alike, so one that is refused stands for all.
  const first = result.kind === 'received' ? result.results[0] : undefined;
  if (first !== undefined && !('unitText' in first)) {
    const text = refusalText(first, visit.language);
    return await show(deps, visit, { ...typed, faults: [{ field: null, text }] });
  }
  const { ownership } = typed.texts;
  const [got] = changes;
  return goTo(
    withQuery(visit.path('/stock/receive'), {
      place: typed.place,
      kind: typed.kind === 'product' ? typed.kind : null,
      ownership: ownership === 'consigned' ? ownership : null,
      got: got?.id,
      units: changes.length,
    }),
  );
}

function readChanges(
  visit: Visit,
  form: ReceiveForm,
): { readonly changes: readonly UnitChange[]; readonly faults: readonly FormFault[] } {
  const messages = receiveMessages[visit.language];
  const faults: FormFault[] = [];
  const item = readItem(form);
  if (item === null) {
    faults.push({ field: form.kind, text: messages.noItem });
  }
  const quantity = /^\d{1,3}$/.test(form.quantity) ? Number(form.quantity) : 0;
  if (quantity < 1 || quantity > QUANTITY_MAX) {
    faults.push({ field: 'quantity', text: messages.noQuantity });
  }
  const place = parsePlace(form.place);
  if (place === null) faults.push({ field: 'place', text: messages.noPlace });
  const { values, faults: others } = readUnitFields(visit, form.texts, visit.shop.currency, null);
  faults.push(...others);
  const isNumbered = values.certNumber !== null || values.serialNumber !== null;
  if (quantity > 1 && isNumbered) {
    const field = values.certNumber === null ? 'serialNumber' : 'certNumber';
    faults.push({ field, text: messages.numbersOfOne });
  }
  if (item === null || place === null || faults.length > 0) return { changes: [], faults };
  const acquiredAt = values.acquiredAt ?? visit.now;
  const changes = Array.from({ length: quantity }, (_, index) => ({
    id: idOfPiece(visit.shop.id, form.batch, index),
    item,
    ...place,
    ...values,
    acquiredAt,
  }));
  return { changes, faults };
}

/** What the other kind's fields hold is out of sight, and passed over. */
function readItem({ kind, card, product, gradeId }: ReceiveForm): UnitItemChange | null {
  if (kind === 'product') {
    return product.chosen === null ? null : { kind, productId: product.chosen.id };
  }
  if (card.chosen === null) return null;
  return { kind, cardId: card.chosen.id, gradeId: isUuid(gradeId) ? gradeId : null };
}

function kindOf(text: string | undefined): ReceiveForm['kind'] {
  return text === 'product' ? 'product' : 'card';
}

/** Ids follow from the form, so that one that is sent twice names the same pieces. */
function idOfPiece(shopId: string, batch: string, index: number): string {
  return uuidOfHex(hash('sha256', `${shopId} ${batch} ${index}`, 'hex').slice(0, 32));
}

async function show(
  { db }: ConsoleDeps,
  visit: Visit,
  form: ReceiveForm,
  isSearching = false,
): Promise<ConsoleAnswer> {
  const [places, grades] = await Promise.all([
    listPlaces(db, visit.shop.id),
    gradeChoices(db, visit.shop.id),
  ]);
  return receiveFormPage(visit, form, { places, grades, isSearching });
}
