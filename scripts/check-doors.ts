// Checks the table of modules and allowed imports in ARCHITECTURE.md. It reads every import of
// server/src and reports forbidden ones, cycles, and packages that server/package.json does not
// list. It also reports files of any workspace that are too long. `node scripts/check-doors.ts`
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FOLDERS, importsOf } from './import-graph.ts';

/** A longer file contains two things. */
const LINES_MAX = 400;

/** Files that are installed or generated. */
const NOT_WRITTEN = ['**/node_modules/**', '**/dist/**'];

/** Each module and the modules that it may import. */
export type Rooms = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The path of a source file below server/src, or below the root when only its length is checked,
 * and its text.
 */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Parses the module table of ARCHITECTURE.md. */
export function readRooms(markdown: string): Rooms {
  const table = markdown.split('<!-- doors:')[1] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((row) => {
      const [room = '', , doors = ''] = row
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      return [unquote(room), new Set(doors.split(/\s+/).filter(Boolean).map(unquote))];
    }),
  );
}

function unquote(word: string): string {
  return word.replaceAll('`', '');
}

/** The room of a file below server/src: a folder in it is one too where the table names it, or all of them by `room/*`. */
export function roomOf(path: string, rooms: Rooms = new Map()): string {
  const [folder = '', file, inner] = path.split('/');
  if (file === undefined) return folder.startsWith('config') ? 'config' : 'main';
  if (folder === 'cli') return 'main';
  const part = `${folder}/${file}`;
  const isRoom = inner !== undefined && (rooms.has(part) || rooms.has(`${folder}/*`));
  return isRoom ? part : folder;
}

/** Where a room may open doors to. A room within another has those of the outer one too, but for its inner rooms. */
function doorsOf(room: string, rooms: Rooms): ReadonlySet<string> | undefined {
  const [outer = ''] = room.split('/');
  const own = rooms.get(room) ?? rooms.get(`${outer}/*`);
  if (room === outer) return own;
  const inherited = [...(rooms.get(outer) ?? [])].filter((door) => !door.includes('/'));
  return own === undefined ? undefined : new Set([...own, ...inherited]);
}

function isOpen(doors: ReadonlySet<string>, room: string): boolean {
  const [outer = '', inner] = room.split('/');
  return doors.has(room) || (inner !== undefined && doors.has(`${outer}/*`));
}

/** Describes each import that the table does not allow. */
export function findForbiddenDoors(files: readonly SourceFile[], rooms: Rooms): string[] {
  return files.flatMap(({ path, text }) => {
    const room = roomOf(path, rooms);
    const doors = doorsOf(room, rooms);
    if (doors === undefined) return [`${path}: the room ${room} is not in ARCHITECTURE.md`];
    return importsOf(text)
      .filter((target) => target.startsWith('.'))
      .map((target) => join(dirname(path), target))
      .flatMap((target) => {
        if (target.startsWith('..')) return [`${path}: imports ${target}, outside server/src`];
        const other = roomOf(target, rooms);
        if (other === room || isOpen(doors, other)) return [];
        return [`${path}: a door from ${room} to ${other} (${target})`];
      });
  });
}

/** A cycle of imports as a list of paths, or null. */
export function findCircle(files: readonly SourceFile[]): readonly string[] | null {
  const targets = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter((target) => target.startsWith('.'))
        .map((target) => join(dirname(path), target)),
    ]),
  );
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const target of targets.get(path) ?? []) {
      const circle = visit(target, [...trail, path]);
      if (circle !== null) return circle;
    }
    done.add(path);
    return null;
  };
  for (const { path } of files) {
    const circle = visit(path, []);
    if (circle !== null) return circle;
  }
  return null;
}

/** Packages that are imported but not in `declared`. */
export function findUndeclaredPackages(
  files: readonly SourceFile[],
  declared: ReadonlySet<string>,
): string[] {
  return files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter((target) => !target.startsWith('.') && !target.startsWith('node:'))
      .map((target) =>
        target
          .split('/')
          .slice(0, target.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => !declared.has(name))
      .map((name) => `${path}: imports ${name}, which server/package.json does not name`),
  );
}

/** The files whose length is limited. */
export function listWrittenFiles(root: string): string[] {
  return globSync(`{${FOLDERS.join()}}/**/*.{ts,css}`, {
    cwd: root,
    exclude: NOT_WRITTEN,
  }).toSorted();
}

/** Describes each file that is too long. */
export function findLongFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => text.split('\n').length - 1 > LINES_MAX)
    .map(({ path }) => `${path}: has more than ${LINES_MAX} lines`);
}

function readDependencies(file: string): ReadonlySet<string> {
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null;
  const named: unknown = isManifest ? Reflect.get(manifest, 'dependencies') : undefined;
  return new Set(typeof named === 'object' && named !== null ? Object.keys(named) : []);
}

function main(): void {
  const root = join(import.meta.dirname, '..');
  const source = join(root, 'server/src');
  const files = globSync('**/*.ts', { cwd: source })
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }));
  const rooms = readRooms(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
  const circle = findCircle(files);
  const written = listWrittenFiles(root).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
  const faults = [
    ...findForbiddenDoors(files, rooms),
    ...(circle === null ? [] : [`a circle: ${circle.join(' → ')}`]),
    ...findUndeclaredPackages(files, readDependencies(join(root, 'server/package.json'))),
    ...findLongFiles(written),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`${files.length} files, ${rooms.size} rooms, ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.main) main();
