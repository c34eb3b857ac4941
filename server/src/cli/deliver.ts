import type { Config } from '../config/config.ts';
import { runDeliveryWorker } from '../runtime/run-process.ts';
import type { Usage } from './command.ts';
import { type CommandOutput, refuse } from './output.ts';

export const deliverUsage: Usage = {
  name: 'deliver',
  summary:
    'Deliver webhooks until SIGTERM or SIGINT, alongside services started with --no-delivery.',
  more: 'Reads its settings from the environment, as serve does: docs/operating.md, Webhooks.',
  hasJson: false,
  options: {},
};

/**
 * Runs the delivery worker and returns its exit code. Refuses settings that are only for
 * development.
 */
export async function runDeliver(config: Config, output: CommandOutput): Promise<number> {
  // The default of PUBLIC_URL is a loopback address, which would allow this setting in production.
  if (config.allowsLoopbackWebhooks && !config.isPublicUrlGiven) {
    const message =
      'ALLOW_LOOPBACK_WEBHOOKS is for development only: unset it, or set PUBLIC_URL to a loopback address';
    return refuse(output, { code: 'invalid_settings', message });
  }
  return await runDeliveryWorker(config, output);
}
