import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFreePort } from '../src/base/free-port.ts';
import { type CodeBlock, findBlocks } from './docs-blocks.ts';
import { findResponseProblem, readMessage } from './docs-http.ts';
import type { SchemaCheck } from './docs-schemas.ts';
import { findSettingsProblem } from './docs-settings.ts';
import { findShapeProblem, isElided, parseElidedJson } from './docs-shape.ts';
import {
  type Background,
  type BlockRun,
  initialVariables,
  runProgram,
  runShell,
  type ShellState,
  startBackground,
} from './docs-shell.ts';

export interface BlockFault {
  readonly page: string;
  readonly line: number;
  readonly message: string;
}

export interface PageReport {
  readonly page: string;
  /** The numbers of blocks that ran, and of blocks that were only checked. */
  readonly ran: number;
  readonly checked: number;
  readonly seconds: number;
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  readonly faults: readonly BlockFault[];
}

export interface PageContext {
  /** The folder in which the page's blocks run. A parent folder has `node_modules`. */
  readonly folder: string;
  /** Resets the emulator. Returns the variables that it exports. */
  readonly reset: () => Promise<Readonly<Record<string, string>>>;
  /** The real port for each port that pages show. */
  readonly ports: ReadonlyMap<number, number>;
  readonly checkSchema: SchemaCheck;
}

/** The ports that pages show: the emulator's, the service's and those of two apps. */
export const PAGE_PORTS = [8085, 8080, 8090, 3000] as const;

