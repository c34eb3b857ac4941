// Proves that CSV files with large quantities, uploaded by clerks of several shops, end neither the
// service nor the requests of other shops, in a memory cgroup of 512 MB.
import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { it } from 'node:test';
import { importCards, newCard } from '../test/catalog.ts';
import { temporaryFolder } from '../test/cardport.ts';
import { formTo, type PlainBrowser } from '../test/plain-browser.ts';
import { type SeededShop, seedShop, TEST_SECRET_KEY } from '../test/service.ts';
import { openSignedIn } from '../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { newId } from '../src/base/secrets.ts';
import { putSite } from '../src/inventory/site.ts';
import { statement } from '../src/database/statement.ts';
import { MemoryGroup } from './fuzz/memory-group.ts';
import { startServiceProcess } from './service-process.ts';

const MEMORY_MB = 512;
const IMPORTS_MS_MAX = 600_000;
const HEADER = 'Item ID,Quantity';

export const selectImportStates = statement<{
  readonly state: string;
  readonly code: string | null;
}>(
  'prove_select_import_states',
  `select state, refusal->>'code' as code from stock_import order by created_at, import_id`,
);

interface Clerk {
  readonly seeded: SeededShop;
  readonly siteId: string;
}

async function seedClerk(base: TestDatabase): Promise<Clerk> {
  const seeded = await seedShop(base);
  const siteId = newId();
  const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
  const site = { code: 'main', name: '本店', kind: 'store' as const, ...place };
  await base.db.transaction(
    async (tx) => await putSite(tx, seeded.shop.id, siteId, site, new Date()),
  );
  return { seeded, siteId };
}

async function upload(
  browser: PlainBrowser,
  origin: string,
  { seeded, siteId }: Clerk,
  file: string,
): Promise<void> {
  const page = await browser.visit(`${origin}/console/shops/${seeded.shop.slug}/stock/import`);
  const form = formTo(page, '/stock/import');
  const body = new FormData();
  for (const [name, value] of Object.entries({ ...form.fields, place: siteId, kind: 'delivery' })) {
    if (name !== 'file') body.append(name, value);
  }
  body.append('file', new Blob([file]), 'stock.csv');
  const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const headers = { cookie, origin };
  const url = new URL(form.action, page.url);
  const sent = await fetch(url, { method: 'POST', redirect: 'manual', headers, body });
  assert.equal(sent.status, 303, await sent.text());
}

function mayLimitMemory(): boolean {
  try {
    accessSync('/sys/fs/cgroup', constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

it(
  'files with 250,000 and with 40,000 units are refused or checked, and another shop is served',
  { skip: mayLimitMemory() ? false : 'needs root and a writable cgroup' },
  async (t) => {
    await using base = await openTestDatabase();
    const card = newCard('月の番人', { cardNumber: '044' });
    await importCards(base.db, [card]);
    const [greedy, second, third, other] = [
      await seedClerk(base),
      await seedClerk(base),
      await seedClerk(base),
      await seedClerk(base),
    ];
    using folder = temporaryFolder();
    using group = new MemoryGroup(MEMORY_MB);
    const environment = { DATABASE_URL: base.url, SECRET_KEY: TEST_SECRET_KEY };
    const program = group.program(folder.path);
    let printed = '';
    const note = (part: string): void => void (printed += part);
    const service = await startServiceProcess(environment, ['serve'], note, program);
    const { url } = service;
    const headers = { authorization: `Bearer ${other.seeded.shopKey}` };
    const statuses: number[] = [];
    let isOver = false;
    const asking = (async (): Promise<void> => {
      while (!isOver) {
        statuses.push((await fetch(`${url}/shop/v1/sites`, { headers })).status);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const rows = (count: number): string => `${card.id},500\n`.repeat(count);
    for (const [clerk, files, count] of [
      [greedy, 5, 500],
      [second, 2, 80],
      [third, 2, 80],
    ] as const) {
      const { account } = clerk.seeded.member;
      const browser = await openSignedIn({ publicUrl: url }, base.db, account.id);
      for (let n = 0; n < files; n++) {
        // A blank line more makes each file another one.
        await upload(browser, url, clerk, `${HEADER}\n${rows(count)}${'\n'.repeat(n)}`);
      }
    }
    const found = async (): Promise<readonly { state: string; code: string | null }[]> =>
      await base.db.query(selectImportStates, []);
    await waitUntil(
      async () => (await found()).every(({ state }) => state === 'checked' || state === 'failed'),
      IMPORTS_MS_MAX,
    );
    isOver = true;
    await asking;
    const states = (await found()).map(({ state, code }) => `${state} ${code}`);
    const refused = 'failed too_many_units';
    const checked = 'checked null';
    assert.deepEqual(states, [...Array(5).fill(refused), ...Array(4).fill(checked)]);
    assert.deepEqual(new Set(statuses), new Set([200]));
    t.diagnostic(`${statuses.length} requests of another shop; ${group.figures}`);
    assert.equal(await service.stop(), 0, printed);
  },
);
