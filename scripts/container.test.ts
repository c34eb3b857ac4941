// Tests that the Dockerfile and compose.yaml match the repository and the service.
// server/prove/container.proof.ts builds and runs the image.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { readConfig } from '../server/src/config/config.ts';
import { SECRETS, variables } from '../server/src/config/variables.ts';
import { READY_ROUTE } from '../server/src/http/health.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');

/** Returns the variables that the Dockerfile or a service in compose.yaml sets. */
function environmentOf(text: string): Readonly<Record<string, string>> {
  const line = /^ENV (.+)$/m.exec(text)?.[1];
  const pairs =
    line === undefined
      ? [...text.matchAll(/^ {6}([A-Z_]+): (.+)$/gm)].map(([, name = '', value = '']) => [
          name,
          value,
        ])
      : line.split(' ').map((pair) => pair.split('='));
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}

describe('the Dockerfile', () => {
  it('the Dockerfile copies the manifest of every workspace before it installs packages', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: string[] };
    const copied = [...dockerfile.matchAll(/^COPY (\S+)\/package\.json \1\/$/gm)];
    assert.deepEqual(copied.map(([, folder = '']) => folder).toSorted(), workspaces.toSorted());
  });

  it('the build gets the source files of `cardport`, and no installed or built files', () => {
    const lines = read('.dockerignore').split('\n');
    const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const path of allowed) assert.ok(existsSync(join(ROOT, path)), path);
    const needed = [
      ...read('scripts/pack.ts').matchAll(
        /'((?:[A-Z]+(?:\.md)?|docs|client|server|conformance))'/g,
      ),
    ];
    assert.ok(needed.length > 6);
    for (const [, path = ''] of needed) assert.ok(allowed.includes(path), path);
    for (const ignored of ['**/node_modules', '**/dist']) assert.ok(lines.includes(ignored));
  });

  it('the image is based on the version of Node that the package needs', () => {
    const major = Number(/^ARG BASE_IMAGE=\S+\/node:(\d+)-/m.exec(dockerfile)?.[1]);
    assert.equal(major, 24);
    assert.match(read('scripts/pack.ts'), /engines: \{ node: '>=24' \}/);
  });

  it('the Dockerfile sets only variables of the service, and checks readiness on its port', () => {
    const { NODE_ENV: _, ...environment } = environmentOf(dockerfile);
    for (const name of Object.keys(environment)) assert.ok(name in variables, name);
    const result = readConfig(environment);
    assert.ok(result.kind === 'config');
    assert.equal(result.config.host, '0.0.0.0');
    const [, path = ''] = /^HEALTHCHECK .*\}(\/\w+)`/m.exec(dockerfile) ?? [];
    assert.equal(path, READY_ROUTE);
    assert.match(dockerfile, new RegExp(`^EXPOSE ${result.config.port}$`, 'm'));
  });
});

describe('compose.yaml', () => {
  it('compose.yaml sets only variables of the service, and passes secrets as files', () => {
    const [, service = ''] = compose.split('\n  cardport:\n');
    const environment = environmentOf(service);
    const files = SECRETS.map((name) => `${name}_FILE`);
    for (const name of Object.keys(environment)) {
      assert.ok(name in variables || files.includes(name), name);
    }
    const { DATABASE_URL_FILE: url = '', SECRET_KEY_FILE: key = '' } = environment;
    const [, page = ''] = read('docs/operating.md').split('\n### Containers\n');
    for (const path of [url, key, '/run/secrets/database-password']) {
      const name = path.replace('/run/secrets/', '');
      assert.ok(compose.includes(`\n  ${name}:\n    file: secrets/${name}\n`), name);
      assert.ok(page.includes(`> secrets/${name}\n`), name);
    }
    assert.match(read('.gitignore'), /^\/secrets\/$/m);
  });

  it('compose.yaml gives the service time to drain', () => {
    const result = readConfig({});
    assert.ok(result.kind === 'config');
    const seconds = Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1]);
    assert.ok(seconds >= result.config.drainNoticeSeconds + result.config.drainSeconds + 5);
  });
});
