import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sharedMessages } from '../console/shared-messages.ts';
import { defineMessages } from './messages.ts';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));

type Table = Readonly<Record<string, unknown>>;

/** The English texts of the messages that every table of the console contains. */
const SHARED: ReadonlyMap<string, unknown> = new Map(
  Object.entries(sharedMessages).map(([key, { en }]) => [key, en]),
);

/** Lists the paths of messages: `name` and `where.city` for `{ name, where: { city } }`. */
function pathsOf(table: Table, prefix = ''): string[] {
  return Object.entries(table).flatMap(([key, value]) =>
    isTable(value) ? pathsOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Matches `const messages = xMessages[language]`, and a parameter of type `MessagesOf<…>`. */
const NAMED =
  /const (?<constant>\w+)(?:: [^=]+)? = (?<of>\w+)\[[^\]]+\];|\b(?<given>\w+): MessagesOf<typeof (?<type>\w+)>/;
/** Matches `const { title, name: label } = xMessages[language]`. */
const TAKEN_APART = /const \{(?<names>[^}=]+)\} = (?<from>\w+)(?:\[[^\]]+\])?;/;
/** Matches an access to a message, such as `messages.name` or `xMessages[language].names[name]`. */
const READ = /(?<![.\w])(?<owner>\w+)(?<bracket>\[[^\]]+\])?(?<path>(?:\s*\.\w+)+\[?|\[)/;
const STEP = new RegExp([NAMED, TAKEN_APART, READ].map(({ source }) => source).join('|'), 'g');

/** Lists the messages that a source reads: `table.key`, or `table.key[` before an expression. */
function readsOf(source: string): string[] {
  const tables = new Map<string, string>();
  return [...source.matchAll(STEP)].flatMap(({ groups = {} }) => {
    const { constant, of, given, type, names, from, owner = '', bracket, path = '' } = groups;
    const local = constant ?? given;
    const table = of ?? type;
    if (local !== undefined && table !== undefined) {
      tables.set(local, tables.get(table) ?? table);
      return [];
    }
    const known = (name = ''): string => tables.get(name) ?? name;
    if (names === undefined) {
      // The first brackets after a table select the language, and brackets after a key the message.
      if (tables.has(owner) && bracket !== undefined) return [`${known(owner)}[`];
      if (!tables.has(owner) && bracket === undefined && path === '[') return [];
      return [`${known(owner)}${path.replaceAll(/\s/g, '')}`];
    }
    return names.split(',').map((name) => `${known(from)}.${name.split(':')[0]?.trim()}`);
  });
}

/** Returns the messages of a table that no source file reads. */
function findUnused(name: string, table: Table, reads: ReadonlySet<string>): string[] {
  return pathsOf(table, `${name}.`).filter((path) => {
    const keys = path.split('.');
    const groups = keys.slice(1).map((_, depth) => keys.slice(0, depth + 1).join('.'));
    const isReadWhole = groups.some((group) => reads.has(group) || reads.has(`${group}[`));
    return (
      !isReadWhole && !reads.has(path) && ![...reads].some((read) => read.startsWith(`${path}.`))
    );
  });
}

/** Returns a table without the messages that it shares with other tables. */
function ownOf(table: Table): Table {
  return Object.fromEntries(
    Object.entries(table).filter(([key, text]) => SHARED.get(key) !== text),
  );
}

/** Returns the shared messages that no source reads, from `sharedMessages` or from another table. */
function findUnusedShared(
  tables: ReadonlyMap<string, Table>,
  reads: ReadonlySet<string>,
): string[] {
  return [...SHARED.keys()].filter(
    (key) =>
      !reads.has(`sharedMessages.${key}`) &&
      ![...tables].some(([name, own]) => !(key in own) && reads.has(`${name}.${key}`)),
  );
}

/** Returns all tables without shared messages, and the messages that source files read. */
async function readTables(): Promise<{ tables: Map<string, Table>; reads: Set<string> }> {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts'));
  const tables = new Map<string, Table>();
  const reads = new Set<string>();
  for (const file of files) {
    const source = readFileSync(join(SOURCES, file), 'utf8');
    if (!source.includes('Messages')) continue;
    for (const read of readsOf(source)) reads.add(read);
    for (const [, name = ''] of source.matchAll(/const (\w+) = (?:define|console)Messages\(/g)) {
      const module: unknown = await import(pathToFileURL(join(SOURCES, file)).href);
      const languages = isTable(module) ? module[name] : undefined;
      assert.ok(isTable(languages) && isTable(languages['en']), `${file} exports ${name}`);
      tables.set(name, ownOf(languages['en']));
    }
  }
  return { tables, reads };
}

describe('messages', () => {
  const messages = defineMessages({
    title: { en: 'Stock', ja: '在庫' },
    count: { en: (units: number) => `${units} units`, ja: (units: number) => `${units} 点` },
    states: { sold: { en: 'Sold', ja: '販売済み' } },
    points: { en: ['one', 'two'], ja: ['一', '二'] },
  });

  it('messages become one table per language, with texts, functions, lists and groups', () => {
    const { title, count, states, points } = messages.ja;
    assert.deepEqual(
      [title, count(2), states.sold, points],
      ['在庫', '2 点', '販売済み', ['一', '二']],
    );
    assert.equal(messages.en.count(2), '2 units');
  });

  it('the compiler checks that every translation exists, with the same parameters', () => {
    // @ts-expect-error: the Japanese text is missing
    const lacking: unknown = defineMessages({ title: { en: 'Stock' } });
    assert.deepEqual(lacking, { en: { title: 'Stock' }, ja: { title: undefined } });
    const differing = defineMessages({
      count: { en: (units: number) => `${units}`, ja: (units: string) => units },
    });
    // @ts-expect-error: a number is not a string
    assert.equal(differing.en.count(2), '2');
  });

  it('every message is used by a page or a mail', async () => {
    const { tables, reads } = await readTables();
    assert.ok(tables.size > 0);
    const unused = [...tables].flatMap(([name, table]) => findUnused(name, table, reads));
    assert.deepEqual(unused, []);
    assert.deepEqual(findUnusedShared(tables, reads), []);
  });

  it('an unused message is reported even if another table has a used message of the same name', () => {
    const table = {
      a: '',
      b: '',
      c: { d: '', e: '' },
      f: { g: '' },
      h: '',
      i: { j: '' },
      k: '',
      l: '',
    };
    const reads = readsOf(`
      const text = xMessages[language]; text.a; other.b; text.c.d.length; text.f[kind];
      const { h, i: reasons } = xMessages[visit.language];
      const text = yMessages[language]; text.k; mine.text.k;
      function f(messages: MessagesOf<typeof xMessages>): void { use(messages.l); }`);
    const expected = ['xMessages.b', 'xMessages.c.e', 'xMessages.k'];
    assert.deepEqual(findUnused('xMessages', table, new Set(reads)), expected);
  });

  it('a shared message is reported as unused only if it is read from no table', () => {
    const own = ownOf({ name: sharedMessages.name.en, state: 'Its state' });
    assert.deepEqual(own, { state: 'Its state' });
    const tables = new Map([['xMessages', own]]);
    const unshared = findUnusedShared(
      tables,
      new Set(['xMessages.name', 'xMessages.state', 'sharedMessages.app']),
    );
    assert.deepEqual(
      ['name', 'app', 'state', 'apps'].map((key) => unshared.includes(key)),
      [false, false, true, true],
    );
  });
});
