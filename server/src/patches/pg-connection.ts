import type pg from 'pg';

// These functions use undocumented members, because `pg` has no API to cut a connection, to choose
// its server late, or to observe the server's messages. `pg-pool` and the tests of `pg` use them
// too.

/**
 * Cuts the connection. Pending queries fail with `error` or, without it, with the message of `pg`
 * for a lost connection.
 */
export function destroyConnection(client: pg.Client, error?: Error): void {
  client.connection.stream.destroy(error);
}

export function isDestroyed(client: pg.Client): boolean {
  return client.connection.stream.destroyed;
}

export function connectTo(
  client: pg.Client,
  { host, port }: { readonly host: string; readonly port: number },
): void {
  client.host = host;
  client.port = port;
}

export interface ServerReports {
  /** Called on connecting and on each change of a parameter (ParameterStatus). */
  readonly onParameter: (name: string, value: string) => void;
  readonly onError: (code: string | undefined) => void;
}

export function watchServerReports(
  client: pg.Client,
  { onParameter, onError }: ServerReports,
): void {
  client.connection.on('parameterStatus', (message: ParameterStatus) => {
    onParameter(message.parameterName, message.parameterValue);
  });
  client.connection.on('errorMessage', ({ code }: { readonly code?: string }) => onError(code));
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/**
 * Removes the client from an error of an idle connection, to which `pg-pool` attaches it. The
 * client contains the password.
 */
export function withoutClient(error: Error): Error {
  Reflect.deleteProperty(error, 'client');
  return error;
}
