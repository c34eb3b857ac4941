import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { readCards, readProducts } from '../../catalog/read-entries.ts';
import type { Grade } from '../../catalog/grade.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { listPlaces } from '../../inventory/places.ts';
import type { ConsoleDeps } from '../deps.ts';
import { fieldId } from '../parts/field.ts';
import type { FieldsOf, RenderedInputs } from '../parts/form/form-field.ts';
import { listSortedGrades } from '../parts/grade-choices.ts';
import {
  gradeText,
  itemDetailsOf,
  itemNameOf,
  type NamedItem,
  renderItemName,
} from '../parts/item-text.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { listBoostOffers, renderBoostOffer } from './boost-offer.ts';
import { placeChoices, placeValue } from './place-choice.ts';
import {
  lineInputs,
  type LineValues,
  parseLines,
  type ReceiveLine,
  serializeLines,
} from './receive-lines.ts';
import { buyMessages } from './messages/buy.ts';
import { receiveLineMessages } from './messages/receive.ts';
import { certificateMessages } from './messages/unit.ts';

/** A line with the values that its row shows. */
interface Row {
  readonly line: ReceiveLine;
  readonly item: NamedItem | undefined;
  readonly name: string;
  readonly grade: Grade | undefined;
  readonly place: string;
  readonly boost: BoostRow | undefined;
}

type Deps = Pick<ConsoleDeps, 'db'>;

/** Renders the lines of the form as a table, and as the hidden input that carries them. */
export async function renderLines(
  deps: Deps,
  context: RequestContext,
  fields: FieldsOf<LineValues>,
  shown: RenderedInputs,
): Promise<Markup> {
  const rows = await readRows(deps, context, parseLines(fields, shown.inputs));
  const { language, format, shop } = context;
  const messages = receiveLineMessages[language];
  const offered = rows.map(({ line, boost }) => ({ ...line, offeredId: boost?.id ?? null }));
  const money = (minor: number | null | undefined): string =>
    minor === null || minor === undefined ? '–' : format.money(minor, shop.currency);
  const hidden = html`<input
    type="hidden"
    name="lines"
    value="${serializeLines(fields, offered)}"
  />`;
  if (rows.length === 0) return hidden;
  const lines = table<Row>({
    caption: messages.lines,
    rows,
    columns: [
      [messages.item, (row) => renderItem(context, row, shown)],
      [
        messages.grade,
        ({ line, grade }) => {
          if (line.item.kind === 'product') return '–';
          return grade === undefined ? buyMessages[language].ungraded : gradeText(grade);
        },
      ],
      [messages.quantity, (row) => renderQuantity(row, shown, language)],
      context.can('inventory.cost')
        ? [messages.cost, ({ line }) => money(line.values.cost), 'number']
        : null,
      [messages.price, ({ line }) => money(line.values.price), 'number'],
      [messages.place, ({ place }) => place],
      [
        messages.remove,
        ({ line, name }) =>
          html`<button type="submit" class="second" name="remove" value="${line.id}">
            ${messages.remove}<span class="unseen"> ${name}</span>
          </button>`,
        'buttons',
      ],
    ],
  });
  return html`${hidden}
    <h2>${messages.lines}</h2>
    ${lines}`;
}

/** Returns the name of each line's item, by the id of the line. */
export async function readLineNames(
  { db }: Deps,
  language: Language,
  lines: readonly ReceiveLine[],
): Promise<ReadonlyMap<string, string>> {
  const items = await readLineItems(db, lines);
  return new Map(
    lines.map(({ id }) => {
      const item = items.get(id);
      return [id, item === undefined ? '' : itemNameOf(item, language).text];
    }),
  );
}

