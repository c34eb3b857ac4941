// Proves that the units of deploy/ run under a real systemd, with a PostgreSQL that knows the
// system's users. It runs with --full only, and only where systemd can be booted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findPackagedBinaries } from '../src/database/packaged/binaries.ts';
import { waitUntil } from '../test/wait-until.ts';
import { findMissing, SystemdMachine } from './systemd-machine.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const missing = process.env['PROVE_FULL'] === '1' ? findMissing() : 'it runs with --full';
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

/** Makes the timer elapse at once instead of at night. */
const HURRY = `
  mkdir /etc/systemd/system/cardport-backup.timer.d
  printf '[Timer]\\nOnCalendar=\\nOnCalendar=*:*:*\\nRandomizedDelaySec=0\\n' > /etc/systemd/system/cardport-backup.timer.d/now.conf
  systemctl daemon-reload
  systemctl restart cardport-backup.timer`;

describe('the units of deploy/systemd', { skip: missing ?? false, timeout: 900_000 }, () => {
  let machine: SystemdMachine;

  before(async () => {
    machine = await SystemdMachine.boot();
    await machine.tell(SET_UP);
  });
  after(() => machine[Symbol.dispose]());

  async function waitUntilReady(port: number): Promise<void> {
    await waitUntil(async () => {
      const ask = `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${port}/readyz || :`;
      return (await machine.tell(ask)) === '200';
    });
  }

  async function show(unit: string, ...properties: readonly string[]): Promise<string> {
    return await machine.tell(`systemctl show --value -p ${properties.join(',')} ${unit}`);
  }

  it('start two instances, which are ready and run without rights', async () => {
    await Promise.all([waitUntilReady(8081), waitUntilReady(8082)]);
    const pid = await show('cardport@1', 'MainPID');
    const status = await machine.tell(`cat /proc/${pid}/status`);
    assert.match(status, /^CapEff:\t0+$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    assert.match(status, /^Seccomp:\t2$/m);
  });

  it('start a killed instance again', async () => {
    const first = await show('cardport@1', 'MainPID');
    await machine.tell(`kill -9 ${first}`);
    await waitUntil(async () => (await show('cardport@1', 'NRestarts')) !== '0');
    await waitUntilReady(8081);
    assert.notEqual(await show('cardport@1', 'MainPID'), first);
  });

  it('deliver webhooks in a process that stops cleanly', async () => {
    await machine.tell('systemctl start cardport-deliver');
    await waitUntilReady(9080);
    await checkStop('cardport-deliver', 'finishing the deliveries in progress');
  });

  it('write a backup when the timer elapses', async () => {
    await machine.tell(HURRY);
    await waitUntil(async () => {
      const names = await machine.tell('ls /var/backups/cardport');
      return /^cardport-\S+Z\.backup$/m.test(names);
    });
    await machine.tell('systemctl stop cardport-backup.timer');
    await waitUntil(
      async () => (await show('cardport-backup.service', 'ActiveState')) === 'inactive',
    );
    assert.equal(await show('cardport-backup.service', 'Result'), 'success');
    await machine.tell('gzip -t /var/backups/cardport/cardport-*.backup');
  });

  it('take the secret key from a credential (deploy/README.md, step 2)', async () => {
    const readme = readFileSync(join(ROOT, 'deploy/README.md'), 'utf8');
    const [, dropIn = ''] = /```ini\n([^`]+)```/.exec(readme) ?? [];
    await machine.tell(`
      sed -n 's/^SECRET_KEY=//p' /etc/cardport/environment > /etc/cardport/secret-key
      chmod 600 /etc/cardport/secret-key
      sed -i /^SECRET_KEY=/d /etc/cardport/environment
      mkdir /etc/systemd/system/cardport@.service.d
      printf '%s' '${dropIn}' > /etc/systemd/system/cardport@.service.d/override.conf
      systemctl daemon-reload
      systemctl restart cardport@2`);
    await waitUntilReady(8082);
    const variables = await machine.tell('systemctl show -p Environment cardport@2');
    assert.match(variables, /SECRET_KEY_FILE=/);
    const [command = ''] = /^cardport\(\) \{.*LoadCredential.*$/m.exec(readme) ?? [];
    assert.match(await machine.tell(`${command}\ncardport shop list`), /There are no shops yet/);
  });

  it('drain an instance that is stopped, while the other one serves', async () => {
    await checkStop('cardport@1', 'finishing the requests in progress');
    await waitUntilReady(8082);
  });

  async function checkStop(unit: string, says: string): Promise<void> {
    await machine.tell(`systemctl stop ${unit}`);
    assert.equal(await show(unit, 'Result', 'ExecMainStatus'), 'success\n0');
    const log = await machine.tell(`journalctl --sync && journalctl -o cat -u ${unit}`);
    assert.ok(log.includes(`SIGTERM: ${says}`), log);
    assert.match(log, /^cardport: stopped$/m);
  }
});
