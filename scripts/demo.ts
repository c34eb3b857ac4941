// The whole product in a browser: `npm run demo` starts Cardport with its demo shop and the example
// app. In another terminal, `npm run demo -- sell` and `npm run demo -- buy` make changes that the
// app then shows.
import { parseArgs } from 'node:util';
import { changeDemo, isDemoChange } from './demo-change.ts';
import { DEMO_FOLDER, DEMO_PORTS, runDemo } from './demo-run.ts';

const USAGE = `npm run demo                  start Cardport and the example app; Ctrl-C ends both
npm run demo -- sell          the shop sells its most expensive unit
npm run demo -- buy           the shop buys a card on a boost

Options: --port ${DEMO_PORTS.cardport}  --app-port ${DEMO_PORTS.app}  --data ${DEMO_FOLDER}
`;

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      port: { type: 'string', default: process.env['DEMO_PORT'] ?? String(DEMO_PORTS.cardport) },
      'app-port': {
        type: 'string',
        default: process.env['DEMO_APP_PORT'] ?? String(DEMO_PORTS.app),
      },
      data: { type: 'string', default: DEMO_FOLDER },
      help: { type: 'boolean', default: false },
    },
  });
  const ports = { cardport: Number(values.port), app: Number(values['app-port']) };
  const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;
  const [change] = positionals;
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (!isPort(ports.cardport) || !isPort(ports.app) || positionals.length > 1) {
    process.stderr.write(USAGE);
    return 2;
  }
  if (change === undefined) return await runDemo({ folder: values.data, ports });
  if (isDemoChange(change)) return await changeDemo(values.data, change);
  process.stderr.write(USAGE);
  return 2;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
