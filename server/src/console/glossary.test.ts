import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import type { ConsoleRoute } from './routes.ts';

const GLOSSARY = new URL('../../../GLOSSARY.md', import.meta.url);

/** Where the address of a shop's page begins; the table leaves it out. */
const OF_SHOP = '/console/shops/:slug';

const METHODS = ['GET', 'POST'] as const;

/** Each address of the table as `GET /path: a & b`, `a | b`, or the word for nothing. */
function readTable(markdown: string): string[] {
  const [, section = ''] = markdown.split('### The addresses\n');
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).flatMap((row) => {
    const [, needed = '', ...cells] = row.split(/(?<!\\)\|/);
    const permissions = codesOf(needed).toSorted();
    const words =
      permissions.length === 0
        ? needed.trim()
        : permissions.join(needed.includes(' and ') ? ' & ' : ' | ');
    return METHODS.flatMap((method, place) =>
      codesOf(cells[place] ?? '').map((path) => {
        const whole = path.startsWith('/console') ? path : `${OF_SHOP}${path}`;
        return `${method} ${whole}: ${words}`;
      }),
    );
  });
}

function codesOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** A route as the table says it. */
function sayRoute(route: ConsoleRoute): string {
  return `${route.method} ${route.path}: ${sayNeeded(route)}`;
}

function sayNeeded({ needed, isOfShop, isOpen }: ConsoleRoute): string {
  if (isOpen) return 'holding the link of an invitation';
  if (needed === null) return isOfShop ? 'none' : 'signed in';
  if (typeof needed === 'string') return needed;
  return 'all' in needed ? needed.all.toSorted().join(' & ') : [...needed].toSorted().join(' | ');
}

describe('the glossary', () => {
  it('names every page and form of the console once, with the permission that it needs', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const told = readTable(readFileSync(GLOSSARY, 'utf8'));
    const { consoleRoutes } = service;
    assert.ok(consoleRoutes.length > 60);
    assert.deepEqual(told.toSorted(), consoleRoutes.map(sayRoute).toSorted());
  });

  it('is read as it stands: an address that is missing, moved or needs something else is seen', () => {
    const table =
      '### The addresses\n| Needed | Pages | Forms |\n|---|---|---|\n' +
      '| none | `/console/shops/:slug` | |\n' +
      '| `b.write` and `a.read` | `/x` | `/x` `/y/:id` |\n| `b` or `a` | `/z` | |\n';
    assert.deepEqual(readTable(table), [
      'GET /console/shops/:slug: none',
      'GET /console/shops/:slug/x: a.read & b.write',
      'POST /console/shops/:slug/x: a.read & b.write',
      'POST /console/shops/:slug/y/:id: a.read & b.write',
      'GET /console/shops/:slug/z: a | b',
    ]);
  });
});
