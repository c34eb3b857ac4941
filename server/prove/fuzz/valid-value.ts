import { isObject } from '../../test/docs-shape.ts';
import type { ValuePools } from './value-pools.ts';
import type { Random } from './random.ts';

type Json = Readonly<Record<string, unknown>>;

/** Typical texts by member name, for members whose schema allows any text. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  countryCode: ['JP', 'US', 'DE', 'XX'],
  timezone: ['Asia/Tokyo', 'Europe/Berlin', 'America/St_Johns', 'UTC'],
  currency: ['JPY', 'JPY', 'USD', 'KWD', 'AAA'],
  search: ['アルバ', 'alba', 'ryu', '012', 'ドラゴン 012', 'kaado', 'あるば SR', '4901234567894'],
  code: ['A-1', 'main', 'S', '棚'],
  name: ['本店', 'Shelf 1', '👾', 'Ünï code'],
  include: ['filled'],
};

/** Returns a value that the schema allows. Sometimes leaves out optional members. */
export function makeValidValue(
  random: Random,
  pools: ValuePools,
  schema: Json,
  name: string,
): unknown {
  const choices = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(choices)) {
    const [first, ...others]: readonly unknown[] = choices;
    // Usually choose null, because a random location seldom belongs to the chosen site.
    const firstPercent = name === 'locationId' ? 15 : 60;
    const isFirst = others.length === 0 || random.chance(firstPercent);
    const chosen = isFirst ? first : random.pick(others);
    return makeValidValue(random, pools, isObject(chosen) ? chosen : {}, name);
  }
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return random.pick<unknown>(schema['enum']);
  switch (schema['type']) {
    case 'object':
      return validObject(random, pools, schema);
    case 'array':
      return [];
    case 'boolean':
      return random.chance(70);
    case 'null':
      return null;
    case 'integer':
    case 'number':
      return validNumber(random, Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? 1e9));
    default:
      return validText(random, pools, schema, name);
  }
}

function validObject(random: Random, pools: ValuePools, schema: Json): Json {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const isWhole = random.chance(60);
  const members = Object.entries(properties).flatMap(([name, part]) => {
    const isGiven = isWhole || required.includes(name) || random.chance(50);
    if (!isGiven || !isObject(part)) return [];
    return [[name, makeValidValue(random, pools, part, name)] as const];
  });
  return Object.fromEntries(members);
}

function validNumber(random: Random, minimum: number, maximum: number): number {
  if (random.chance(10)) return random.pick([minimum, maximum]);
  return minimum + random.below(Math.min(maximum - minimum + 1, random.pick([3, 1_000])));
}

function validText(random: Random, pools: ValuePools, schema: Json, name: string): string {
  if (schema['format'] === 'uuid') return pools.id(random, name);
  if (schema['format'] === 'date-time') {
    return new Date(Date.now() + (random.below(2_000) - 1_000) * 60_000).toISOString();
  }
  if (name === 'cursor') return pools.cursor(random);
  if (name === 'url') return pools.hookUrl;
  if (name === 'If-None-Match') return random.pick(['*', '"x"', 'W/"x"', pools.etag]);
  if (name === 'If-Modified-Since') return new Date().toUTCString();
  const known = TEXTS[name];
  if (known !== undefined) return random.pick(known);
  return random.pick([
    'x',
    'PSA 10',
    '025/100',
    '値',
    'a'.repeat(Number(schema['maxLength'] ?? 9)),
  ]);
}
