import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import {
  makePngClaimingSize,
  makeCorneredPng,
  makeCameraJpeg,
  makePlainImage,
  METADATA_WORDS,
} from '../../../test/images.ts';
import { formTo, type PlainBrowser } from '../../../test/plain-browser.ts';
import { seedShop } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import {
  type ShopBrowser,
  openStockConsole,
  type StockConsole,
} from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { readHead } from '../../inventory/feed.ts';
import { findUnitPhotos } from '../../inventory/photo.ts';
import type { UnitPhoto } from '../../inventory/unit-photo.ts';
import { IMAGE_BYTES_MAX } from '../../images/re-encode.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { setMember } from '../../shops/member.ts';
import { endSession, findSession } from '../../shops/session.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { itemCellMessages } from './messages/list.ts';
import { photoErrorMessages } from './messages/unit.ts';

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

describe('photos of units in the console', () => {
  let base: TestDatabase;
  let desk: StockConsole;
  let png: Buffer;
  before(async () => {
    base = await openTestDatabase();
    desk = await openStockConsole(base);
    png = await makeCorneredPng();
  });
  after(async () => {
    await desk[Symbol.asyncDispose]();
    await base.close();
  });

  function addressOf(unitId: string, side: string): string {
    const { service, seeded } = desk;
    return `${service.publicUrl}/console/shops/${seeded.shop.slug}/stock/${unitId}/photos/${side}`;
  }

  async function send(
    browser: PlainBrowser,
    address: string,
    body: FormData | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Sent> {
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'accept-language': 'en', ...headers },
      body,
    });
    const { status } = answer;
    return { status, text: await answer.text(), location: answer.headers.get('location') };
  }

  async function tokenOf(by: ShopBrowser, unitId: string): Promise<string> {
    const page = await by.visit(`/stock/${unitId}`);
    assert.ok(by.browser.cookies.length > 0);
    return formTo(page, '/status', { to: 'sold' }).fields['form_token'] ?? '';
  }

  function formOf(token: string | null, bytes: Uint8Array, type = 'image/jpeg'): FormData {
    const form = new FormData();
    if (token !== null) form.set('form_token', token);
    form.set('photo', new Blob([Uint8Array.from(bytes)], { type }), 'IMG_0001.jpg');
    return form;
  }

  async function upload(
    unitId: string,
    side: string,
    bytes: Uint8Array,
    type?: string,
  ): Promise<Sent> {
    const token = await tokenOf(desk.owner, unitId);
    return await send(desk.owner.browser, addressOf(unitId, side), formOf(token, bytes, type));
  }

  async function photosOf(unitId: string): Promise<readonly UnitPhoto[]> {
    return (await findUnitPhotos(base.db, desk.seeded.shop.id, unitId)) ?? [];
  }

  async function get(
    path: string,
    { cookies }: PlainBrowser = desk.owner.browser,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<Response> {
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    return await fetch(path, { method, redirect: 'manual', headers: { cookie, ...headers } });
  }

  it('are uploaded, re-encoded without metadata, shown with alternative text, replaced and removed', async () => {
    const unitId = await desk.makeUnit();
    const front = await upload(unitId, 'front', await makeCameraJpeg(png, 6));
    assert.equal(front.status, 303, front.text);
    const back = await upload(unitId, 'back', png, 'image/png');
    assert.equal(back.status, 303);
    const page = await desk.owner.visit(`/stock/${unitId}`);
    for (const side of ['front', 'back'] as const) {
      assert.ok(
        page.text.includes(`alt="${itemCellMessages.en.photoOf(side, 'Alba &lt;i&gt;')}"`),
        side,
      );
    }
    const [first] = await photosOf(unitId);
    const shown = await get(`${addressOf(unitId, 'front')}?size=large`);
    const bytes = Buffer.from(await shown.arrayBuffer());
    assert.equal(shown.headers.get('etag'), first?.etag);
    for (const trace of METADATA_WORDS) assert.equal(bytes.includes(trace), false, trace);
    const again = await upload(unitId, 'back', png, 'image/png');
    assert.equal(again.status, 303);
    const { seq } = await readHead(base.db, desk.seeded.shop.id);
    const removed = await desk.owner.browser.submit(page, formTo(page, '/remove'));
    assert.equal(removed.status, 200);
    assert.deepEqual(
      (await photosOf(unitId)).map(({ side }) => side),
      ['back'],
    );
    assert.equal((await readHead(base.db, desk.seeded.shop.id)).seq, seq + 1);
  });

  it('are served with ETag, private caching and nosniff, to members who may see stock', async () => {
    const unitId = await desk.makeUnit();
    await upload(unitId, 'front', png, 'image/png');
    const [photo] = await photosOf(unitId);
    const etag = photo?.etag ?? '';
    const address = addressOf(unitId, 'front');
    const plainGet = await get(`${address}?size=small`);
    assert.equal(plainGet.status, 200);
    assert.equal(plainGet.headers.get('cache-control'), 'private, no-cache');
    assert.equal(plainGet.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(plainGet.headers.get('content-type'), photo?.contentType);
    assert.equal((await plainGet.arrayBuffer()).byteLength, photo?.smallBytes);
    const kept = await get(`${address}?v=${etag.replaceAll('"', '')}`);
    assert.equal(kept.headers.get('cache-control'), 'private, max-age=86400');
    await kept.arrayBuffer();
    const known = await get(address, desk.owner.browser, { 'if-none-match': etag });
    assert.deepEqual([known.status, await known.text()], [304, '']);
    const told = await get(address, desk.owner.browser, {}, 'HEAD');
    assert.equal(told.headers.get('content-length'), String(photo?.largeBytes));
    const other = await seedShop(base);
    const stranger = await openSignedIn(desk.service, base.db, other.member.account.id);
    const noStock = await desk.member(['purchases.read']);
    const statuses = [
      get(address, stranger),
      get(address, noStock.browser),
      get(addressOf(unitId, 'back')),
      get(addressOf(unitId, 'top')),
      get(addressOf(newId(), 'front')),
      get(`${address}?size=huge`),
    ].map(async (answer) => {
      const { status, body } = await answer;
      await body?.cancel();
      return status;
    });
    assert.deepEqual(await Promise.all(statuses), [404, 403, 404, 404, 404, 404]);
    const nobody = await fetch(address, { redirect: 'manual' });
    assert.equal(nobody.status, 303);
    await nobody.text();
  });

  it('are rejected with a message on the unit’s page if they are unreadable, and not written', async () => {
    const unitId = await desk.makeUnit();
    const heic = Buffer.from('\0\0\0\u0018ftypheic\0\0\0\0mif1heic', 'latin1');
    const { seq } = await readHead(base.db, desk.seeded.shop.id);
    for (const [bytes, type, sentence] of [
      [heic, 'image/heic', photoErrorMessages.en.heic],
      [heic, 'image/jpeg', photoErrorMessages.en.heic],
      [Buffer.from('GIF89a……'), 'image/gif', photoErrorMessages.en.unsupported],
      [
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        'image/svg+xml',
        photoErrorMessages.en.unsupported,
      ],
      [png.subarray(0, 200), 'image/png', photoErrorMessages.en.unreadable],
      [makePngClaimingSize(9_000, 9_000), 'image/png', photoErrorMessages.en.unreadable],
      [Buffer.alloc(0), 'application/octet-stream', photoErrorMessages.en.empty],
      [Buffer.alloc(IMAGE_BYTES_MAX + 1, 1), 'image/jpeg', photoErrorMessages.en.too_large],
    ] as const) {
      const { status, text } = await upload(unitId, 'front', bytes, type);
      assert.equal(status, 422, `${type} ${text.slice(0, 200)}`);
      assertSays({ text }, sentence);
      assert.match(text, /aria-invalid="true"/);
    }
    const token = await tokenOf(desk.owner, unitId);
    const huge = formOf(token, Buffer.alloc(IMAGE_BYTES_MAX + 100_000, 1));
    const refused = await send(desk.owner.browser, addressOf(unitId, 'front'), huge);
    assert.equal(refused.status, 422);
    assertSays(refused, photoErrorMessages.en.too_large);
    assert.deepEqual(await photosOf(unitId), []);
    assert.equal((await readHead(base.db, desk.seeded.shop.id)).seq, seq);
  });

  it('are rejected without token or permission, for units of another shop, and in malformed forms', async () => {
    const unitId = await desk.makeUnit();
    const { browser } = desk.owner;
    const address = addressOf(unitId, 'front');
    const token = await tokenOf(desk.owner, unitId);
    const picture = await makePlainImage(40, 30, 'jpeg');
    const late = new FormData();
    late.set('photo', new Blob([Uint8Array.from(picture)]), 'a.jpg');
    late.set('form_token', token);
    const two = formOf(token, picture);
    two.append('photo', new Blob([Uint8Array.from(picture)]), 'b.jpg');
    const many = formOf(token, picture);
    for (let count = 0; count < 9; count++) many.append(`more${count}`, 'x');
    const reader = await desk.member(['inventory.read']);
    const other = await seedShop(base);
    const stranger = await openSignedIn(desk.service, base.db, other.member.account.id);
    const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' };
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const broken = { 'content-type': 'multipart/form-data; boundary=x' };
    const sent = async (...[by, to, body, headers]: Parameters<typeof send>): Promise<number> =>
      (await send(by, to, body, headers)).status;
    const refused: Readonly<Record<string, number>> = {
      none: await sent(browser, address, formOf(null, picture)),
      wrong: await sent(browser, address, formOf('x', picture)),
      late: await sent(browser, address, late),
      crossSite: await sent(browser, address, formOf(token, picture), crossSite),
      reader: await sent(reader.browser, address, formOf(token, picture)),
      stranger: await sent(stranger, address, formOf(token, picture)),
      unknown: await sent(browser, addressOf(newId(), 'front'), formOf(token, picture)),
      side: await sent(browser, addressOf(unitId, 'top'), formOf(token, picture)),
      encoded: await sent(browser, address, 'form_token=x', urlEncoded),
      broken: await sent(browser, address, '--x\r\nnonsense', broken),
      noBoundary: await sent(browser, address, 'x', { 'content-type': 'multipart/form-data' }),
      two: await sent(browser, address, two),
      many: await sent(browser, address, many),
    };
    for (const [name, status] of Object.entries(refused)) {
      assert.ok(status >= 400 && status < 500, `${name}: ${status}`);
    }
    assert.deepEqual(
      [refused['reader'], refused['stranger'], refused['unknown'], refused['side']],
      [403, 404, 404, 404],
    );
    assert.deepEqual(await photosOf(unitId), []);
  });

  /** Sends the headers of an upload and a part of the body, and then stops sending. */
  async function begin(
    by: ShopBrowser,
    unitId: string,
    sent: Buffer,
    whole: number,
  ): Promise<Socket> {
    const { host, hostname, port } = new URL(desk.service.publicUrl);
    const cookie = by.browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const { pathname } = new URL(addressOf(unitId, 'front'));
    const socket = connect(Number(port), hostname);
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `host: ${host}`,
      `cookie: ${cookie}`,
      'content-type: multipart/form-data; boundary=b',
      `content-length: ${whole}`,
    ].join('\r\n');
    // Ignore socket errors, because tests destroy the socket.
    socket.on('error', () => undefined);
    socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), sent]));
    // After this request the server has started to read the upload.
    await by.visit(`/stock/${unitId}`);
    return socket;
  }

  function bodyOf(token: string, bytes: Buffer): Buffer {
    const field = `--b\r\ncontent-disposition: form-data; name="form_token"\r\n\r\n${token}\r\n`;
    const file = '--b\r\ncontent-disposition: form-data; name="photo"; filename="a.png"\r\n\r\n';
    return Buffer.concat([Buffer.from(field + file), bytes, Buffer.from('\r\n--b')]);
  }

  async function answerOf(socket: Socket): Promise<string> {
    let text = '';
    for await (const piece of socket) {
      text += String(piece);
      if (text.includes('\r\n\r\n')) break;
    }
    return text;
  }

  it('are not written for a member who lost the permission or the session during the upload', async () => {
    const shopId = desk.seeded.shop.id;
    for (const [what, answer, kept] of [
      ['nothing', /^HTTP\/1\.1 303 .*location: \/console\/shops/s, 1],
      ['permission', /^HTTP\/1\.1 403 /, 0],
      ['member', /^HTTP\/1\.1 (404|303 .*location: \/signin)/s, 0],
      ['session', /^HTTP\/1\.1 303 .*location: \/signin/s, 0],
    ] as const) {
      const unitId = await desk.makeUnit();
      const member = await desk.member(['inventory.read', 'inventory.write']);
      const accountId = await accountOf(member);
      const body = bodyOf(await tokenOf(member, unitId), png);
      const end = Buffer.from('--\r\n');
      const socket = await begin(member, unitId, body, body.length + end.length);
      if (what === 'session') await endSession(base.db, secretOf(member));
      const lost = {
        permission: { permissions: ['inventory.read'] as const },
        member: { isActive: false },
        session: null,
        nothing: null,
      }[what];
      if (lost !== null) {
        await base.db.transaction(async (tx) => {
          await setMember(tx, shopId, accountId, lost, new Date(), OPERATOR);
        });
      }
      socket.write(end);
      assert.match(await answerOf(socket), answer, what);
      socket.destroy();
      assert.equal((await photosOf(unitId)).length, kept, what);
    }
  });

  it('from a member with a slow connection do not block those of another member', async () => {
    const unitId = await desk.makeUnit();
    const other = await desk.member(['inventory.read', 'inventory.write']);
    const token = await tokenOf(other, unitId);
    const big = bodyOf(token, Buffer.alloc(IMAGE_BYTES_MAX - 100, 1));
    const sockets = [
      await begin(other, unitId, big, big.length + 500),
      await begin(other, unitId, big, big.length + 500),
    ];
    // The server reads the second upload only after the first. Reading both concurrently would use
    // up the shop's share of memory.
    for (let turn = 0; turn < 30; turn++) {
      if (sockets.every(({ writableLength }) => writableLength === 0)) break;
      await other.visit(`/stock/${unitId}`);
    }
    const mine = await upload(unitId, 'back', png, 'image/png');
    for (const socket of sockets) socket.destroy();
    assert.equal(mine.status, 303, mine.text.slice(0, 200));
  });

  function secretOf({ browser }: ShopBrowser): string {
    return browser.cookies.find(({ name }) => name === 'cardport_session')?.value ?? '';
  }

  async function accountOf(member: ShopBrowser): Promise<string> {
    return (await findSession(base.db, secretOf(member), new Date()))?.accountId ?? '';
  }
});
