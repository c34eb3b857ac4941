import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Run, temporaryFolder } from '../../test/cardport.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { digestDatabase } from '../../test/database-digest.ts';
import { temporaryDataFolder } from '../../test/new-cluster.ts';
import { startTestService } from '../../test/service.ts';
import { startSmtpServer } from '../../test/smtp-server.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { statement } from '../database/statement.ts';
import type { Finding } from './finding.ts';

export const insertNewerMigration = statement(
  'test_insert_migration_of_the_future',
  `insert into schema_migration (number, name) values (9999, 'from_the_future')`,
);

interface Report {
  readonly isHealthy: boolean;
  readonly findings: readonly Finding[];
}

async function examine(environment: Readonly<Record<string, string>>): Promise<Report & Run> {
  const run = await runCardportInProcess(['doctor', '--json'], { environment });
  const report: Report = JSON.parse(run.stdout);
  assert.equal(run.code, report.isHealthy ? 0 : 1, run.stderr);
  if (!report.isHealthy) assert.equal(JSON.parse(run.stderr).error.code, 'problems_found');
  return { ...run, ...report };
}

function findingOf({ findings }: Report, check: string): Finding {
  const found = findings.find((each) => each.check === check);
  assert.ok(found !== undefined, `${check} is not among ${JSON.stringify(findings)}`);
  return found;
}

describe('cardport doctor', () => {
  it('doctor finds no problem in a working service, and changes nothing', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    await using mail = await startSmtpServer();
    using folder = temporaryFolder();
    const photos = join(folder.path, 'photos');
    mkdirSync(photos);
    const before = await digestDatabase(base.db);
    const environment = {
      ...environmentOf(base),
      PUBLIC_URL: service.publicUrl,
      PHOTO_STORE: photos,
      MAIL_URL: mail.url,
    };
    const report = await examine(environment);
    assert.ok(report.isHealthy);
    const statuses = report.findings.map(({ check, status }) => [check, status]);
    for (const check of [
      'settings',
      'database',
      'schema',
      'clock',
      'disk',
      'mail',
      'photo store',
      'photo decoder',
      'PUBLIC_URL',
    ]) {
      assert.ok(
        statuses.some(([name, status]) => name === check && status === 'ok'),
        `${check}: ${JSON.stringify(report.findings)}`,
      );
    }
    assert.equal(mail.mails.length, 0);
    assert.deepEqual(readdirSync(photos), []);
    assert.deepEqual(await digestDatabase(base.db), before);
    const asText = await runCardportInProcess(['doctor'], { environment });
    assert.equal(asText.code, 0, asText.stderr);
    assert.match(asText.stdout, /^ok {7}settings: all settings are valid\n/);
  });

  it('doctor lists every invalid setting, without secrets', async () => {
    const environment = {
      PORT: 'x',
      DATABASE_URL: 'mysql://u:hunter2@h/d',
      MAIL_URL: 'smtp://u:hunter2@',
      SECRET_KEY: 'hunter2',
    };
    const report = await examine(environment);
    const settings = report.findings.map(({ message }) => message.split(' ')[0]);
    assert.equal(settings.length, 4);
    assert.deepEqual(
      new Set(settings),
      new Set(['DATABASE_URL', 'MAIL_URL', 'PORT', 'SECRET_KEY']),
    );
    assert.doesNotMatch(`${report.stdout}${report.stderr}`, /hunter2/);
  });

  it('doctor says what does not respond and what to do, without secrets', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const report = await examine({
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/none',
      SECRET_KEY: 'k'.repeat(32),
      PUBLIC_URL: 'http://127.0.0.1:1',
      MAIL_URL: 'smtp://u:hunter2@127.0.0.1:1',
      PHOTO_STORE: file,
    });
    for (const [check, advice] of [
      ['database', /check DATABASE_URL/],
      ['mail', /check MAIL_URL/],
      ['photo store', /write access to the folder of PHOTO_STORE/],
      ['PUBLIC_URL', /start serve, and check DNS/],
    ] as const) {
      const finding = findingOf(report, check);
      assert.equal(finding.status, 'problem', check);
      assert.match(finding.advice ?? '', advice);
    }
    assert.doesNotMatch(`${report.stdout}${report.stderr}`, /hunter2/);
  });

  it('doctor creates nothing in a folder without data', async () => {
    using folder = temporaryFolder();
    for (const data of [folder.path, join(folder.path, 'missing')]) {
      const report = await examine({ DATA_DIR: data });
      const { status, message } = findingOf(report, 'database');
      assert.equal(status, 'problem');
      assert.equal(message, `there is no database in ${data}`);
      assert.equal(findingOf(report, 'photo store').status, 'warning');
    }
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('doctor reports that the secret key of a database is missing, and generates none', async () => {
    using folder = await temporaryDataFolder();
    rmSync(join(folder.path, 'secret-key'), { force: true });
    const report = await examine({ DATA_DIR: folder.path });
    assert.match(findingOf(report, 'database').message, /secret-key does not exist$/);
    assert.ok(!existsSync(join(folder.path, 'secret-key')));
  });

  it('doctor reports a schema of another version, too many connections, and another PUBLIC_URL', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    await base.db.count(insertNewerMigration);
    const report = await examine({
      ...environmentOf(base),
      DATABASE_CONNECTIONS: '197',
      PUBLIC_URL: service.publicUrl.replace('127.0.0.1', 'localhost'),
    });
    assert.match(findingOf(report, 'schema').advice ?? '', /newer version of Cardport/);
    // The Citus nodes of the tests allow twice as many connections.
    const ofConnections = findingOf(report, 'database connections').status;
    assert.equal(ofConnections, IS_ON_CITUS ? 'warning' : 'problem');
    const { status, message } = findingOf(report, 'PUBLIC_URL');
    assert.equal(status, 'problem');
    assert.ok(message.includes(`has the issuer "${service.authUrl}"`), message);
  });
});
