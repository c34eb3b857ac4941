// Proves that an import that is killed (-9) and run again leads to the same catalog as one that is
// not killed, and that importing a very large file needs little memory. All cards of a large game
// in all languages are 2 GB.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import type { Card } from '../src/catalog/card.ts';
import { createElementReader } from '../src/catalog/formats/element-reader.ts';
import { readCards } from '../src/catalog/read-entries.ts';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { CARDPORT_PROGRAM, cleanEnvironment } from '../test/cardport.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { makeBulkCard, generateBulkFile, paddedCardCount } from './bulk-cards.ts';

const isFull = process.env['PROVE_FULL'] === '1';
const KILLS = isFull ? 24 : 4;
/** The number of cards in the file of a killed import. The import takes about 25 transactions. */
const CARDS = 10_000;
/**
 * No kill comes before this share of the import's duration, because nothing has been written by
 * then.
 */
const EARLIEST_KILL = 0.2;
const MEGABYTES = isFull ? 2_000 : 200;
/** The memory limit of a large import: 200 MB for a file of 2 GB. */
const RESIDENT_KB_MAX = 200_000;

const countChanges = statement<{ cards: number; changes: number; entries: number }>(
  'prove_import_count_changes',
  `select (select count(*) from card)::int as cards, count(*)::int as changes,
          count(distinct entry_id)::int as entries from catalog_change`,
);

describe('an import in a public format that is killed with kill -9', () => {
  it(`a killed import leads to the same catalog after another import (${KILLS} kills)`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cardport-import-'));
    try {
      await using base = await openTestDatabase();
      await killImports(folder, base, (line) => t.diagnostic(line));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('an import of a large file', () => {
  it(`the import of ${MEGABYTES} MB uses less than ${RESIDENT_KB_MAX} kB of memory`, async (t) => {
    await using base = await openTestDatabase();
    const cards = paddedCardCount(MEGABYTES);
    const began = performance.now();
    const child = startImport(base, '-');
    const printed = collect(child);
    const ended = waitForExit(child);
    const peaks: number[] = [];
    const timer = setInterval(() => {
      const peak = residentPeakKb(child.pid ?? 0);
      if (peak > 0) peaks.push(peak);
    }, 100);
    assert.ok(child.stdin !== null);
    await pipeline(Readable.from(generateBulkFile(cards, 0, true)), child.stdin);
    assert.equal(await ended, 0, await printed);
    clearInterval(timer);
    const seconds = (performance.now() - began) / 1_000;
    const peak = peaks.at(-1) ?? 0;
    const half = peaks[Math.floor(peaks.length / 2)] ?? 0;
    t.diagnostic((await printed).trim());
    t.diagnostic(
      `${MEGABYTES} MB in ${seconds.toFixed(0)} s; peak memory ${peak} kB, ${half} kB halfway`,
    );
    assert.ok(peak > 0 && peak < RESIDENT_KB_MAX, `${peak} kB`);
  });
});

/**
 * Imports two versions of a file alternately, kills each import at a random moment and runs it
 * again to the end.
 */
async function killImports(
  folder: string,
  base: TestDatabase,
  tell: (line: string) => void,
): Promise<void> {
  const versions = [0, 1].map((version) => {
    const file = join(folder, `${version}.json`);
    writeFileSync(file, Buffer.concat([...generateBulkFile(CARDS, version, false)]));
    return { file, cards: expectedCards(version) };
  });
  let wholeMs = 3_000;
  let inTheMiddle = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const [version, other] = kill % 2 === 0 ? versions : versions.toReversed();
    assert.ok(version !== undefined && other !== undefined);
    const child = startImport(base, version.file);
    child.stdin?.end();
    const ended = waitForExit(child);
    await new Promise((resolve) =>
      setTimeout(resolve, (EARLIEST_KILL + Math.random() * (1 - EARLIEST_KILL)) * wholeMs),
    );
    child.kill('SIGKILL');
    await ended;
    // Every stored card must belong to one of the two versions.
    const found = await readAll(base.db, version.cards);
    for (const [id, card] of found) {
      const wanted = [version.cards.get(id), other.cards.get(id)];
      assert.ok(
        wanted.some((each) => isSame(card, each)),
        JSON.stringify(card),
      );
    }
    const isNew = (card: Card): boolean =>
      isSame(card, version.cards.get(card.id)) && !isSame(card, other.cards.get(card.id));
    const written = [...found.values()].filter(isNew).length;
    const differing = [...version.cards.values()].filter(
      (card) => !isSame(card, other.cards.get(card.id)),
    ).length;
    if (written > 0 && written < differing) inTheMiddle += 1;
    const began = performance.now();
    const again = startImport(base, version.file);
    again.stdin?.end();
    const printed = collect(again);
    assert.equal(await waitForExit(again), 0, await printed);
    wholeMs = performance.now() - began;
    assert.deepEqual(await readAll(base.db, version.cards), version.cards);
    const counts = await base.db.one(countChanges);
    const all = version.cards.size;
    assert.deepEqual(counts, { cards: all, changes: all, entries: all });
  }
  tell(`${KILLS} kills, ${inTheMiddle} of them with a part of the changes written`);
}

function expectedCards(version: number): Map<string, Card> {
  const opened = createElementReader('scryfall', { languages: [], sets: new Map() });
  assert.ok(opened.kind === 'open');
  const cards = new Map<string, Card>();
  for (let n = 0; n < CARDS; n++) {
    const reading = opened.read(makeBulkCard(n, version));
    assert.ok(reading.kind === 'entries');
    for (const entry of reading.entries) {
      assert.ok(entry.kind === 'card');
      cards.set(entry.card.id, entry.card);
    }
  }
  return new Map([...cards].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function readAll(db: Database, cards: ReadonlyMap<string, Card>): Promise<Map<string, Card>> {
  const found = await readCards(db, [...cards.keys()]);
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isSame(card: Card, other: Card | undefined): boolean {
  return (
    other !== undefined && card.rarity?.code === other.rarity?.code && card.name === other.name
  );
}

function startImport(base: TestDatabase, file: string): ChildProcess {
  const args = ['catalog', 'import', '--form', 'scryfall', file];
  return spawn(CARDPORT_PROGRAM, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: cleanEnvironment({ DATABASE_URL: base.url, SECRET_KEY: TEST_SECRET_KEY }),
  });
}

async function waitForExit(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
}

async function collect(child: ChildProcess): Promise<string> {
  let printed = '';
  child.stdout?.on('data', (part: Buffer) => (printed += part.toString()));
  child.stderr?.on('data', (part: Buffer) => (printed += part.toString()));
  return await new Promise((resolve) => {
    child.once('close', () => resolve(printed));
  });
}

/** Returns the peak resident memory of a process (VmHWM), or 0 if the process has ended. */
function residentPeakKb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
