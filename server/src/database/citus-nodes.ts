import type pg from 'pg';
import { type PeriodicWork, runPeriodically } from '../base/periodic.ts';
import { closeClient } from './close-client.ts';
import type { Engine } from './engine.ts';
import { toConnectionError } from './errors.ts';
import { configureNodes } from './placement.ts';
import { PrimaryClient } from './primary-client.ts';

const CHECK_EVERY_MS = 10_000;

interface NodeState {
  readonly node: string;
  readonly fault: string;
}

const FAULT_OF_NODE = `select concat_ws(', ',
    case when current_setting('max_prepared_transactions')::int
        < current_setting('max_connections')::int
      then 'max_prepared_transactions is less than max_connections' end,
    case when current_setting('wal_level') <> 'logical' then 'wal_level is not logical' end,
    case when current_setting('lock_timeout') = '0' then 'lock_timeout is not set' end) as fault`;

/**
 * Asks every node of a Citus cluster, as the service does: from the coordinator, with its role. A
 * fault says why a node cannot be used, or which setting must be changed.
 */
export async function readNodeStates(engine: Engine): Promise<readonly NodeState[]> {
  return await inNewSession(engine, null, async (client) => {
    await client.query(`set citus.node_connection_timeout = '5s'`);
    const text = `select 'coordinator' as node, fault from (${FAULT_OF_NODE}) as own
      union all
      select 'worker ' || nodename || ':' || nodeport, result from run_command_on_workers($1)`;
    return (await client.query<NodeState>(text, [FAULT_OF_NODE])).rows;
  });
}

/** Repeats what `migrate` does for workers: some may have been away, or were added since. */
export function watchWorkers(
  engine: Engine,
  onProblems: (problems: readonly string[]) => void,
  onFault: (error: unknown) => void,
): PeriodicWork {
  const check = async (signal: AbortSignal): Promise<void> =>
    onProblems(await inNewSession(engine, signal, configureNodes));
  return runPeriodically(CHECK_EVERY_MS, check, (error) => onFault(toConnectionError(error)));
}

// An older session may keep connections to workers that no longer respond.
async function inNewSession<T>(
  engine: Engine,
  signal: AbortSignal | null,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new PrimaryClient(engine.clientConfig());
  signal?.addEventListener('abort', () => client.destroy(new Error('Client was closed')));
  try {
    await client.connect();
    return await work(client);
  } finally {
    await closeClient(client);
  }
}
