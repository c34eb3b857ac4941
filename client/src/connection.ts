import { ConnectionRevokedError } from './errors.ts';
import type { CallOptions, PartnerApi } from './partner-api.ts';
import { readObject } from './read-response.ts';
import type { Connection } from './types.ts';

/** 4.2 POST /connection. A repeated request returns the same connection. */
export async function openConnection(api: PartnerApi, options: CallOptions): Promise<Connection> {
  return readConnection(await api.send({ method: 'POST', path: '/connection', ...options }));
}

/** 4.1 GET /connection */
export async function getConnection(api: PartnerApi, options: CallOptions): Promise<Connection> {
  return readConnection(await api.send({ method: 'GET', path: '/connection', ...options }));
}

/** 4.3 DELETE /connection. A connection that has already ended counts as success. */
export async function endConnection(api: PartnerApi, options: CallOptions): Promise<void> {
  try {
    await api.send({ method: 'DELETE', path: '/connection', ...options });
  } catch (error) {
    // A repeated DELETE also gets this error if the first response was lost (decision 0003).
    if (!(error instanceof ConnectionRevokedError)) throw error;
  }
}

function readConnection(response: Parameters<typeof readObject>[0]): Connection {
  return readObject<Connection>(response, { id: 'string', tenant: 'object', cursor: 'string' });
}
