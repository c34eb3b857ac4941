import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import {
  changeKnownUnits,
  type KnownChange,
  type KnownChangeResult,
} from '../../inventory/known-units.ts';
import { listPlaces } from '../../inventory/places.ts';
import { readItems } from '../../inventory/units-by-id.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { itemName, nameOf } from '../parts/item-words.ts';
import { type FormFault, note } from '../parts/notes.ts';
import { filterOfForm, listPathOfForm } from '../parts/stock-filter.ts';
import { type Cell, table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { type AskedStatus, askedStatus } from './asked-status.ts';
import { BULK_WAYS, bulkName, type BulkMove, parseBulkMove } from './bulk-moves.ts';
import { PAGE_UNITS, type StockSearch } from './find-stock.ts';
import { showStock } from './list-page.ts';
import { parsePlace } from './place-choice.ts';
import { type ChangeRefusal, refusalText } from './refusal-words.ts';
import { askedText } from './status-words.ts';
import { bulkMessages } from './messages/list.ts';
import { unitMessages } from './messages/unit.ts';

/**
 * Changes the ticked units of a page in one transaction. A refused unit is reported and does not
 * stop the others. An incomplete form comes back in its list, with the boxes ticked.
 */
export async function changeSeveral(
  deps: ConsoleDeps,
  search: StockSearch,
  visit: Visit,
): Promise<ConsoleAnswer> {
  const messages = bulkMessages[visit.language];
  const ids = [...visit.form.keys()]
    .filter((name) => name.startsWith('unit.'))
    .map((name) => name.slice('unit.'.length).toLowerCase())
    .filter(isUuid);
  const chosen = [...new Set(ids)].slice(0, PAGE_UNITS);
  const refuse = async (fault: FormFault): Promise<ConsoleAnswer> =>
    await showStock(deps, search, visit, filterOfForm(visit), { ticked: new Set(chosen), fault });
  if (chosen.length === 0) return await refuse({ field: null, text: messages.nothingChosen });
  const move = parseBulkMove(visit.form.get('do'));
  const changes = move === null ? await movesOf(deps, visit, chosen) : changesOf(move, chosen);
  if (changes === null) return await refuse({ field: 'place', text: messages.noPlace });
  const asked = move === null ? null : askedStatus(BULK_WAYS[move].to);
  if (move !== null && asked !== null && visit.form.get('sure') !== '1') {
    return askForSeveral(visit, { move, to: asked, chosen });
  }
  const shop = { id: visit.shop.id, currency: visit.shop.currency, by: visit.actor };
  const results = await deps.write(
    visit.shop.id,
    async (tx) => await changeKnownUnits(tx, shop, changes, visit.now),
  );
  const refused = refusalsOf(chosen, results);
  if (refused.length > 0) return await showRefused(deps, visit, results, refused);
  const same = results.filter(({ kind }) => kind === 'unchanged').length;
  const what = move === null ? 'moved' : BULK_WAYS[move].to;
  return goTo(listPathOfForm(visit), `units_${what}.${results.length - same}.${same}`);
}

function changesOf(move: BulkMove, ids: readonly string[]): readonly KnownChange[] {
  const { from, to } = BULK_WAYS[move];
  return ids.map((id) => ({
    change: { id, status: to },
    expects: ({ status }) => status === to || from.includes(status),
  }));
}

async function movesOf(
  { db }: ConsoleDeps,
  visit: Visit,
  ids: readonly string[],
): Promise<readonly KnownChange[] | null> {
  const place = parsePlace(visit.form.get('place'));
  if (visit.form.get('do') !== 'move' || place === null) return null;
  const places = await listPlaces(db, visit.shop.id);
  const isKnown = places.some(
    ({ siteId, locationId }) => siteId === place.siteId && locationId === place.locationId,
  );
  return isKnown ? ids.map((id) => ({ change: { id, ...place } })) : null;
}

/** The same form again, with the confirmation. */
function askForSeveral(
  visit: Visit,
  {
    move,
    to,
    chosen,
  }: { readonly move: BulkMove; readonly to: AskedStatus; readonly chosen: readonly string[] },
): ConsoleAnswer {
  const messages = bulkMessages[visit.language];
  const href = listPathOfForm(visit);
  return confirmPage(visit, {
    title: messages.asks(chosen.length),
    section: 'stock',
    back: { href, label: messages.stock },
    content: askedText(to, messages.units(chosen.length), visit.language),
    action: visit.path('/stock/bulk'),
    fields: {
      ...Object.fromEntries(chosen.map((id) => [`unit.${id}`, 'on'])),
      list: href,
      do: move,
      sure: '1',
    },
    button: bulkName(move, visit.language),
    keep: unitMessages[visit.language].cancel,
  });
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
  const messages = bulkMessages[language];
  const changed = results.filter(({ kind }) => kind === 'updated').length;
  const same = results.filter(({ kind }) => kind === 'unchanged').length;
  const items = await readItems(
    db,
    visit.shop.id,
    refused.map(({ id }) => id),
  );
  const nameCell = ({ id }: Refused): Cell => {
    const item = items.get(id);
    if (item === undefined) return id;
    const name = itemName(nameOf(item, language), language);
    return html`<a href="${visit.path(`/stock/${id}`)}">${name}</a>`;
  };
  return showPage({
    title: messages.title,
    section: 'stock',
    back: { href: listPathOfForm(visit), label: messages.stock },
    content: html`${changed + same === 0 ? '' : note('good', messages.done(changed, same))}
      ${note('warn', messages.refused(refused.length))}
      <div class="sheet">
        ${table({
          caption: messages.refused(refused.length),
          rows: refused,
          columns: [
            [messages.unit, nameCell],
            [messages.reason, ({ refusal }) => refusalText(refusal, language)],
          ],
        })}
      </div>
      <div class="actions">
        ${linkButton({ href: listPathOfForm(visit), label: messages.stock })}
      </div>`,
  });
}
