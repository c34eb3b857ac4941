import { execFile, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../test/cardport.ts';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url).pathname;
const STEP_TIMEOUT_MS = 2_400_000;
const BASE = 'localhost/base';
export const IMAGE = 'localhost/cardport';

/** The Debian release of the base image. */
const DEBIAN = 'bookworm';
const PROGRAMS = ['podman', 'crun', 'mmdebstrap'];

/** Returns why this machine cannot build and run an image, or null. */
export function findMissingRequirement(): string | null {
  if (process.getuid?.() !== 0) return 'the user is not root';
  const missing = PROGRAMS.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  return missing.length === 0 ? null : `not installed: ${missing.join(', ')}`;
}

/** Podman with its images and containers in a temporary folder, without a daemon or a registry. */
export class Podman implements Disposable {
  // The folder is not in TMPDIR, which may be in memory: an image and its layers take 3 GB.
  readonly folder = mkdtempSync('/var/tmp/cardport-image-');

  /** Runs a podman command. Returns its standard output, without the last line feed. */
  async run(...args: readonly string[]): Promise<string> {
    const [file = '', ...rest] = this.command(args);
    const options = {
      timeout: STEP_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
      env: this.#environment,
    };
    const { stdout } = await run(file, rest, options);
    return stdout.replace(/\n$/, '');
  }

  /** Starts a command that keeps running, such as a container. */
  start(args: readonly string[]): ReturnType<typeof spawn> {
    const [file = '', ...rest] = this.command(args);
    return spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: this.#environment });
  }

  private command(args: readonly string[]): string[] {
    const own = ['--root', join(this.folder, 'graph'), '--runroot', join(this.folder, 'run')];
    const podman = ['podman', ...own, '--storage-driver', 'vfs', '--runtime', 'crun', ...args];
    // crun refuses a machine with both versions of cgroups. The containers use none, so hide
    // version 2.
    const script = 'umount -q /sys/fs/cgroup/unified; exec "$@"';
    return ['unshare', '--mount', 'sh', '-c', script, 'sh', ...podman];
  }

  get #environment(): NodeJS.ProcessEnv {
    return { ...cleanEnvironment(), HOME: this.folder, TMPDIR: this.folder };
  }

  /** Builds a base image of Debian with this Node and npm, like the images `node:…-slim`. */
  async buildBase(): Promise<void> {
    const context = join(this.folder, 'base');
    mkdirSync(context);
    const archive = join(this.folder, 'debian.tar');
    await run('mmdebstrap', ['--variant=minbase', '--quiet', DEBIAN, archive], {
      timeout: STEP_TIMEOUT_MS,
      env: { ...process.env, TMPDIR: this.folder },
    });
    await this.run('import', '--quiet', archive, 'localhost/debian');
    rmSync(archive);
    cpSync(process.execPath, join(context, 'node'));
    const { stdout: modules } = await run('npm', ['root', '--global']);
    // A Node from a Debian package has no npm in its folder.
    const npm = [join(modules.trim(), 'npm'), '/usr/lib/node_modules/npm', '/usr/share/nodejs/npm'];
    const found = npm.find((path) => existsSync(path));
    if (found === undefined) throw new Error('npm was not found');
    cpSync(found, join(context, 'npm'), { recursive: true, dereference: true });
    const lines = [
      'FROM localhost/debian',
      'COPY node /usr/local/bin/',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    ];
    writeFileSync(join(context, 'Dockerfile'), lines.join('\n'));
    await this.#build(['--tag', BASE, context]);
  }

  /** Builds the Dockerfile of this repository from the files that git tracks. */
  async buildImage(...args: readonly string[]): Promise<void> {
    const context = join(this.folder, 'source');
    const { stdout } = await run('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 2 ** 24 });
    for (const path of stdout.split('\0').filter((name) => existsSync(join(ROOT, name)))) {
      if (path !== '') cpSync(join(ROOT, path), join(context, path));
    }
    await this.#build([
      ...(await this.#npmOptions()),
      ...args,
      '--build-arg',
      `BASE_IMAGE=${BASE}`,
      '--tag',
      IMAGE,
      context,
    ]);
  }

  /** Returns build options that make npm use this machine's registry, CA and cache. */
  async #npmOptions(): Promise<string[]> {
    const setting = async (name: string): Promise<string> =>
      (await run('npm', ['config', 'get', name])).stdout.trim();
    const [registry, cafile, cache] = [
      await setting('registry'),
      await setting('cafile'),
      await setting('cache'),
    ];
    const file = join(this.folder, 'npmrc');
    const isOwn = existsSync(cafile);
    const lines = [`registry=${registry}`, 'cache=/npm-cache', 'prefer-offline=true'];
    if (isOwn) lines.push('cafile=/npm-cafile');
    writeFileSync(file, lines.join('\n'));
    mkdirSync(cache, { recursive: true });
    const volumes = [`${file}:/root/.npmrc:ro`, `${cache}:/npm-cache`];
    if (isOwn) volumes.push(`${cafile}:/npm-cafile:ro`);
    return volumes.flatMap((volume) => ['--volume', volume]);
  }

  async #build(args: readonly string[]): Promise<void> {
    const options = ['--isolation', 'chroot', '--format', 'docker', '--layers=false', '--quiet'];
    await this.run('build', ...options, ...args);
  }

  /** Returns the size of the image without its base, in bytes. */
  async addedBytes(): Promise<number> {
    const size = async (image: string): Promise<number> =>
      Number(await this.run('image', 'inspect', '--format', '{{.Size}}', image));
    return (await size(IMAGE)) - (await size(BASE));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
