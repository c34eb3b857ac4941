import type { Engine } from './engine.ts';
import { PrimaryClient } from './primary-client.ts';

const TAKE = `do $$
  declare name text;
  begin
    create schema snapshot;
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create table snapshot.%1$I as table public.%1$I', name);
    end loop;
  end $$`;

// Without foreign key triggers, the order of the tables does not matter.
const RESTORE = `do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'snapshot' loop
      execute format('delete from public.%1$I', name);
      execute format('insert into public.%1$I select * from snapshot.%1$I', name);
    end loop;
  end $$`;

/** The emulator resets from this copy in a tenth of the time that a new database takes. */
export async function takeSnapshot(engine: Engine): Promise<void> {
  await run(engine, TAKE);
}

/** Restores the rows of a snapshot, but not the sequences. The caller must drop its caches. */
export async function restoreSnapshot(engine: Engine): Promise<void> {
  await run(engine, RESTORE);
}

async function run(engine: Engine, text: string): Promise<void> {
  const client = new PrimaryClient(engine.clientConfig());
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
