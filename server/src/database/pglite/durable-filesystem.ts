import { fsyncSync } from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Init = Awaited<ReturnType<NodeFS['init']>>;
type Module = Parameters<NonNullable<Init['emscriptenOpts']['preRun']>[number]>[0];

/** The part of Emscripten's filesystem for Node that is not in PGlite's types. */
interface StreamOperations {
  fsync?: (stream: { readonly nfd: number }) => number;
}

/**
 * PGlite's filesystem in a folder, with an fsync that reaches the disk. PGlite's own has none, so that a committed
 * transaction could vanish with a power cut (seen with strace: not one fsync).
 */
export class DurableFilesystem extends NodeFS {
  override async init(...given: Parameters<NodeFS['init']>): Promise<Init> {
    const result = await super.init(...given);
    // In front of the mount, and so in front of the first file.
    result.emscriptenOpts.preRun = [makeDurable, ...(result.emscriptenOpts.preRun ?? [])];
    return result;
  }
}

function makeDurable(module: Module): void {
  const operations = streamOperations(module);
  // An upgrade of PGlite that moves it must not lose durability quietly.
  if (operations === undefined) throw new Error('this PGlite has no NODEFS to make durable');
  operations.fsync = (stream): number => {
    fsyncSync(stream.nfd);
    return 0;
  };
}

function streamOperations(module: object): StreamOperations | undefined {
  const found: unknown = Reflect.get(module, 'NODEFS');
  if (typeof found !== 'object' || found === null || !('stream_ops' in found)) return undefined;
  const operations = found.stream_ops;
  return typeof operations === 'object' && operations !== null ? operations : undefined;
}
