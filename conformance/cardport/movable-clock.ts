// Loaded into a process of the service before its own code (`node --import`): its clock can be moved from outside. Only
// what the process itself reads of the clock moves; the database keeps the machine's, so notices stop meanwhile.
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

/** The port of loopback on which the process is told to live so much later, and tells its instant: `POST /?seconds=900`. */
const port = Number(process.env['CONFORMANCE_CLOCK_PORT']);

if (isMainThread) {
  const machineNow = Date.now;
  let aheadMs = 0;
  const now = (): number => machineNow() + aheadMs;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given, made): object => {
      const date: unknown = Reflect.construct(target, given.length === 0 ? [now()] : given, made);
      if (!(date instanceof target)) throw new Error('no Date was made');
      return date;
    },
    get: (target, name): unknown => (name === 'now' ? now : Reflect.get(target, name)),
  });
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    aheadMs += Number(searchParams.get('seconds')) * 1_000;
    response.end(new Date().toISOString());
  });
  server.listen(port, '127.0.0.1');
  // It keeps no process alive that has ended its work.
  server.unref();
}
