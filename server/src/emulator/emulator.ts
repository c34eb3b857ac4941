import { createAdminHandler } from './admin.ts';
import { type EmulationOptions, Emulation } from './emulation.ts';
import { FaultProxy } from './fault-proxy.ts';
import { type EmulatorReport, createReport } from './report.ts';

export interface Emulator extends AsyncDisposable {
  report(): Promise<EmulatorReport>;
}

export interface EmulatorOptions extends EmulationOptions {
  readonly port: number;
}

/**
 * Starts the service on a temporary database behind a proxy that injects faults (decision 0150).
 * The proxy listens first, because the service's public URLs contain its port.
 * @throws the listen error if the port is in use
 */
export async function startEmulator({ port, ...options }: EmulatorOptions): Promise<Emulator> {
  await using stack = new AsyncDisposableStack();
  const emulation = stack.use(new Emulation(options));
  const { faults, log } = emulation;
  const proxy = stack.use(
    await FaultProxy.open({
      port,
      faults,
      log,
      target: () => emulation.target,
      admin: createAdminHandler(emulation),
    }),
  );
  await emulation.start(`http://127.0.0.1:${proxy.port}`);
  const running = stack.move();
  return {
    report: async () => await createReport(emulation),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
