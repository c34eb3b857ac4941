import { parseArgs } from 'node:util';
import type { Arguments, Option, Usage } from './command.ts';
import { suggestNearest } from './suggest.ts';

export type ParseArgumentsResult =
  | { readonly kind: 'arguments'; readonly args: Arguments }
  | { readonly kind: 'help' }
  | { readonly kind: 'misused'; readonly reason: string };

/**
 * Checks the arguments after a command's name against its options. Every command has `--help`, and
 * `--json` unless `hasJson` is false.
 */
export function parseArguments(usage: Usage, argv: readonly string[]): ParseArgumentsResult {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(usage, argv);
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) {
      const [reason = ''] = error.message.split('. ');
      return { kind: 'misused', reason: `${reason}${suggestOption(usage, argv)}` };
    }
    throw error;
  }
  const { values, positionals } = parsed;
  if (values['help'] === true) return { kind: 'help' };
  const valuesByOption = new Map(
    Object.entries(values).map(([name, value]) => [
      name,
      (Array.isArray(value) ? value : [value]).map(String),
    ]),
  );
  const reason = findProblem(usage, valuesByOption, positionals);
  if (reason !== null) return { kind: 'misused', reason };
  return { kind: 'arguments', args: toArguments(usage, valuesByOption, positionals) };
}

/** Returns the command's own options and the options of every command. */
export function optionsOf({ options, hasJson }: Usage): Readonly<Record<string, Option>> {
  return {
    ...options,
    ...(hasJson === false ? {} : { json: { meaning: 'Print one JSON object instead of text.' } }),
    help: { meaning: 'Print this help.' },
  };
}

/** Returns a suggestion for the first unknown option. */
function suggestOption(usage: Usage, argv: readonly string[]): string {
  const known = Object.keys(optionsOf(usage));
  for (const word of argv) {
    const [, name] = /^--([^=]+)/.exec(word) ?? [];
    if (name !== undefined && !known.includes(name)) return suggestNearest(name, known, '--');
  }
  return '';
}

function parse(
  usage: Usage,
  argv: readonly string[],
): { values: Record<string, unknown>; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(optionsOf(usage)).map(([name, { value }]) => [
      name,
      value === undefined
        ? ({ type: 'boolean' } as const)
        : // Every option is parsed as repeatable, so that a repeated one is reported instead of dropped.
          ({ type: 'string', multiple: true } as const),
    ]),
  );
  return parseArgs({
    args: [...argv],
    options: {
      ...options,
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
    strict: true,
  });
}

function findProblem(
  { options, operand }: Usage,
  valuesByOption: ReadonlyMap<string, readonly string[]>,
  positionals: readonly string[],
): string | null {
  for (const [name, option] of Object.entries(options)) {
    const values = valuesByOption.get(name) ?? [];
    if (option.isRequired === true && values.length === 0) return `--${name} is missing`;
    if (option.isRepeatable !== true && values.length > 1) return `--${name} is given twice`;
  }
  if (operand !== undefined && positionals.length === 0) return `${operand.name} is missing`;
  if (operand?.isRepeatable === true) return null;
  const surplus = positionals[operand === undefined ? 0 : 1];
  return surplus === undefined ? null : `unexpected argument "${surplus}"`;
}

function toArguments(
  { name, options }: Usage,
  valuesByOption: ReadonlyMap<string, readonly string[]>,
  operands: readonly string[],
): Arguments {
  const list = (option: string): readonly string[] => {
    if (options[option] === undefined) throw new Error(`${name} has no option --${option}`);
    return valuesByOption.get(option) ?? [];
  };
  const optional = (option: string): string | null => list(option)[0] ?? null;
  const text = (option: string): string => {
    const value = optional(option);
    if (value === null) throw new Error(`--${option} of ${name} is not required`);
    return value;
  };
  const [operand = ''] = operands;
  return { text, optional, list, has: (option) => list(option).length > 0, operand, operands };
}

export function renderHelp(usage: Usage): string {
  const options = Object.entries(optionsOf(usage)).filter(([name]) => name !== 'help');
  const synopsis = [
    'cardport',
    usage.name,
    ...options.map(([name, option]) => {
      const shown = option.value === undefined ? `--${name}` : `--${name} ${option.value}`;
      const bracketed = option.isRequired === true ? shown : `[${shown}]`;
      return option.isRepeatable === true ? `${bracketed}…` : bracketed;
    }),
    ...(usage.operand === undefined
      ? []
      : [usage.operand.isRepeatable === true ? `${usage.operand.name}…` : usage.operand.name]),
  ].join(' ');
  const rows = [
    ...options.map(([name, { value, meaning }]) => [
      value === undefined ? `--${name}` : `--${name} ${value}`,
      meaning,
    ]),
    ...(usage.operand === undefined ? [] : [[usage.operand.name, usage.operand.meaning]]),
  ];
  const width = Math.max(...rows.map(([left = '']) => left.length));
  const table = rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
  const about = [usage.summary, ...(usage.more === undefined ? [] : [usage.more])].join('\n');
  return `${about}\n\nUsage: ${synopsis}\n\n${table.join('\n')}\n`;
}
