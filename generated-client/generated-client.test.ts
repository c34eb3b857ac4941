import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ManualClock } from '../server/src/base/clock.ts';
import { AppClient } from '../server/test/app-client.ts';
import { seedShop, startTestService } from '../server/test/service.ts';
import { seedCatalog } from '../server/test/shop-api.ts';
import { openTestDatabase } from '../server/test/test-database.ts';

const run = promisify(execFile);
const here = import.meta.dirname;
const GENERATOR = join(here, 'node_modules/openapi-typescript/bin/cli.js');
const COMPILER = join(here, 'node_modules/typescript/bin/tsc');

/** The strictest options. The types of libraries are checked too. */
const COMPILER_OPTIONS = {
  target: 'es2022',
  // openapi-fetch needs the types of `fetch`, `Request` and `Response`.
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  outDir: 'out',
};

interface Program {
  readonly writeAndRead: (setup: Readonly<Record<string, string>>) => Promise<string[]>;
}

/**
 * Starts a proxy that acts as a later release of version 1: its feed has one more kind of record, and
 * every object one more member.
 */
async function startLaterService(partnerUrl: string): Promise<LaterService> {
  const server = createServer((request, response) => {
    void forward(partnerUrl, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface LaterService extends AsyncDisposable {
  readonly url: string;
}

async function forward(
  partnerUrl: string,
  { url = '', method = 'GET', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { authorization = '' } = headers;
  const answer = await fetch(`${partnerUrl}${url}`, { method, headers: { authorization } });
  const type = answer.headers.get('content-type') ?? '';
  const link = answer.headers.get('link');
  const text = await answer.text();
  const body = type.startsWith('application/json')
    ? JSON.stringify(withAdditions(JSON.parse(text)))
    : text;
  const forwarded = { 'content-type': type, ...(link === null ? {} : { link }) };
  response.writeHead(answer.status, forwarded).end(body);
}

function withAdditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAdditions);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [
    name,
    name === 'changes' && Array.isArray(each)
      ? [LATER_CHANGE, ...each.map(withAdditions)]
      : withAdditions(each),
  ]);
  return { ...Object.fromEntries(members), laterMember: { isKnown: false } };
}

const LATER_CHANGE = {
  kind: 'tournament',
  id: '00000000-0000-4000-8000-000000000001',
  changedAt: '2027-01-01T00:00:00.000Z',
  data: { seats: 16 },
};

describe('clients generated from the OpenAPI documents', () => {
  it('compile with strict options, write and read stock, and accept additions to version 1', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    await using later = await startLaterService(service.partnerUrl);
    const seeded = await seedShop(service);
    const { cardId, productId } = await seedCatalog(base.db, new ManualClock(new Date()));
    const { access_token: accessToken } = await new AppClient(service, seeded).tokens();
    await mkdir(join(here, 'dist'), { recursive: true });
    const folder = await mkdtemp(join(here, 'dist/run-'));
    try {
      const { writeAndRead } = await generate(folder, service.publicUrl);
      const { shopUrl } = service;
      const { shopKey } = seeded;
      const setup = { partnerUrl: later.url, accessToken, shopUrl, shopKey, cardId, productId };
      assert.deepEqual(await writeAndRead(setup), [
        'connected to Kumo Cards, active',
        'skipped a tournament',
        // The site comes after its location, because adding the location has changed the site.
        'location A-1',
        'site 本店 with 1 location',
        'skipped a tournament',
        'unit 蒼天竜アルバ in_stock 1200',
        'unit 星降るBOX in_stock 1200',
        'photo: not_found',
        'open boost of 蒼天竜アルバ (any grade) at 900',
        'open boost of 星降るBOX (box) at 700',
        'card 蒼天竜アルバ of skyfall',
        `refused: invalid_request, <${service.publicUrl}/docs/errors#invalid_request>; rel="help"`,
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** Generates the types of both clients as a developer does, compiles the program, and loads it. */
async function generate(folder: string, publicUrl: string): Promise<Program> {
  await Promise.all(
    ['partner-v1', 'shop-v1'].map(async (name) => {
      const url = `${publicUrl}/openapi/${name}.json`;
      await run(process.execPath, [GENERATOR, url, '--output', join(folder, `${name}.d.ts`)]);
    }),
  );
  await copyFile(join(here, 'program/write-and-read.ts'), join(folder, 'write-and-read.ts'));
  const project = { compilerOptions: COMPILER_OPTIONS, files: ['write-and-read.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  await run(process.execPath, [COMPILER, '--project', folder]).catch((error: unknown) => {
    const told = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    throw new Error(`the program does not compile:\n${told}`, { cause: error });
  });
  const program: Program = await import(join(folder, 'out/write-and-read.js'));
  return program;
}
