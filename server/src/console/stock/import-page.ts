import { html } from 'hono/html';
import { csvLine, BYTE_ORDER_MARK } from '../../base/csv-line.ts';
import { listGrades } from '../../catalog/shop-grade.ts';
import { listPlaces } from '../../inventory/places.ts';
import { countUnits } from '../../inventory/stock-figures.ts';
import { FILE_FIELDS, type Mapping } from '../../stock-file/columns.ts';
import { FIELD_NAMES, fileFaultText, rowFaultText } from '../../stock-file/fault-text.ts';
import type { RowFault } from '../../stock-file/fault.ts';
import type { FileCounts } from '../../stock-file/import-stock-file.ts';
import { readTable, type Table } from '../../stock-file/read-table.ts';
import {
  selectImportFile,
  type StockImport,
  type StoredQuestion,
} from '../../stock-file/stock-import.ts';
import type { Queryable } from '../../database/database.ts';
import type { Markup } from '../../html/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { type Choice, selectField } from '../parts/field.ts';
import { callout, descriptionList } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { type ConsoleResponse, showPage } from '../response.ts';
import { placeChoices } from './place-choice.ts';
import { COST_FIELDS, importMessages } from './messages/import.ts';
import { receiveMessages } from './messages/unit.ts';

const SHOWN_FAULTS_MAX = 100;
const GRADES_MAX = 200;
/** Further columns and questions are not shown in the form. */
const SHOWN_COLUMNS_MAX = 70;
const SHOWN_QUESTIONS_MAX = 25;
const REFRESH_SECONDS = 2;
const COUNTS: readonly (keyof FileCounts & keyof typeof importMessages.en.counts)[] = [
  'created',
  'changed',
  'unchanged',
  'left',
  'rowsWithoutUnits',
  'rowsRefused',
  'rowsOpen',
];

/** Shows the effect that a file would have, the progress, or the result. */
export async function importPage(
  { db }: ConsoleDeps,
  context: RequestContext,
  found: StockImport,
): Promise<ConsoleResponse> {
  const messages = importMessages[context.language];
  const isWorking = found.state === 'checking' || found.state === 'importing';
  const content = html`<p><strong>${found.fileName}</strong> · ${messages.states[found.state]}</p>
    ${isWorking ? renderProgress(context, found) : await renderResult(db, context, found)}`;
  return showPage({
    title: messages.title,
    section: 'stock',
    isWide: true,
    back: { href: context.shopPath('/stock/import'), label: messages.another },
    ...(isWorking ? { refreshSeconds: REFRESH_SECONDS } : {}),
    content,
  });
}

function renderProgress(
  { language, format }: RequestContext,
  { rowsDone, rowsTotal, isWaiting }: StockImport,
): Markup {
  const messages = importMessages[language];
  const text = messages.rows(format.number(rowsDone), format.number(rowsTotal));
  return html`<p>
      <progress max="${rowsTotal}" value="${rowsDone}" aria-label="${text}"></progress> ${text}
    </p>
    <p class="soft">${isWaiting ? messages.queued : ''} ${messages.waiting}</p>`;
}

async function renderResult(
  db: Queryable,
  context: RequestContext,
  found: StockImport,
): Promise<Markup> {
  const { language } = context;
  const messages = importMessages[language];
  const path = context.shopPath(`/stock/import/${found.id}`);
  if (found.state === 'failed') {
    const { refusal } = found;
    const why = refusal === null ? messages.failed : fileFaultText(refusal, language);
    return html`${callout('bad', why)} ${renderDiscard(context, path)}`;
  }
  const toStock = linkButton({
    href: context.shopPath('/stock'),
    label: messages.toStock,
    kind: 'first',
  });
  const { created = 0, changed = 0 } = found.counts ?? {};
  const apply =
    created + changed === 0
      ? html`<p>${messages.nothing}</p>`
      : actionButton(context, { action: `${path}/apply`, label: messages.apply, kind: 'first' });
  const isChecked = found.state === 'checked';
  const units = isChecked && created > 0 ? await countUnits(db, context.shop.id) : Infinity;
  const { number } = context.format;
  return html`${isChecked ? '' : callout('good', messages.done)}
    ${created > units && units > 0 ? callout('warn', messages.outgrows(number(created), number(units))) : ''}
    <section class="sheet">
      ${renderCounts(context, found.counts)}
      <div class="actions">
        ${isChecked ? html`${apply} ${renderDiscard(context, path)}` : toStock}
      </div>
    </section>
    ${isChecked ? await renderPlace(db, context, found, path) : ''}
    ${renderFaults(context, found.faults, path)}
    ${isChecked ? await renderSettings(db, context, found, path) : ''}`;
}

/** Renders the form that asks for a place, if a row has none. */
async function renderPlace(
  db: Queryable,
  context: RequestContext,
  { faults }: StockImport,
  path: string,
): Promise<Markup | ''> {
  if (!faults.some(({ code }) => code === 'no_site')) return '';
  const messages = importMessages[context.language];
  const places = placeChoices(await listPlaces(db, context.shop.id), null);
  const choices = [{ value: '', label: receiveMessages[context.language].choosePlace }, ...places];
  return html`<section class="sheet">
    <form method="post" action="${path}/check">
      ${context.formToken} ${selectField({ name: 'place', label: messages.place, choices })}
      ${submitButton(messages.checkAgain, 'second')}
    </form>
  </section>`;
}

