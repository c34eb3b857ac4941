import type pg from 'pg';

// These functions use undocumented members, because `pg` has no API to cut a connection, to change
// its server after the client was created, or to observe the server's messages. `pg-pool` and the
// tests of `pg` use the same members.

/** Pending queries fail with `error`, or with an error from `pg` if no error is given. */
export function destroyConnection(client: pg.Client, error?: Error): void {
  client.connection.stream.destroy(error);
}

export function isDestroyed(client: pg.Client): boolean {
  return client.connection.stream.destroyed;
}

export function setServer(
  client: pg.Client,
  { host, port }: { readonly host: string; readonly port: number },
): void {
  client.host = host;
  client.port = port;
}

export interface ServerReports {
  /** Called when the server reports a parameter: after connecting, and after each change. */
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

/** `pg-pool` attaches the client, which contains the password, to errors of idle connections. */
export function withoutClient(error: Error): Error {
  Reflect.deleteProperty(error, 'client');
  return error;
}
