// Runs many command lines in one process. Each input line is a JSON array `[number, args,
// environment, stdin]`, each output line `[number, run]`. The commands run concurrently, as
// separate processes would. The program exits at the end of its input.
import { createInterface } from 'node:readline';
import { runCardportInProcess } from './cardport-in-process.ts';

type CommandRequest = readonly [
  number,
  readonly string[],
  Readonly<Record<string, string>>,
  string,
];

async function runRequest(line: string): Promise<void> {
  const [number, args, environment, stdin] = JSON.parse(line) as CommandRequest;
  const run = await runCardportInProcess(args, { environment, stdin });
  process.stdout.write(`${JSON.stringify([number, run])}\n`);
}

for await (const line of createInterface({ input: process.stdin })) void runRequest(line);
