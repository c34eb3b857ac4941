// Proves that the units of deploy/ run under a real systemd, with a PostgreSQL that authenticates
// system users (peer). It runs only with --full, and only where systemd can be booted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findPackagedBinaries } from '../src/database/packaged/binaries.ts';
import { waitUntil } from '../test/wait-until.ts';
import { findMissingRequirement, SystemdMachine } from './systemd-machine.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const missing =
  process.env['PROVE_FULL'] === '1' ? findMissingRequirement() : 'it runs only with --full';
const BINARIES = findPackagedBinaries().folder.replace(ROOT, '/opt/cardport/');

const POSTGRESQL_UNIT = `[Service]
User=database
RuntimeDirectory=postgresql
ExecStart=${BINARIES}/postgres -D /srv/database/data -k /run/postgresql -c listen_addresses=`;

/** Steps 1 to 3 of deploy/README.md, with the packaged PostgreSQL in place of Debian's. */
const SET_UP = `
  useradd --system --user-group --home-dir /var/lib/cardport --no-create-home cardport
  useradd --system --user-group database
  install -d -o database /srv/database
  runuser -u database -- ${BINARIES}/initdb -D /srv/database/data -U postgres -A peer -E UTF8 --locale=C
  printf 'create role cardport login;\\ncreate database cardport owner cardport;\\n' |
    runuser -u database -- ${BINARIES}/postgres --single -D /srv/database/data postgres
  printf '%s\\n' '${POSTGRESQL_UNIT}' > /etc/systemd/system/postgresql.service
  cd /opt/cardport
  install -d -m 700 /etc/cardport
  install -m 600 deploy/environment.example /etc/cardport/environment
  sed -i "s|^SECRET_KEY=.*|SECRET_KEY=$(head -c 48 /dev/urandom | base64 -w 0)|" /etc/cardport/environment
  install -d -o cardport -g cardport -m 700 /var/lib/cardport /var/backups/cardport
  install -m 644 deploy/systemd/* /etc/systemd/system/
  systemctl daemon-reload
  systemctl start postgresql
  systemctl enable --now cardport@1 cardport@2 cardport-backup.timer`;

/** Makes the timer elapse immediately instead of at night. */
const ELAPSE_TIMER = `
  mkdir /etc/systemd/system/cardport-backup.timer.d
  printf '[Timer]\\nOnCalendar=\\nOnCalendar=*:*:*\\nRandomizedDelaySec=0\\n' > /etc/systemd/system/cardport-backup.timer.d/now.conf
  systemctl daemon-reload
  systemctl restart cardport-backup.timer`;

describe('the units of deploy/systemd', { skip: missing ?? false, timeout: 900_000 }, () => {
  let machine: SystemdMachine;

  before(async () => {
    machine = await SystemdMachine.boot();
    await machine.run(SET_UP);
  });
  after(() => machine[Symbol.dispose]());

  async function waitUntilReady(port: number): Promise<void> {
    await waitUntil(async () => {
      const ask = `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${port}/readyz || :`;
      return (await machine.run(ask)) === '200';
    });
  }

  async function show(unit: string, ...properties: readonly string[]): Promise<string> {
    return await machine.run(`systemctl show --value -p ${properties.join(',')} ${unit}`);
  }

  it('the units start two instances, which become ready and run without privileges', async () => {
    await Promise.all([waitUntilReady(8081), waitUntilReady(8082)]);
    const pid = await show('cardport@1', 'MainPID');
    const status = await machine.run(`cat /proc/${pid}/status`);
    assert.match(status, /^CapEff:\t0+$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    assert.match(status, /^Seccomp:\t2$/m);
  });

  it('the units restart a killed instance', async () => {
    const first = await show('cardport@1', 'MainPID');
    await machine.run(`kill -9 ${first}`);
    await waitUntil(async () => (await show('cardport@1', 'NRestarts')) !== '0');
    await waitUntilReady(8081);
    assert.notEqual(await show('cardport@1', 'MainPID'), first);
  });

  it('the units deliver webhooks in a process that stops cleanly', async () => {
    await machine.run('systemctl start cardport-deliver');
    await waitUntilReady(9080);
    await checkStop('cardport-deliver', 'finishing the deliveries in progress');
  });

  it('the units write a backup when the timer elapses', async () => {
    await machine.run(ELAPSE_TIMER);
    await waitUntil(async () => {
      const names = await machine.run('ls /var/backups/cardport');
      return /^cardport-\S+Z\.backup$/m.test(names);
    });
    await machine.run('systemctl stop cardport-backup.timer');
    await waitUntil(
      async () => (await show('cardport-backup.service', 'ActiveState')) === 'inactive',
    );
    assert.equal(await show('cardport-backup.service', 'Result'), 'success');
    await machine.run('gzip -t /var/backups/cardport/cardport-*.backup');
  });

  it('the units read the secret key from a credential (deploy/README.md, step 2)', async () => {
    const readme = readFileSync(join(ROOT, 'deploy/README.md'), 'utf8');
    const [, dropIn = ''] = /```ini\n([^`]+)```/.exec(readme) ?? [];
    await machine.run(`
      sed -n 's/^SECRET_KEY=//p' /etc/cardport/environment > /etc/cardport/secret-key
      chmod 600 /etc/cardport/secret-key
      sed -i /^SECRET_KEY=/d /etc/cardport/environment
      mkdir /etc/systemd/system/cardport@.service.d
      printf '%s' '${dropIn}' > /etc/systemd/system/cardport@.service.d/override.conf
      systemctl daemon-reload
      systemctl restart cardport@2`);
    await waitUntilReady(8082);
    const variables = await machine.run('systemctl show -p Environment cardport@2');
    assert.match(variables, /SECRET_KEY_FILE=/);
    const [command = ''] = /^cardport\(\) \{.*LoadCredential.*$/m.exec(readme) ?? [];
    assert.match(await machine.run(`${command}\ncardport shop list`), /There are no shops yet/);
  });

  it('the units drain a stopped instance while the other instance serves', async () => {
    await checkStop('cardport@1', 'finishing the requests in progress');
    await waitUntilReady(8082);
  });

  async function checkStop(unit: string, says: string): Promise<void> {
    await machine.run(`systemctl stop ${unit}`);
    assert.equal(await show(unit, 'Result', 'ExecMainStatus'), 'success\n0');
    const log = await machine.run(`journalctl --sync && journalctl -o cat -u ${unit}`);
    assert.ok(log.includes(`SIGTERM: ${says}`), log);
    assert.match(log, /^cardport: stopped$/m);
  }
});
