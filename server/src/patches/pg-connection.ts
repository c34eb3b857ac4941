import type pg from 'pg';

// `pg` offers no way to cut a connection, to choose its server late, or to hear what the server reports. `pg-pool` and
// the tests of `pg` use the same members.

/** Cuts a connection at once. What waits on it fails with `error`, or with the words of `pg` for a lost connection. */
export function cutConnection(client: pg.Client, error?: Error): void {
  client.connection.stream.destroy(error);
}

/** Whether a connection was cut, by us or by a pool whose time was over. */
export function isCut(client: pg.Client): boolean {
  return client.connection.stream.destroyed;
}

/** Chooses the server of a client that has not connected yet. */
export function connectTo(
  client: pg.Client,
  { host, port }: { readonly host: string; readonly port: number },
): void {
  client.host = host;
  client.port = port;
}

export interface ServerReports {
  /** A setting, when the connection is made and whenever it changes (ParameterStatus). */
  readonly onParameter: (name: string, value: string) => void;
  /** The SQLSTATE of an error, whichever statement it was. */
  readonly onError: (code: string | undefined) => void;
}

/** Listens to what the server of a connection reports. */
export function listenToServer(client: pg.Client, { onParameter, onError }: ServerReports): void {
  client.connection.on('parameterStatus', (message: ParameterStatus) => {
    onParameter(message.parameterName, message.parameterValue);
  });
  client.connection.on('errorMessage', ({ code }: { readonly code?: string }) => onError(code));
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Takes the client, with its password, off an error of an idle connection, on which `pg-pool` leaves it. */
export function withoutClient(error: Error): Error {
  Reflect.deleteProperty(error, 'client');
  return error;
}
