import { runCommandLine } from './cli/command-line.ts';
import { isatty } from 'node:tty';
import { askOnTerminal, openStandardInput } from './cli/input.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    // The reader has closed the pipe (`| head`). A service keeps running, and a command runs to its
    // end.
  });
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  output: {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  },
  openStandardInput,
  ask: isatty(0) && isatty(2) ? askOnTerminal : null,
});
