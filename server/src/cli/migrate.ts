import { migrate as migrateSchema } from '../database/migrate.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Update the database schema to this version of Cardport. serve does this automatically.',
  options: {},
  createsDatabase: true,
  skipsSchemaCheck: true,
  async run(_args, { engine }) {
    const applied = await migrateSchema(engine);
    const text =
      applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`;
    return { kind: 'done', json: { applied }, text };
  },
};
