import { formTo, type VisitedPage } from './plain-browser.ts';
import type { ShopBrowser, StockConsole } from './stock-console.ts';
import { statement } from '../src/database/statement.ts';

export const countImportedUnits = statement<{ readonly units: number; readonly costs: number }>(
  'test_count_imported_units',
  'select count(*)::int as units, count(cost_minor)::int as costs from unit where shop_id = $1',
);

/** Three units, and a row that is refused. */
export const STOCK_FILE =
  'Name,Card number,Quantity,Price,Cost\n月の番人,044,3,1200,700\nNobody,999,1,500,\n';

interface Upload {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

/** Uploads a file on the page, as a browser does. */
export async function uploadStockFile(
  desk: StockConsole,
  shopBrowser: ShopBrowser,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Upload> {
  const { browser } = shopBrowser;
  const page = await shopBrowser.visit('/stock/import');
  const form = formTo(page, '/stock/import');
  const body = new FormData();
  const place = `${desk.siteId}/${desk.locationId}`;
  for (const [name, value] of Object.entries({ ...form.fields, place, ...fields })) {
    if (name !== 'file') body.append(name, value);
  }
  body.append('file', new Blob([content]), 'stock.csv');
  const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const response = await fetch(new URL(form.action, page.url), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: desk.service.publicUrl, 'accept-language': 'ja' },
    body,
  });
  const { status, headers } = response;
  const location = headers.get('location')?.replace(/^.*(?=\/stock\/import)/, '') ?? '';
  return { status, location, text: await response.text() };
}

/** Visits the page of an import until the import has been processed. */
export async function settled(shopBrowser: ShopBrowser, path: string): Promise<VisitedPage> {
  for (let visits = 0; visits < 1_000; visits++) {
    const page = await shopBrowser.visit(path);
    if (!page.headers.has('refresh')) return page;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the import did not end');
}

/** Counts the units, and those with a cost. */
export async function counted({ db, seeded }: StockConsole): Promise<readonly number[]> {
  const row = await db.one(countImportedUnits, [seeded.shop.id]);
  return [row?.units ?? 0, row?.costs ?? 0];
}
