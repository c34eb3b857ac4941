import type { Usage } from './arguments.ts';

/** `migrate`; it needs no current schema, so it is no command that works inside the database. */
export const migrateUsage: Usage = {
  name: 'migrate',
  summary: 'Bring the schema of the database up to this program’s; serve does it by itself.',
  options: {},
};
