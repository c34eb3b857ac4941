import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertSays } from '../../../test/console-pages.ts';
import type { PlainBrowser, VisitedPage } from '../../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { AUDIT_ACTIONS, AUDIT_DETAILS, OPERATOR, recordAudit } from '../../shops/audit.ts';
import { permissionName } from '../permission-text.ts';
import { auditFileMessages, auditMessages } from './messages.ts';

const LISTED = 50;
const DAY_MS = 86_400_000;

describe('the audit log of a shop', () => {
  let base: TestDatabase;
  let service: TestService;
  let seeded: SeededShop;
  let english: PlainBrowser;
  let japanese: PlainBrowser;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    seeded = await seedShop(base);
    const { id } = seeded.member.account;
    english = await openSignedIn(service, base.db, id);
    japanese = await openSignedIn(service, base.db, id, { language: 'ja' });
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function visit(sub: string, browser = english): Promise<VisitedPage> {
    return await browser.visit(`${service.url}/console/shops/${seeded.shop.slug}/audit${sub}`);
  }

  it('the audit log shows every action and detail in both languages, newest first', async () => {
    await base.db.transaction(async (tx) => {
      for (const action of AUDIT_ACTIONS) {
        const subject = { kind: 'app', id: 'app_words', name: `of ${action}` } as const;
        await recordAudit(tx, seeded.shop.id, OPERATOR, { action, subject }, new Date());
      }
      const subject = { kind: 'app', id: 'app_words', name: 'of details' } as const;
      const details = Object.fromEntries(AUDIT_DETAILS.map((name) => [name, ['members.manage']]));
      const event = { action: 'app.changed', subject, details } as const;
      await recordAudit(tx, seeded.shop.id, OPERATOR, event, new Date());
    });
    const page = await visit('?about=app_words');
    const places = AUDIT_ACTIONS.map((action) => page.text.indexOf(`>of ${action}<`));
    assert.ok(places.every((place) => place > 0));
    assert.deepEqual(
      places.toSorted((a, b) => b - a),
      places,
      'the newest entry is first',
    );
    assert.equal(
      page.text.split(permissionName('members.manage', 'en')).length - 1,
      AUDIT_DETAILS.length,
    );
    assert.equal(page.text.includes('members.manage'), false);
    const other = await visit('?about=app_words', japanese);
    assertSays(other, auditMessages.ja.title);
    assert.equal(
      other.text.split(permissionName('members.manage', 'ja')).length - 1,
      AUDIT_DETAILS.length,
    );
    // An action without a sentence would be shown as its code.
    for (const action of AUDIT_ACTIONS) assert.equal(other.text.includes(`>${action}<`), false);
  });

  it('the audit log is filtered by actor, kind and time, and shows nothing for an unknown value', async () => {
    const old = new Date(Date.now() - 8 * DAY_MS);
    const by = { kind: 'member', accountId: seeded.member.account.id } as const;
    await base.db.transaction(async (tx) => {
      const subject = { kind: 'shop_key', id: 'key-old', name: 'old key' } as const;
      await recordAudit(tx, seeded.shop.id, by, { action: 'shop_key.created', subject }, old);
    });
    const shows = async (query: string): Promise<boolean> =>
      (await visit(query)).text.includes('>old key<');
    const { id } = seeded.member.account;
    assert.equal(await shows(`?who=member:${id}`), true);
    assert.equal(await shows('?who=operator'), false);
    assert.equal(await shows(`?who=member:${id}&what=keys`), true);
    assert.equal(await shows(`?who=member:${id}&what=apps`), false);
    assert.equal(await shows(`?who=member:${id}&since=30`), true);
    assert.equal(await shows(`?who=member:${id}&since=7`), false);
    const none = await visit('?about=nobody');
    assertSays(none, auditMessages.en.noneOfFilter);
    for (const wrong of [
      '?who=nobody',
      '?what=nothing',
      '?since=8',
      '?before=x',
      '?who[]=operator',
    ]) {
      assert.equal((await visit(wrong)).status, 200, wrong);
    }
  });

  it('the audit log shows 50 entries per page, and each entry on one page only', async () => {
    await base.db.transaction(async (tx) => {
      for (let i = 0; i < LISTED + 1; i++) {
        const subject = { kind: 'app', id: 'app_pages', name: `page entry ${i}` } as const;
        await recordAudit(
          tx,
          seeded.shop.id,
          OPERATOR,
          { action: 'app.changed', subject },
          new Date(),
        );
      }
    });
    const first = await visit('?about=app_pages');
    assert.equal(first.text.split('>page entry ').length - 1, LISTED);
    const next = /<a class="button second" rel="next" href="([^"]*)"/.exec(first.text)?.[1] ?? '';
    const second = await english.visit(`${service.url}${next.replaceAll('&amp;', '&')}`);
    assert.equal(second.text.split('>page entry ').length - 1, 1);
    assert.ok(second.text.includes('>page entry 0<'));
    assert.equal(second.text.includes('rel="next"'), false);
  });

  it('the audit log is exported as CSV without spreadsheet formulas, and as NDJSON unchanged', async () => {
    const name = '=HYPERLINK("https://evil.example")';
    await base.db.transaction(async (tx) => {
      const subject = { kind: 'app', id: '=1+1', name } as const;
      const event = { action: 'app.registered', subject, details: { name } } as const;
      await recordAudit(tx, seeded.shop.id, OPERATOR, event, new Date());
    });
    const csv = await visit('/export.csv?who=operator&before=x');
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.match(
      csv.headers.get('content-disposition') ?? '',
      /^attachment; filename="audit-shop-\d+-\d{4}-\d\d-\d\d\.csv"$/,
    );
    assert.equal(csv.headers.get('x-content-type-options'), 'nosniff');
    const lines = csv.text.split('\r\n');
    assert.equal(lines[0]?.replace('\uFEFF', ''), auditFileMessages.en.columns.join(','));
    assert.match(lines[1] ?? '', /,"[^=,]*=HYPERLINK\(""https:\/\/evil.example""\)[^=,]*",'=1\+1,/);
    const ndjson = await visit('/export.ndjson?what=apps&about=%3D1%2B1');
    const entries = ndjson.text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    assert.equal(entries.length, 1);
    assert.ok(ndjson.text.includes(JSON.stringify(name)));
    const bytes = await fetch(`${service.url}/console/shops/${seeded.shop.slug}/audit/export.csv`, {
      headers: { cookie: english.cookies.map((each) => `${each.name}=${each.value}`).join('; ') },
    });
    const [a, b, c] = new Uint8Array(await bytes.arrayBuffer());
    assert.deepEqual([a, b, c], [0xef, 0xbb, 0xbf], 'a byte order mark for Excel');
  });
});
