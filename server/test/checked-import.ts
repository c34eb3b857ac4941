import type { Transaction } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { rowFault } from '../src/stock-file/fault.ts';
import { addImport } from '../src/stock-file/stock-import.ts';

export const setImportChecked = statement(
  'test_set_stock_import_checked',
  `update stock_import set state = 'checked', faults = $3, questions = $4, counts = $5
  where shop_id = $1 and import_id = $2`,
);

/**
 * Adds a stock import in the state `checked`, with a new unit, a fault and an open question. `text` appears as
 * the name of the file, a column header, the name of an item and a choice.
 */
export async function addCheckedImport(
  tx: Transaction,
  shopId: string,
  accountId: string,
  text: string,
): Promise<string> {
  const quoted = `"${text.replaceAll('"', '""')}"`;
  const added = {
    accountId,
    fileName: text,
    file: Buffer.from(`${quoted},Name\r\nx,${quoted}\r\n`),
    settings: {
      mapping: { name: 1 },
      siteId: null,
      locationId: null,
      isDelivery: false,
      itemChoices: {},
      gradeChoices: {},
    },
    rowsTotal: 1,
  };
  const importId = await addImport(tx, shopId, added, new Date());
  const faults = JSON.stringify([rowFault(2, 'unknown_item', 'name', text)]);
  const choices = [{ value: 'card:x', label: text }];
  const questions = JSON.stringify([{ kind: 'item', key: 'k', text, choices, rows: 1 }]);
  const none = { changed: 0, unchanged: 0, left: 0, rowsWithoutUnits: 0 };
  const counts = JSON.stringify({ ...none, created: 1, rowsRefused: 1, rowsOpen: 1 });
  await tx.count(setImportChecked, [shopId, importId, faults, questions, counts]);
  return importId;
}
