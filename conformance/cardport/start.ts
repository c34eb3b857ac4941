// Starts one of our targets and writes its description: `node conformance/cardport/start.ts
// serve|emulate target.json`
import { writeFileSync } from 'node:fs';
import { startEmulatorTarget } from './emulator-target.ts';
import { startServeTarget } from './serve-target.ts';

const [kind, file] = process.argv.slice(2);

if ((kind !== 'serve' && kind !== 'emulate') || file === undefined) {
  console.error('Usage: node conformance/cardport/start.ts serve|emulate target.json');
  process.exitCode = 2;
} else {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await using running = await (kind === 'serve' ? startServeTarget() : startEmulatorTarget());
  writeFileSync(file, `${JSON.stringify(running.target, null, 2)}\n`);
  console.log(
    `${running.target.name} is at ${running.serviceUrl}; ${file} describes it. Ctrl-C ends it.`,
  );
  await stopped;
}