/** Matches a block that uses the emulator. */
const OF_EMULATOR =
  /\b8085\b|\$\{?(?:CLIENT_ID|CLIENT_SECRET|REDIRECT_URI|SHOP_KEY|ACCESS_TOKEN)\b/;

/** The state while the blocks of a page run. */
interface Session {
  readonly context: PageContext;
  /** The folder of the Markdown file. */
  readonly home: string;
  readonly ports: Map<number, number>;
  state: ShellState;
  last: BlockRun | null;
  readonly backgrounds: Background[];
  readonly files: Map<string, string>;
}

type Outcome = 'ran' | 'checked' | { readonly skip: string };

/**
 * Runs and checks the blocks of a page in order. After a failed block, only blocks that do not
 * depend on earlier ones are checked.
 */
export async function runPage(
  file: string,
  page: string,
  context: PageContext,
): Promise<PageReport> {
  const blocks = findBlocks(readFileSync(file, 'utf8'));
  const startMs = performance.now();
  const session = await openSession(blocks, dirname(file), context);
  const counts = { ran: 0, checked: 0 };
  const skipped: { line: number; reason: string }[] = [];
  const faults: BlockFault[] = [];
  let isBroken = false;
  try {
    for (const block of blocks) {
      if (isBroken && needsRun(block)) continue;
      try {
        const outcome = await processBlock(block, session);
        if (typeof outcome === 'object') skipped.push({ line: block.line, reason: outcome.skip });
        else counts[outcome]++;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        faults.push({ page, line: block.line, message: toPagePorts(message, session) });
        isBroken ||= needsRun(block);
      }
    }
  } finally {
    for (const background of session.backgrounds.toReversed()) await background.stop();
  }
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  return { page, ...counts, seconds, skipped, faults };
}

/** Opens a session, and resets the emulator if the page uses it. */
async function openSession(
  blocks: readonly CodeBlock[],
  home: string,
  context: PageContext,
): Promise<Session> {
  const { folder } = context;
  const exported = anyUsesEmulator(blocks) ? await context.reset() : {};
  return {
    context,
    home,
    // Copy the ports after the reset, because the emulator gets its real port when it starts.
    ports: new Map(context.ports),
    state: { folder, variables: { ...initialVariables(folder), ...exported } },
    last: null,
    backgrounds: [],
    files: new Map(),
  };
}

/** Returns whether any of these blocks uses the emulator. */
export function anyUsesEmulator(blocks: readonly CodeBlock[]): boolean {
  return blocks.some((block) => needsRun(block) && OF_EMULATOR.test(block.text));
}

function needsRun({ language, words, options }: CodeBlock): boolean {
  if (options.has('skip')) return false;
  return language === 'sh' || ['run', 'background', 'answer'].some((word) => words.has(word));
}

async function processBlock(block: CodeBlock, session: Session): Promise<Outcome> {
  const skip = block.options.get('skip');
  if (skip === '') throw new Error('skip= needs a reason');
  if (skip !== undefined) return { skip };
  switch (block.language) {
    case 'sh':
      return await processShell(block, session);
    case 'ts':
    case 'js':
    case 'python':
      return await processProgram(block, session);
    case 'json':
      return processJson(block, session);
    case 'ndjson':
      for (const line of block.text.trimEnd().split('\n')) JSON.parse(line);
      return writeNamed(block, session);
    case 'http':
      return processHttp(block, session);
    case 'text':
      return 'checked';
    case 'ini':
    case 'nginx':
      return processSettings(block.language, block, session);
    default:
      throw new Error(
        `a block needs a language that can be checked, which '${block.language}' is not`,
      );
  }
}

async function processShell(block: CodeBlock, session: Session): Promise<Outcome> {
  const { state } = session;
  if (block.words.has('background')) {
    const port = await portOf(block, session);
    const script = toRealPorts(withPorts(block.text, session), session);
    session.backgrounds.push(await startBackground(script, state, port));
    return 'ran';
  }
  const run = await runShell(toRealPorts(withPorts(block.text, session), session), state);
  return recordRun(run, block, session);
}

async function processProgram(block: CodeBlock, session: Session): Promise<Outcome> {
  if (isExcerpt(block, session)) return 'checked';
  const after = block.options.get('after');
  const before = after === undefined ? '' : session.files.get(after);
  if (before === undefined) throw new Error(`no earlier block has file=${after}`);
  const ending = block.language === 'python' ? 'py' : block.language;
  const name = block.options.get('file') ?? `line-${block.line}.${ending}`;
  const text = before + toRealPorts(block.text, session);
  const earlier = session.files.get(name);
  // If a page shows a file again, its earlier text is type-checked too.
  if (earlier !== undefined) {
    writeIn(session, name.replace(/(\.\w+)$/, `.before-${block.line}$1`), earlier);
  }
  writeIn(session, name, text);
  session.files.set(name, text);
  const { state } = session;
  // Files are in the page's folder, even if the terminal is in another working directory.
  const place = { ...state, folder: session.context.folder };
  const program = block.language === 'python' ? 'python3' : 'node';
  if (block.words.has('background')) {
    const port = await portOf(block, session);
    session.backgrounds.push(await startBackground(`exec ${program} ${name}`, place, port));
    return 'ran';
  }
  if (block.words.has('run')) {
    const run = await runProgram(program, [name], place);
    return recordRun({ ...run, state }, block, session);
  }
  if (block.language === 'ts') return 'checked';
  const check = block.language === 'python' ? ['-m', 'py_compile', name] : ['--check', name];
  const run = await runProgram(program, check, place);
  if (run.code !== 0) throw new Error(`the block does not parse:\n${run.stderr}`);
  return 'checked';
}

/**
 * Returns whether a block is an excerpt. Its `file` option names a file next to the page, which
 * must contain the text of the block.
 */
function isExcerpt({ text, options }: CodeBlock, { home }: Session): boolean {
  const file = join(home, options.get('file') ?? '');
  if (!options.has('file') || !existsSync(file)) return false;
  if (readFileSync(file, 'utf8').includes(text)) return true;
  throw new Error(`${options.get('file')} beside the page does not contain this text`);
}

function recordRun(run: BlockRun, block: CodeBlock, session: Session): Outcome {
  session.state = run.state;
  session.last = run;
  const want = Number(block.options.get('exit') ?? 0);
  if (run.code === want) return 'ran';
  throw new Error(
    `the block exited with ${run.code} instead of ${want}:\n${run.stdout}${run.stderr}`,
  );
}

function processJson(block: CodeBlock, session: Session): Outcome {
  const shown = parseElidedJson(block.text);
  const schema = block.options.get('schema');
  const isAnswer = block.words.has('answer');
  if (block.options.has('file')) return writeNamed(block, session);
  if (schema === undefined && !isAnswer) {
    throw new Error('a JSON block needs schema=, answer or file=, so that it can be checked');
  }
  if (schema !== undefined) {
    if (isElided(shown)) throw new Error('JSON with … cannot be checked against a schema');
    const fault = session.context.checkSchema(schema, shown);
    if (fault !== null) throw new Error(fault);
  }
  if (isAnswer) {
    const fault = findShapeProblem(shown, JSON.parse(lastBody(session)));
    if (fault !== null) throw new Error(`${fault}; the answer was\n${lastBody(session)}`);
  }
  return 'checked';
}

function processHttp(block: CodeBlock, session: Session): Outcome {
  const shown = readMessage(block.text);
  if (shown === null) throw new Error('the block is not an HTTP message');
  if (!block.words.has('answer')) {
    const schema = block.options.get('schema');
    if (shown.start.startsWith('HTTP/')) {
      throw new Error('a block with a response needs the word answer');
    }
    if (schema === undefined) {
      if (shown.body.trim().startsWith('{')) parseElidedJson(shown.body);
      return 'checked';
    }
    const fault = session.context.checkSchema(schema, JSON.parse(shown.body));
    if (fault !== null) throw new Error(fault);
    return 'checked';
  }
  const text = toPagePorts(session.last?.stdout ?? '', session);
  const actual = readMessage(text);
  if (actual === null) {
    throw new Error(`the previous output is not an HTTP response (curl -i):\n${text}`);
  }
  const fault = findResponseProblem(shown, actual);
  if (fault !== null) throw new Error(`${fault}; the answer was\n${text}`);
  return 'checked';
}

/** Checks the syntax of another program's settings. With `file=`, also writes them to the file. */
function processSettings(language: 'ini' | 'nginx', block: CodeBlock, session: Session): Outcome {
  const fault = findSettingsProblem(language, block.text);
  if (fault !== null) throw new Error(fault);
  return writeNamed(block, session);
}

function writeNamed(block: CodeBlock, session: Session): Outcome {
  const name = block.options.get('file');
  if (name !== undefined) writeIn(session, name, toRealPorts(block.text, session));
  return 'checked';
}

function writeIn({ context }: Session, name: string, text: string): void {
  const path = join(context.folder, name);
  if (!path.startsWith(`${context.folder}/`)) {
    throw new Error(`${name} is outside the page's folder`);
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function lastBody(session: Session): string {
  const text = session.last?.stdout ?? '';
  return text.startsWith('HTTP/') ? (readMessage(text)?.body ?? text) : text;
}

/** Returns the real port of the server that a block starts, from `port=` or from its command. */
async function portOf({ text, options }: CodeBlock, session: Session): Promise<number> {
  const given = options.get('port');
  const guessed = /\bcardport serve\b/.test(text)
    ? 8080
    : /\bcardport emulate\b/.test(text)
      ? 8085
      : (PAGE_PORTS.find((port) => text.includes(String(port))) ?? 8090);
  const port = given === undefined ? guessed : Number(given);
  // The page runner's emulator already uses the mapped port, so a second emulator needs a different
  // port.
  if (port === 8085) session.ports.set(port, await findFreePort());
  return session.ports.get(port) ?? port;
}

/** Adds the real ports to commands that would otherwise listen on their default ports. */
function withPorts(text: string, { ports }: Session): string {
  return (
    text
      // `cardport` is also in the PATH, and npx takes a second each time.
      .replaceAll(/\bnpx (?=cardport )/g, '')
      .replaceAll(/\bcardport serve\b/g, `env PORT=${ports.get(8080)} cardport serve`)
      .replaceAll(/\bcardport emulate\b(?!.*--port)/g, `cardport emulate --port ${ports.get(8085)}`)
  );
}

function toRealPorts(text: string, { ports }: Session): string {
  let result = text;
  for (const [shown, real] of ports) {
    // Replace 3000 only after a host, because it may also be a price.
    const before = shown === 3000 ? '(?<=(?:localhost|127\\.0\\.0\\.1):|listen\\()' : '\\b';
    result = result.replaceAll(new RegExp(`${before}${shown}\\b`, 'g'), String(real));
  }
  return result;
}

function toPagePorts(text: string, { ports }: Session): string {
  let result = text;
  for (const [shown, real] of ports) {
    result = result.replaceAll(new RegExp(`\\b${real}\\b`, 'g'), String(shown));
  }
  return result;
}
