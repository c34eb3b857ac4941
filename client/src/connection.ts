import { ConnectionRevokedError } from './errors.ts';
import type { CallOptions, PartnerApi } from './partner-api.ts';
import { readObject } from './read-response.ts';
import type { Connection } from './types.ts';

/** Opens the connection (4.2 POST /connection). A repeated request returns the same connection. */
export async function openConnection(api: PartnerApi, options: CallOptions): Promise<Connection> {
  return readConnection(await api.send({ method: 'POST', path: '/connection', ...options }));
}

/** Returns the connection (4.1 GET /connection). */
export async function getConnection(api: PartnerApi, options: CallOptions): Promise<Connection> {
  return readConnection(await api.send({ method: 'GET', path: '/connection', ...options }));
}

/** Ends the connection (4.3 DELETE /connection). Succeeds if the connection has already ended. */
export async function endConnection(api: PartnerApi, options: CallOptions): Promise<void> {
  try {
    await api.send({ method: 'DELETE', path: '/connection', ...options });
  } catch (error) {
    // If the response to a first DELETE was lost, the repeated DELETE gets this error (decision
    // 0003).
    if (!(error instanceof ConnectionRevokedError)) throw error;
  }
}

function readConnection(response: Parameters<typeof readObject>[0]): Connection {
  return readObject<Connection>(response, { id: 'string', tenant: 'object', cursor: 'string' });
}
