import { FILE_FIELDS } from '../../stock-file/columns.ts';
import type { ImportRunner } from '../../stock-file/import-runner.ts';
import type { FileSettings } from '../../stock-file/import-stock-file.ts';
import {
  deleteImport,
  findImport,
  keepValidColumns,
  rememberLayout,
  changeCheckedImport,
  type StockImport,
} from '../../stock-file/stock-import.ts';
import type { ConsoleDeps } from '../deps.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { type ConsoleResponse, NOT_FOUND, redirectTo, sendFile } from '../response.ts';
import { EDIT_STOCK_PERMISSIONS, type SectionRoutes } from '../section.ts';
import { importPage, readStoredTable, rejectedRows } from './import-page.ts';
import { parsePlace } from './place-choice.ts';
import { maySeeImport, mountImportUpload, permittedMapping } from './import-upload.ts';

export async function mountImport(
  routes: SectionRoutes,
  deps: ConsoleDeps,
  runner: ImportRunner,
): Promise<void> {
  await mountImportUpload(routes, deps, runner);
  const withImport =
    (handle: (context: RequestContext, found: StockImport) => Promise<ConsoleResponse>) =>
    async (context: RequestContext): Promise<ConsoleResponse> => {
      const id = parseUuid(context.params['id']);
      const found = id === null ? undefined : await findImport(deps.db, context.shop.id, id);
      return found === undefined || !maySeeImport(context, found)
        ? NOT_FOUND
        : await handle(context, found);
    };
  const path = '/stock/import/:id';
  routes.page(
    path,
    EDIT_STOCK_PERMISSIONS,
    withImport(async (context, found) => await importPage(deps, context, found)),
  );
  routes.page(
    `${path}/rejected.csv`,
    EDIT_STOCK_PERMISSIONS,
    withImport(async (context, found) => {
      const type = 'text/csv; charset=utf-8; header=present';
      return sendFile('rejected-rows.csv', type, rejectedRows(deps.db, context, found));
    }),
  );
  routes.action(
    `${path}/apply`,
    EDIT_STOCK_PERMISSIONS,
    withImport(async (context, found) => await apply(deps, runner, context, found)),
  );
  routes.action(
    `${path}/check`,
    EDIT_STOCK_PERMISSIONS,
    withImport(async (context, found) => await checkAgain(deps, runner, context, found)),
  );
  routes.action(
    `${path}/remove`,
    EDIT_STOCK_PERMISSIONS,
    withImport(async (context, { id }) => {
      const { shop } = context;
      await deps.write(shop.id, async (tx) => await tx.count(deleteImport, [shop.id, id]));
      return redirectTo(context.shopPath('/stock/import'));
    }),
  );
}

async function apply(
  { db, write }: ConsoleDeps,
  runner: ImportRunner,
  context: RequestContext,
  { id, settings }: StockImport,
): Promise<ConsoleResponse> {
  const { shop, now } = context;
  const { headers } = await readStoredTable(db, shop.id, id, 'header');
  const mapping = permittedMapping(context, settings.mapping);
  // The member may have lost the permission for costs since the check.
  const isPermitted = settings.mapping.cost === mapping.cost;
  const next = isPermitted
    ? ({ state: 'importing' } as const)
    : ({ state: 'checking', settings: { ...settings, mapping } } as const);
  await write(shop.id, async (tx) => {
    if (!(await changeCheckedImport(tx, shop.id, id, next)) || !isPermitted) return;
    await rememberLayout(tx, shop.id, headers, settings.mapping, now);
  });
  runner.start(shop, id);
  return redirectTo(context.shopPath(`/stock/import/${id}`));
}

/** Checks the file again with the place, columns and answers of the form. */
async function checkAgain(
  { db, write }: ConsoleDeps,
  runner: ImportRunner,
  context: RequestContext,
  { id, settings, questions }: StockImport,
): Promise<ConsoleResponse> {
  const { shop, form } = context;
  const { headers } = await readStoredTable(db, shop.id, id, 'header');
  // Columns that the form did not show keep their field.
  const kept = new Map(Object.entries(settings.mapping).map(([field, column]) => [column, field]));
  const chosen = headers.map(
    (_header, column) => [form.get(`column.${column}`) ?? kept.get(column), column] as const,
  );
  const fields = Object.fromEntries(
    chosen.flatMap(([field, column]) =>
      field !== undefined && FILE_FIELDS.some((each) => each === field) ? [[field, column]] : [],
    ),
  );
  const answers = (kind: 'item' | 'grade'): Readonly<Record<string, string>> =>
    Object.fromEntries(
      questions
        .filter((question) => question.kind === kind)
        .flatMap(({ key, choices }) => {
          const answer = form.get(`${kind}.${key}`) ?? '';
          const isKnown = answer === 'skip' || choices.some(({ value }) => value === answer);
          if (kind === 'item') return isKnown ? [[key, answer]] : [];
          if (answer === 'none') return [[key, '']];
          return parseUuid(answer) === null ? [] : [[key, answer]];
        }),
    );
  const changed: FileSettings = {
    ...settings,
    ...parsePlace(form.get('place')),
    mapping: permittedMapping(context, keepValidColumns(fields, headers.length)),
    itemChoices: { ...settings.itemChoices, ...answers('item') },
    gradeChoices: { ...settings.gradeChoices, ...answers('grade') },
  };
  await write(
    shop.id,
    async (tx) =>
      await changeCheckedImport(tx, shop.id, id, { state: 'checking', settings: changed }),
  );
  runner.start(shop, id);
  return redirectTo(context.shopPath(`/stock/import/${id}`));
}
