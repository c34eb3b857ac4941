// Runs many command lines in one process. Each input line is a JSON array `[number, args,
// environment, stdin]`, each output line `[number, run]`. The commands run concurrently, as
// separate processes would. It exits at the end of its input.
import { createInterface } from 'node:readline';
import { cardportHere } from './cardport-here.ts';

type Order = readonly [number, readonly string[], Readonly<Record<string, string>>, string];

async function answer(line: string): Promise<void> {
  const [number, args, environment, stdin] = JSON.parse(line) as Order;
  const run = await cardportHere(args, { environment, stdin });
  process.stdout.write(`${JSON.stringify([number, run])}\n`);
}

for await (const line of createInterface({ input: process.stdin })) void answer(line);
