// The real service as a child process that kills itself (SIGKILL) at a chosen step of its next
// token request.
import { startService } from '../src/runtime/service.ts';
import { openConfiguredDatabase } from '../src/runtime/configured-database.ts';
import { testConfig } from '../test/service.ts';
import { CrashingDatabase } from './crashing-database.ts';

/** Kills the process at the n-th step after `arm(n)`; `arm(0)` disables it. */
class CountingCrasher {
  #left = 0;

  arm(step: number): void {
    this.#left = step;
  }

  async step(): Promise<void> {
    if (this.#left === 0 || --this.#left > 0) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }
}

const { PORT = '', DATABASE_URL = '' } = process.env;
const config = testConfig({ PORT, DATABASE_URL });
const onFault = (error: Error): void => console.error(error);
const store = await openConfiguredDatabase(config, onFault);
const crasher = new CountingCrasher();
await startService(config, {
  store: {
    engine: store.engine,
    db: new CrashingDatabase(store.db, crasher),
    secretKey: store.secretKey,
  },
  // The polling of a delivery worker would count as steps of the request.
  delivers: false,
});
process.on('message', (step) => {
  crasher.arm(Number(step));
  process.send?.('armed');
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
