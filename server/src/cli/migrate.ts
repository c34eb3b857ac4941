import { migrate as migrateSchema } from '../database/migrate.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Update the database schema to this version of Cardport. serve does this automatically.',
  options: {},
  createsDatabase: true,
  skipsSchemaCheck: true,
  async run(_args, { engine }) {
    const { applied, placed, workerProblems } = await migrateSchema(engine);
    const done = [
      ...(applied.length > 0
        ? [`Migrations applied: ${applied.length} (${applied.join(', ')}).`]
        : []),
      ...(placed.length > 0 ? [`Tables placed on the Citus cluster: ${placed.length}.`] : []),
    ];
    const text = done.join('\n') || 'The schema is up to date.';
    const report = { json: { applied, placed }, text };
    const reason = workerProblems?.join('; ') ?? '';
    return reason === ''
      ? { kind: 'done', ...report }
      : { kind: 'failed', code: 'failed', reason, report };
  },
};
