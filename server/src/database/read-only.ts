import type pg from 'pg';
import { listenToServer } from '../patches/pg-connection.ts';

/** A server that was reached and takes no writes: a standby, or one that is set to read only. */
export class ReadOnlyServer extends Error {
  override name = 'ReadOnlyServer';
}

/** Longest wait for the answer of one server: it delays those who wait for the primary no longer. */
export const ANSWER_MS_MAX = 3_000;

/** SQLSTATE `read_only_sql_transaction`. */
const READ_ONLY_TRANSACTION = '25006';

/** What a server reports when a connection is made, and when it changes (PostgreSQL 14 or later, ParameterStatus). */
const REASONS: Readonly<Record<string, string>> = {
  in_hot_standby: 'it is a standby',
  default_transaction_read_only: 'its default_transaction_read_only is on',
};

/** Learns from what a connection reports whether its server takes writes. */
export class WriteStatus {
  readonly #client: pg.Client;
  readonly #reported = new Map<string, string>();

  /** @param onReadOnly called when the server takes no writes any more. */
  constructor(client: pg.Client, onReadOnly: (reason: string) => void = () => undefined) {
    this.#client = client;
    listenToServer(client, {
      onParameter: (name, value) => {
        this.#reported.set(name, value);
        const reason = REASONS[name];
        if (reason !== undefined && value === 'on') onReadOnly(reason);
      },
      onError: (code) => {
        if (code === READ_ONLY_TRANSACTION) onReadOnly('it refused a write');
      },
    });
  }

  /** Why the server of a new connection takes no writes; null when it takes them. */
  async whyReadOnly(): Promise<string | null> {
    for (const [name, reason] of Object.entries(REASONS)) {
      if (this.#reported.get(name) === 'on') return reason;
    }
    // A pooler in between may pass on less than the server reports.
    if (this.#reported.has('in_hot_standby')) return null;
    // The timeout of a connection ends with the authentication.
    const question = { text: 'show transaction_read_only', query_timeout: ANSWER_MS_MAX };
    const { rows } = await this.#client.query<{ transaction_read_only: string }>(question);
    return rows[0]?.transaction_read_only === 'on' ? 'it takes no writes' : null;
  }
}
