import { html } from 'hono/html';
import { blankInvisible } from '../../base/plain-text.ts';
import { listPlaces } from '../../inventory/places.ts';
import { guessLayout } from '../../stock-file/columns.ts';
import { FILE_BYTES_MAX } from '../../stock-file/decode.ts';
import { fileFaultText } from '../../stock-file/fault-text.ts';
import type { FileSettings } from '../../stock-file/import-stock-file.ts';
import type { ImportRunner } from '../../stock-file/import-runner.ts';
import { readTable } from '../../stock-file/read-table.ts';
import {
  addImport,
  findLayout,
  IMPORTS_MAX,
  selectImports,
  type StockImport,
} from '../../stock-file/stock-import.ts';
import type { ConsoleDeps } from '../deps.ts';
import { errorSummary } from '../parts/notes.ts';
import { radioField, selectField } from '../parts/field.ts';
import { fileInput } from '../parts/file-input.ts';
import { mountFileForm, type ReceivedForm } from '../parts/file-form.ts';
import { submitButton } from '../parts/button.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import { EDIT_STOCK_PERMISSIONS, type SectionRoutes } from '../section.ts';
import { importMessages } from './messages/import.ts';
import { parsePlace, placeChoices } from './place-choice.ts';

/** The memory for uploads: two files of the maximum size for each shop, and eight in all. */
const LIMITS = {
  fileBytesMax: FILE_BYTES_MAX,
  heldBytesMax: 8 * FILE_BYTES_MAX,
  shopBytesMax: 2 * FILE_BYTES_MAX,
};
const NAME_CHARACTERS_MAX = 100;

export async function mountImportUpload(
  routes: SectionRoutes,
  deps: ConsoleDeps,
  runner: ImportRunner,
): Promise<void> {
  routes.page(
    '/stock/import',
    EDIT_STOCK_PERMISSIONS,
    async (context) => await uploadPage(deps, context, null),
  );
  await mountFileForm<null>(routes, {
    path: '/stock/import',
    needed: EDIT_STOCK_PERMISSIONS,
    noun: 'file',
    ...LIMITS,
    find: async () => null,
    accept: async (context, _target, form) => {
      const gate = async (tx: Parameters<typeof routes.gate.reauthorize>[0]): Promise<void> =>
        await routes.gate.reauthorize(tx, context, EDIT_STOCK_PERMISSIONS);
      return await upload({ deps, runner, gate }, context, form);
    },
    refuse: async (context, _target, error) =>
      await uploadPage(deps, context, importMessages[context.language].errors[error]),
  });
}

interface UploadDeps {
  readonly deps: ConsoleDeps;
  readonly runner: ImportRunner;
  /** Checks the session and permission again, after the file has arrived. */
  readonly gate: (tx: Parameters<SectionRoutes['gate']['reauthorize']>[0]) => Promise<void>;
}

async function upload(
  { deps, runner, gate }: UploadDeps,
  context: RequestContext,
  { fields, name, pieces }: ReceivedForm,
): Promise<ConsoleResponse> {
  const { shop, account, now, language } = context;
  const file = Buffer.concat(pieces);
  const parsed = await readTable(file);
  if (parsed.kind === 'file_fault') {
    return await uploadPage(deps, context, fileFaultText(parsed, language));
  }
  const known = await findLayout(deps.db, shop.id, parsed.headers);
  const place = parsePlace(fields.get('place'));
  const settings: FileSettings = {
    mapping: permittedMapping(context, known ?? guessLayout(parsed.headers).mapping),
    siteId: place?.siteId ?? null,
    locationId: place?.locationId ?? null,
    isDelivery: fields.get('kind') === 'delivery',
    itemChoices: {},
    gradeChoices: {},
  };
  const rowsTotal = parsed.rows.length;
  const fileName = cleanName(name);
  const importId = await deps.write(shop.id, async (tx) => {
    await gate(tx);
    const added = { accountId: account.id, fileName, file, settings, rowsTotal };
    return await addImport(tx, shop.id, added, now);
  });
  runner.start(shop, importId);
  return redirectTo(context.shopPath(`/stock/import/${importId}`));
}

/** Removes the cost column from the mapping if the member may not see costs. */
export function permittedMapping(
  context: RequestContext,
  { cost, ...mapping }: FileSettings['mapping'],
): FileSettings['mapping'] {
  return context.can('inventory.cost') && cost !== undefined ? { ...mapping, cost } : mapping;
}

/** Returns true if the member may see an import: their own, or any if they may see costs. */
export function maySeeImport(
  context: RequestContext,
  { accountId }: Pick<StockImport, 'accountId'>,
): boolean {
  return accountId === context.account.id || context.can('inventory.cost');
}

function cleanName(name: string): string {
  const plain = blankInvisible(name.toWellFormed()).trim();
  return [...(plain === '' ? 'stock.csv' : plain)].slice(0, NAME_CHARACTERS_MAX).join('');
}

async function uploadPage(
  { db }: ConsoleDeps,
  context: RequestContext,
  fault: string | null,
): Promise<ConsoleResponse> {
  const { shop, language, format } = context;
  const messages = importMessages[language];
  const [places, imports] = await Promise.all([
    listPlaces(db, shop.id),
    db.query(selectImports, [shop.id, IMPORTS_MAX]),
  ]);
  const recent = imports.filter((each) => maySeeImport(context, each));
  const choices = [{ value: '', label: messages.noPlace }, ...placeChoices(places, null)];
  const [only, other] = choices.slice(1);
  const value = other === undefined ? (only?.value ?? '') : '';
  const path = context.shopPath('/stock/import');
  // The token and the fields come first, so that they are read before the file is buffered.
  const content = html`<p>
      ${messages.lead} <a href="/docs/stock-files?lang=${language}">${messages.help}</a>
    </p>
    ${errorSummary(messages.fault, fault === null ? [] : [{ field: 'file', text: fault }])}
    <form method="post" enctype="multipart/form-data" action="${path}">
      ${context.formToken} ${selectField({ name: 'place', label: messages.place, value, choices })}
      ${radioField({
        name: 'kind',
        label: messages.kind,
        value: 'list',
        choices: [
          { value: 'list', label: messages.list },
          { value: 'delivery', label: messages.delivery },
        ],
      })}
      <div class="field${fault === null ? '' : ' faulty'}">
        <label for="field-file">${messages.file}</label>
        <p class="hint" id="field-file-hint">${messages.fileHint}</p>
        ${fileInput(language, {
          id: 'field-file',
          name: 'file',
          accept: '.csv,.tsv,.txt,text/csv,text/plain',
          describedBy: 'field-file-hint',
          isInvalid: fault !== null,
        })}
      </div>
      ${submitButton(messages.upload)}
    </form>
    ${
      recent.length === 0
        ? ''
        : html`<h2>${messages.recent}</h2>
            ${table({
              caption: messages.recent,
              rows: recent,
              columns: [
                [messages.file, (each) => html`<a href="${path}/${each.id}">${each.fileName}</a>`],
                [messages.uploaded, (each) => format.ago(each.createdAt)],
                [messages.state, (each) => messages.states[each.state]],
              ],
            })}`
    }`;
  return showPage({
    title: messages.title,
    section: 'stock',
    status: fault === null ? 200 : 422,
    back: { href: context.shopPath('/stock'), label: messages.stock },
    content,
  });
}
