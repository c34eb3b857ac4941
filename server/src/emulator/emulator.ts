import { adminOf } from './admin.ts';
import { type EmulationOptions, Emulation } from './emulation.ts';
import { Front } from './front.ts';
import { type EmulatorReport, reportOf } from './report.ts';

export interface Emulator extends AsyncDisposable {
  report(): Promise<EmulatorReport>;
}

export interface EmulatorOptions extends EmulationOptions {
  readonly port: number;
}

/**
 * Starts the whole service on a throw-away database behind a front that makes faults (decision 0150). The front listens
 * first, because everything that the service tells of itself holds its port.
 *
 * @throws the error of a port that is taken
 */
export async function startEmulator({ port, ...options }: EmulatorOptions): Promise<Emulator> {
  await using stack = new AsyncDisposableStack();
  const emulation = stack.use(new Emulation(options));
  const { faults, log } = emulation;
  const front = stack.use(
    await Front.open({
      port,
      faults,
      log,
      target: () => emulation.target,
      admin: adminOf(emulation),
    }),
  );
  await emulation.start(`http://127.0.0.1:${front.port}`);
  const running = stack.move();
  return {
    report: async () => await reportOf(emulation),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