async function readLineItems(
  db: Deps['db'],
  lines: readonly ReceiveLine[],
): Promise<ReadonlyMap<string, NamedItem>> {
  const idsOf = (kind: 'card' | 'product'): string[] => [
    ...new Set(
      lines.flatMap(({ item }) =>
        item.kind === kind ? [item.kind === 'card' ? item.cardId : item.productId] : [],
      ),
    ),
  ];
  const [cards, products] = await Promise.all([
    readCards(db, idsOf('card')),
    readProducts(db, idsOf('product')),
  ]);
  return new Map(
    lines.flatMap(({ id, item }): (readonly [string, NamedItem])[] => {
      if (item.kind === 'product') {
        const product = products.get(item.productId);
        return product === undefined ? [] : [[id, { kind: 'product', product }]];
      }
      const card = cards.get(item.cardId);
      return card === undefined ? [] : [[id, { kind: 'card', card }]];
    }),
  );
}

async function readRows(
  deps: Deps,
  context: RequestContext,
  lines: readonly ReceiveLine[],
): Promise<readonly Row[]> {
  if (lines.length === 0) return [];
  const { shop, language } = context;
  const [items, grades, places] = await Promise.all([
    readLineItems(deps.db, lines),
    listSortedGrades(deps.db, shop.id),
    listPlaces(deps.db, shop.id),
  ]);
  const rows: Row[] = [];
  for (const line of lines) {
    const item = items.get(line.id);
    const value = placeValue(line.values.place);
    const [boost] = await listBoostOffers(deps, context, line.item);
    const { item: picked } = line;
    rows.push({
      line,
      item,
      name: item === undefined ? '' : itemNameOf(item, language).text,
      grade: picked.kind === 'card' ? grades.find(({ id }) => id === picked.gradeId) : undefined,
      place: placeChoices(places, value).find((choice) => choice.value === value)?.label ?? '',
      boost,
    });
  }
  return rows;
}

function renderItem(
  context: RequestContext,
  { line, item, name, grade, boost }: Row,
  { textOf, errorOf }: RenderedInputs,
): Markup {
  const { language } = context;
  const input = lineInputs.boost(line.id);
  const isSlab = grade !== undefined && grade.serviceKind !== 'internal';
  const isTicked = textOf(input) === 'on' && line.offeredId === boost?.id;
  const certificates = lineInputs.certificates(line.id);
  return html`${
    item === undefined
      ? ''
      : html`<span class="item-name">${renderItemName(itemNameOf(item, language), language)}</span>
          <span class="item-details">${itemDetailsOf(item, language)}</span>`
  }
  ${
    isSlab || textOf(certificates) !== ''
      ? renderCertificates(language, {
          input: certificates,
          name,
          text: textOf(certificates),
          error: errorOf(certificates),
        })
      : ''
  }
  ${boost === undefined ? '' : renderBoostOffer(context, boost, { name: input, isTicked })}`;
}

function renderCertificates(
  language: Language,
  {
    input,
    name,
    text,
    error,
  }: {
    readonly input: string;
    readonly name: string;
    readonly text: string;
    readonly error: string | null;
  },
): Markup {
  const id = fieldId(input);
  return html`<div class="field${error === null ? '' : ' faulty'}">
    <label for="${id}"
      >${certificateMessages[language].label}<span class="unseen"> ${name}</span></label
    >
    <textarea
      id="${id}"
      name="${input}"
      rows="2"
      ${error === null ? '' : html` aria-invalid="true" aria-describedby="${id}-fault"`}
    >
${text}</textarea>
    ${error === null ? '' : html`<p class="fault" id="${id}-fault">${error}</p>`}
  </div>`;
}

function renderQuantity(
  { line, name }: Row,
  { textOf, errorOf }: RenderedInputs,
  language: Language,
): Markup {
  const input = lineInputs.quantity(line.id);
  const [id, error] = [fieldId(input), errorOf(input)];
  return html`<div class="${error === null ? '' : 'faulty'}">
    <input
      type="text"
      class="count"
      id="${id}"
      name="${input}"
      value="${textOf(input)}"
      inputmode="numeric"
      autocomplete="off"
      maxlength="12"
      aria-label="${receiveLineMessages[language].quantityOf(name)}"
      ${error === null ? '' : html` aria-invalid="true" aria-describedby="${id}-fault"`}
    />
    ${error === null ? '' : html`<p class="fault" id="${id}-fault">${error}</p>`}
  </div>`;
}
