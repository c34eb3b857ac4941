import { readConfigOrExplain, runService } from '../main.ts';
import type { Usage } from './arguments.ts';
import { type Arguments, exitCodes } from './command.ts';
import type { CommandOutput } from './run-command.ts';

/** `serve` */
export const serveUsage: Usage = {
  name: 'serve',
  summary: 'Run the service until SIGTERM or SIGINT.',
  options: {
    demo: {
      meaning: 'Fill the embedded database with an invented shop and print how to try it.',
    },
  },
};

/** Runs the service; returns its exit code. */
export async function runServe(_args: Arguments, output: CommandOutput): Promise<number> {
  const config = readConfigOrExplain(process.env, output.err);
  if (config === null) return exitCodes.failed;
  return await runService(config, output);
}
