import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import {
  changeKnownUnits,
  type KnownChange,
  type KnownChangeResult,
} from '../../inventory/known-units.ts';
import { listPlaces } from '../../inventory/places.ts';
import type { Language } from '../../pages/language.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { itemName } from '../cards/item-words.ts';
import { linkButton } from '../parts/button.ts';
import { note } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { BULK_WAYS, parseBulkMove } from './bulk-moves.ts';
import { PAGE_UNITS } from './find-stock.ts';
import { nameOf } from './item-cell.ts';
import { listPathOfForm } from './list-filter.ts';
import { parsePlace } from './place-choice.ts';
import { type ChangeRefusal, refusalText } from './refusal-words.ts';
import { readItems } from '../../inventory/units-by-id.ts';

interface Words {
  readonly title: string;
  readonly back: string;
  readonly nothingChosen: string;
  readonly noPlace: string;
  readonly done: (changed: number, same: number) => string;
  readonly refused: (count: number) => string;
  readonly unit: string;
  readonly reason: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Several units',
    back: 'Stock',
    nothingChosen: 'No unit was chosen. Go back and tick at least one.',
    noPlace: 'Choose the place that the units go to.',
    done: (changed, same) =>
      `Changed: ${changed}.${same === 0 ? '' : ` Were so already: ${same}.`}`,
    refused: (count) =>
      count === 1 ? '1 unit was not changed' : `${count} units were not changed`,
    unit: 'Unit',
    reason: 'Why',
  },
  ja: {
    title: '在庫品の一括変更',
    back: '在庫',
    nothingChosen: '在庫品が選択されていません。前のページに戻って選択してください。',
    noPlace: '移動先を選択してください。',
    done: (changed, same) =>
      `${changed} 点を変更しました。${same === 0 ? '' : `${same} 点はすでにその状態です。`}`,
    refused: (count) => `${count} 点は変更できませんでした`,
    unit: '在庫品',
    reason: '理由',
  },
};

/** Changes the chosen units of a page in one transaction. What was refused is told for each; the others are changed. */
export async function changeSeveral(deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const text = WORDS[visit.language];
  const ids = [...visit.form.keys()]
    .filter((name) => name.startsWith('unit.'))
    .map((name) => name.slice('unit.'.length).toLowerCase())
    .filter(isUuid);
  const chosen = [...new Set(ids)].slice(0, PAGE_UNITS);
  if (chosen.length === 0) return refuse(visit, text.nothingChosen);
  const changes = await changesOf(deps, visit, chosen);
  if (changes === null) return refuse(visit, text.noPlace);
  const shop = { id: visit.shop.id, currency: visit.shop.currency, by: visit.actor };
  const results = await deps.write(
    visit.shop.id,
    async (tx) => await changeKnownUnits(tx, shop, changes, visit.now),
  );
  const refused = refusalsOf(chosen, results);
  if (refused.length === 0) return goTo(listPathOfForm(visit), 'stock_changed');
  return await showRefused(deps, visit, results, refused);
}

async function changesOf(
  { db }: ConsoleDeps,
  visit: Visit,
  ids: readonly string[],
): Promise<readonly KnownChange[] | null> {
  const word = visit.form.get('do');
  const move = parseBulkMove(word);
  if (move !== null) {
    const { from, to } = BULK_WAYS[move];
    return ids.map((id) => ({
      change: { id, status: to },
      expects: ({ status }) => status === to || from.includes(status),
    }));
  }
  const place = parsePlace(visit.form.get('place'));
  if (word !== 'move' || place === null) return null;
  const places = await listPlaces(db, visit.shop.id);
  const isKnown = places.some(
    ({ siteId, locationId }) => siteId === place.siteId && locationId === place.locationId,
  );
  return isKnown ? ids.map((id) => ({ change: { id, ...place } })) : null;
}

interface Refused {
  readonly id: string;
  readonly refusal: ChangeRefusal;
}

function refusalsOf(ids: readonly string[], results: readonly KnownChangeResult[]): Refused[] {
  return results.flatMap((result, at) => {
    if ('unitText' in result) return [];
    return [{ id: ids[at] ?? '', refusal: result }];
  });
}

async function showRefused(
  { db }: ConsoleDeps,
  visit: Visit,
  results: readonly KnownChangeResult[],
  refused: readonly Refused[],
): Promise<ConsoleAnswer> {
  const { language } = visit;
  const text = WORDS[language];
  const changed = results.filter(({ kind }) => kind === 'updated').length;
  const same = results.filter(({ kind }) => kind === 'unchanged').length;
  const items = await readItems(
    db,
    visit.shop.id,
    refused.map(({ id }) => id),
  );
  const rows = refused.map(({ id, refusal }) => {
    const item = items.get(id);
    const name =
      item === undefined
        ? id
        : html`<a href="${visit.path(`/stock/${id}`)}"
            >${itemName(nameOf(item, language), language)}</a
          >`;
    return [name, refusalText(refusal, language)];
  });
  return showPage({
    title: text.title,
    section: 'stock',
    back: { href: listPathOfForm(visit), label: text.back },
    content: html`${changed + same === 0 ? '' : note('good', text.done(changed, same))}
      ${note('warn', text.refused(refused.length))}
      <div class="sheet">
        ${table({
          caption: text.refused(refused.length),
          isCaptionUnseen: true,
          columns: [{ label: text.unit }, { label: text.reason }],
          rows,
        })}
      </div>
      <div class="actions">${linkButton({ href: listPathOfForm(visit), label: text.back })}</div>`,
  });
}

function refuse(visit: Visit, sentence: string): ConsoleAnswer {
  const text = WORDS[visit.language];
  return showPage({
    title: text.title,
    section: 'stock',
    status: 422,
    back: { href: listPathOfForm(visit), label: text.back },
    content: html`<div role="alert">${note('warn', sentence)}</div>
      <div class="actions">${linkButton({ href: listPathOfForm(visit), label: text.back })}</div>`,
  });
}
