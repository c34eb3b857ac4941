import type { Config } from '../config/config.ts';
import { runService } from '../runtime/run-process.ts';
import type { Service } from '../runtime/service.ts';
import type { Arguments, Usage } from './command.ts';
import type { CommandOutput } from './output.ts';

export const serveUsage: Usage = {
  name: 'serve',
  summary: 'Run the service until SIGTERM or SIGINT.',
  hasJson: false,
  options: {
    'no-delivery': {
      meaning: 'Leave webhook deliveries to processes that run `cardport deliver`.',
    },
    demo: {
      meaning: 'Fill the database in DATA_DIR with a sample shop and print how to try it.',
    },
  },
};

export async function runServe(
  args: Arguments,
  config: Config,
  output: CommandOutput,
): Promise<number> {
  const { store } = config;
  const tell = (sentence: string): void => output.err(`cardport: ${sentence}\n`);
  const delivers = !args.has('no-delivery');
  if (!delivers) {
    tell('webhooks are delivered by processes that run `cardport deliver`');
  }
  if (!args.has('demo')) {
    const whenReady = async (service: Service): Promise<void> => {
      const { printSetupCode } = await import('./setup-notice.ts');
      await printSetupCode(service, tell);
    };
    return await runService(config, output, { delivers, whenReady });
  }
  if (store.kind !== 'packaged') {
    // The database belongs to the operator, so no demo data is written to it.
    tell('--demo works only with the database in DATA_DIR, not with DATABASE_URL');
    return await runService(config, output, { delivers });
  }
  const { prepareDemo } = await import('./demo.ts');
  const whenReady = async (service: Service): Promise<void> => {
    const { allowsLoopbackWebhooks } = config;
    const settings = { folder: store.folder, allowsLoopbackWebhooks };
    output.out(await prepareDemo(service, settings, tell));
  };
  return await runService(config, output, { delivers, whenReady });
}
