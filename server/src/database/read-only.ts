import type pg from 'pg';
import { watchServerReports } from '../patches/pg-connection.ts';

/** The server is a standby, or is set to read only. */
export class ReadOnlyServer extends Error {
  override name = 'ReadOnlyServer';
}

/** Limits how long one server can delay the search for the primary. */
export const RESPONSE_TIMEOUT_MS = 3_000;

/** SQLSTATE `read_only_sql_transaction`. */
const READ_ONLY_TRANSACTION = '25006';

// PostgreSQL 14 and later report these parameters on connecting and on a change (ParameterStatus).
const REASONS: Readonly<Record<string, string>> = {
  in_hot_standby: 'the server is a standby',
  default_transaction_read_only: 'default_transaction_read_only is on',
};

export class WriteStatus {
  readonly #client: pg.Client;
  readonly #reported = new Map<string, string>();

  constructor(client: pg.Client, onReadOnly: (reason: string) => void = () => undefined) {
    this.#client = client;
    watchServerReports(client, {
      onParameter: (name, value) => {
        this.#reported.set(name, value);
        const reason = REASONS[name];
        if (reason !== undefined && value === 'on') onReadOnly(reason);
      },
      onError: (code) => {
        if (code === READ_ONLY_TRANSACTION) onReadOnly('the server refused a write');
      },
    });
  }

  async whyReadOnly(): Promise<string | null> {
    for (const [name, reason] of Object.entries(REASONS)) {
      if (this.#reported.get(name) === 'on') return reason;
    }
    // A pooler may pass on fewer reports than the server sends.
    if (this.#reported.has('in_hot_standby')) return null;
    // The connection timeout ends with authentication, so it does not cover this query.
    const question = { text: 'show transaction_read_only', query_timeout: RESPONSE_TIMEOUT_MS };
    const { rows } = await this.#client.query<{ transaction_read_only: string }>(question);
    return rows[0]?.transaction_read_only === 'on' ? 'transaction_read_only is on' : null;
  }
}