function renderDiscard(context: RequestContext, path: string): Markup {
  const label = importMessages[context.language].discard;
  return actionButton(context, { action: `${path}/remove`, label, kind: 'plain' });
}

function renderCounts(
  { language, format }: RequestContext,
  counts: FileCounts | null,
): Markup | '' {
  if (counts === null) return '';
  const messages = importMessages[language].counts;
  const shown = COUNTS.filter((name) => name === 'created' || counts[name] > 0);
  return descriptionList(shown.map((name) => [messages[name], format.number(counts[name])]));
}

function renderFaults(
  { language, format }: RequestContext,
  faults: readonly RowFault[],
  path: string,
): Markup | '' {
  if (faults.length === 0) return '';
  const messages = importMessages[language];
  const shown = faults.slice(0, SHOWN_FAULTS_MAX);
  return html`<section class="sheet">
    <h2>${messages.faults}</h2>
    ${linkButton({ href: `${path}/rejected.csv`, label: messages.rejected })}
    ${shown.length < faults.length ? html`<p>${messages.faultsShown(shown.length)}</p>` : ''}
    ${table({
      caption: messages.faults,
      rows: shown,
      columns: [
        [messages.row, ({ row }) => format.number(row)],
        [messages.problem, (fault) => rowFaultText(fault, language)],
      ],
    })}
  </section>`;
}

/** Renders the form in which the member matches columns to fields, and unclear rows to items. */
async function renderSettings(
  db: Queryable,
  context: RequestContext,
  { id, settings, questions }: StockImport,
  path: string,
): Promise<Markup> {
  const { shop, language } = context;
  const messages = importMessages[language];
  const { headers } = await readStoredTable(db, shop.id, id, 'header');
  const fields = fieldChoices(context);
  const grades = questions.some(({ kind }) => kind === 'grade')
    ? await listGrades(db, shop.id, { afterId: null, limit: GRADES_MAX })
    : [];
  const gradeChoices = grades.map((grade) => {
    return { value: grade.id, label: `${grade.serviceName} ${grade.label}` };
  });
  const render = (question: StoredQuestion): Markup => {
    const { kind, key, text, rows, choices } = question;
    const own: readonly Choice[] =
      kind === 'item'
        ? [...choices, { value: 'skip', label: messages.skip }]
        : [{ value: 'none', label: messages.noGrade }, ...gradeChoices];
    return selectField({
      name: `${kind}.${key}`,
      label: messages.questionOf(text, rows),
      value: '',
      choices: [{ value: '', label: messages.choose }, ...own],
    });
  };
  return html`<form class="sheet" method="post" action="${path}/check">
    ${context.formToken} ${questions.length === 0 ? '' : html`<h2>${messages.questions}</h2>`}
    ${questions.slice(0, SHOWN_QUESTIONS_MAX).map(render)}
    <h2>${messages.columns}</h2>
    ${headers.slice(0, SHOWN_COLUMNS_MAX).map((header, column) =>
      selectField({
        name: `column.${column}`,
        label: header === '' ? `${messages.column} ${column + 1}` : header,
        value: fieldOf(settings.mapping, column),
        choices: [{ value: '', label: messages.ignored }, ...fields],
      }),
    )}
    ${submitButton(messages.checkAgain, 'second')}
  </form>`;
}

function fieldOf(mapping: Mapping, column: number): string {
  return FILE_FIELDS.find((field) => mapping[field] === column) ?? '';
}

function fieldChoices(context: RequestContext): readonly Choice[] {
  return FILE_FIELDS.filter(
    (field) => context.can('inventory.cost') || !COST_FIELDS.includes(field),
  ).map((field) => ({ value: field, label: FIELD_NAMES[field][context.language] }));
}

/** Reads the stored file of an import. It was valid when it was uploaded, so an error is a bug. */
export async function readStoredTable(
  db: Queryable,
  shopId: string,
  importId: string,
  part: 'all' | 'header' = 'all',
): Promise<Table> {
  const stored = await db.one(selectImportFile, [shopId, importId]);
  const parsed = await readTable(stored?.file ?? Buffer.alloc(0), part);
  if (parsed.kind === 'file_fault') {
    throw new Error(`the stored file of an import is invalid: ${parsed.code}`);
  }
  return parsed;
}

/** In the CSV, each rejected row begins with its number and errors. */
export async function* rejectedRows(
  db: Queryable,
  { shop, language }: RequestContext,
  { id, faults }: StockImport,
): AsyncGenerator<string> {
  const messages = importMessages[language];
  const { headers, rows } = await readStoredTable(db, shop.id, id);
  const faultsByRow = Map.groupBy(faults, ({ row }) => row);
  yield `${BYTE_ORDER_MARK}${csvLine([messages.row, messages.problem, ...headers])}`;
  for (const { number, cells } of rows) {
    const own = faultsByRow.get(number);
    if (own === undefined) continue;
    const text = own.map((fault) => rowFaultText(fault, language)).join(' ');
    yield csvLine([String(number), text, ...cells.slice(0, headers.length)]);
  }
}
