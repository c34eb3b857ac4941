import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { startServe } from '../../test/cardport.ts';
import { runCardportInProcess } from '../../test/cardport-in-process.ts';

describe('cardport emulate (decision 0150)', () => {
  it('emulate prints its address and the first command to type, and ends at SIGTERM', async () => {
    await using emulator = await startServe({}, ['emulate', '--port', '0', '--units', '20']);
    const printed = emulator.printed();
    assert.match(printed, /The emulator is ready at http:\/\/127\.0\.0\.1:\d+\./);
    assert.doesNotMatch(printed, /console\/setup/);
    const first = printed.split('\n').find((line) => line.includes('curl'));
    assert.match(
      first ?? '',
      /^eval "\$\(curl -sX POST http:\/\/127\.0\.0\.1:\d+\/emulator\/exports\)"$/,
    );
    assert.match(
      printed,
      /app_emulated, secret cps_emulated, redirect URI http:\S+:8090\/callback$/m,
    );
    assert.equal(await emulator.stop('SIGTERM'), 0);
  });

  it('the help of emulate lists every call of the admin address', async () => {
    const { code, stdout } = await runCardportInProcess(['emulate', '--help']);
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: cardport emulate \[--port PORT\]/m);
    for (const call of [
      'approvals {authorizationUrl, email?, password?, decision?}',
      'tokens {clientId?, email?, scopes?}',
      'stock {changes?, shop?}',
      'faults/lose-refresh-answers {count?}',
      'faults/rate-limit {seconds, path?}',
      'faults/slow-answers {delayMs, count?, seconds?, path?}',
      'faults/hold-notices',
      'clock {advanceSeconds}',
      'reset',
    ]) {
      assert.ok(stdout.includes(`  POST /emulator/${call}\n`), call);
    }
  });

  it('emulate refuses contradictory options, and a port in use', async () => {
    for (const [args, reason] of [
      [['--port', '65536'], /--port must be a number from 0 to 65535/],
      [['--units', '19'], /--units must be a number from 20 to 20000/],
      [['--redirect-uri', 'not-a-uri'], /not-a-uri must be an absolute/],
      [['--data-dir', 'x'], /data-dir/],
    ] as const) {
      const { code, stdout, stderr } = await runCardportInProcess(['emulate', ...args]);
      assert.equal(code, 2, args.join(' '));
      assert.equal(stdout, '');
      assert.match(stderr, reason);
    }
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const now = Date.now;
    const args = ['emulate', '--units', '20', '--port', String(port)];
    const { code, stderr } = await runCardportInProcess(args);
    other.close();
    assert.equal(code, 1);
    assert.match(stderr, /is used by another program: stop it, or choose another --port/);
    assert.equal(Date.now, now, 'the process has its own clock again');
  });
});
