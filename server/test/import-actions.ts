import assert from 'node:assert/strict';
import { addCheckedImport } from './checked-import.ts';
import { idFromUrl, type Person } from './browser-person.ts';

const PATH = '/stock/import';

/** Uploads a stock file, maps its columns and imports it; then removes another import. */
export async function runImportActions(person: Person): Promise<void> {
  const { base, shop, site, card } = person.scene;
  await person.open('/stock');
  await person.follow(PATH);
  const file = `Spalte,数\n${card.name},2\n`;
  await choose(person, file.replace('\n', '\n"'));
  await person.send(PATH);
  await person.expectError();
  await person.checkPage(422);
  await choose(person, file);
  await person.field('place').selectOption({ label: site.name });
  await person.send(PATH);
  const id = idFromUrl(person.page);
  await waitForProgressToEnd(person);
  await person.field('column.0').selectOption('name');
  await person.field('column.1').selectOption('quantity');
  await person.send(`${PATH}/${id}/check`);
  await waitForProgressToEnd(person);
  await person.checkPage(200);
  await person.send(`${PATH}/${id}/apply`);
  await waitForProgressToEnd(person);
  await person.page.locator('.note.good').waitFor();
  const other = await base.db.transaction(
    async (tx) => await addCheckedImport(tx, shop.shop.id, shop.member.account.id, 'other.csv'),
  );
  await person.open(`${PATH}/${other}`);
  await person.send(`${PATH}/${other}/remove`);
  await person.open(PATH);
  assert.equal(await person.page.locator(`a[href$="${other}"]`).count(), 0);
}

async function choose(person: Person, text: string): Promise<void> {
  const file = { name: '在庫.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await person.field('file').setInputFiles(file);
}

/** Waits until the page of an import shows no progress and no longer reloads itself. */
async function waitForProgressToEnd({ page }: Person): Promise<void> {
  await page.locator('main:not(:has(progress))').waitFor();
}
