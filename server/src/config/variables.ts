import {
  parseBoolean,
  parseDatabaseUrl,
  parseHost,
  parseInteger,
  parseMailSender,
  parseMailTarget,
  parsePhotoStore,
  parsePublicUrl,
  parseRateLimits,
  parseSecretKey,
  parseTrustProxy,
  parseChoice,
} from './values.ts';

interface Variable<Value, Default extends string | null> {
  /** The default, as text; null for a setting without a default. */
  readonly byDefault: Default;
  /** Replaces the default in the docs if the default depends on other variables. */
  readonly defaultNote?: string;
  readonly parse: (text: string) => Value;
  /** The purpose of the variable in one or two sentences, for docs/configuration.md. */
  readonly meaning: string;
}

/** Returns `definition`, so that TypeScript infers the types of its parser and default. */
function variable<Value, Default extends string | null>(
  definition: Variable<Value, Default>,
): Variable<Value, Default> {
  return definition;
}

/** Every variable that the service reads. The parser and docs/configuration.md use this table. */
export const variables = {
  PORT: variable({
    byDefault: '8080',
    parse: parseInteger(0, 65_535),
    meaning: 'The port to listen on. 0 selects a free port.',
  }),
  HOST: variable({
    byDefault: '127.0.0.1',
    parse: parseHost,
    meaning: 'The address to listen on. `0.0.0.0` listens on all addresses of the machine.',
  }),
  PUBLIC_URL: variable({
    byDefault: null,
    defaultNote: '`http://127.0.0.1:PORT`',
    parse: parsePublicUrl,
    meaning:
      'The origin at which browsers and apps reach the service, without a path. It must be `https` unless the host is loopback. Tokens are bound to it: changing it invalidates the tokens of every connection.',
  }),
  DATABASE_URL: variable({
    byDefault: null,
    defaultNote: 'none: uses the packaged PostgreSQL',
    parse: parseDatabaseUrl,
    meaning:
      'The URL of a PostgreSQL database, version 15 or later (`postgres://user:password@host/name`). Several hosts are separated by commas, as in libpq: `postgres://user:password@db1:5432,db2:5432/name?target_session_attrs=read-write`. Cardport connects to the host that accepts writes, never to a standby ([operating.md](operating.md#fail-over)). Without this variable Cardport runs its packaged PostgreSQL in `DATA_DIR`.',
  }),
  DATA_DIR: variable({
    byDefault: './data',
    parse: (text) => text,
    meaning:
      'The folder for the data of the packaged PostgreSQL (`postgresql`), the secret key and, unless other variables say otherwise, photos and emails.',
  }),
  SECRET_KEY: variable({
    byDefault: null,
    defaultNote:
      'without `DATABASE_URL`: created at the first start and stored in `DATA_DIR/secret-key`',
    parse: parseSecretKey,
    meaning:
      'The secret, at least 32 characters, from which the keys for signing, encryption and cookies are derived. Required with `DATABASE_URL`; use the same value on every node.',
  }),
  SECRET_KEY_PREVIOUS: variable({
    byDefault: null,
    defaultNote: 'none',
    parse: parseSecretKey,
    meaning:
      'The previous `SECRET_KEY`, while you rotate the key. Cardport can still decrypt webhook signing secrets that were encrypted with it, and re-encrypts them with `SECRET_KEY` within minutes. Set it on every node. Before you remove it, stop the last node that uses it as `SECRET_KEY`, and then wait until the metric `cardport_webhook_secrets_under_previous_key` has been 0 on every node for two minutes.',
  }),
  PHOTO_STORE: variable({
    byDefault: null,
    defaultNote: '`DATA_DIR/photos`',
    parse: parsePhotoStore,
    meaning:
      'Where photos are stored: a folder, or an S3 bucket, `s3://bucket/prefix?region=eu-central-1`. For another S3-compatible store: `s3://bucket/prefix?endpoint=https://minio.example:9000` (`region` defaults to `us-east-1`; `pathStyle=false` uses `bucket.endpoint`). Credentials come from the usual places of the AWS SDK: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the role of the machine. With `DATABASE_URL` and several nodes, all nodes must share the store.',
  }),
  MAIL_URL: variable({
    byDefault: null,
    defaultNote: '`DATA_DIR/mail`',
    parse: parseMailTarget,
    meaning:
      'Where emails go (invitations, reset links, and notices about failed sign-ins and apps that stop). A folder gets one `.eml` file per email, readable only by its owner. A mail server is `smtp://user:password@host:587` (STARTTLS, which is required with a user unless the host is loopback) or `smtps://user:password@host:465`. Percent-encode special characters in the user and password.',
  }),
  MAIL_FROM: variable({
    byDefault: null,
    defaultNote: '`Cardport <no-reply@HOST>` with the host of `PUBLIC_URL`',
    parse: parseMailSender,
    meaning: 'The sender of every email: an address, or `Name <address>`.',
  }),
  RATE_LIMITS: variable({
    byDefault: 'default',
    parse: parseRateLimits,
    meaning:
      '`off`, or a list of the limits to change, each `name=requests per minute/burst`: `api`, `search`, `photos` (6000/1000 per connection), `token` (600/600 per client), `authorize` (600/600 authorization requests per address and per account), `shop` (6000/1000 per key), `console` (1200/300 per account), `failures` (60/60 failed authentications per name and address; `off` also removes the limit of 100 failures per hour for one account). Example: `api=12000/2000,token=60`.',
  }),
  ALLOW_LOOPBACK_WEBHOOKS: variable({
    byDefault: 'false',
    parse: parseBoolean,
    meaning:
      'For development: `true` allows webhooks to `http` URLs and loopback hosts. The URL must still share its origin with one of the app’s redirect URIs. Requires a loopback `PUBLIC_URL`; for `deliver` you must set `PUBLIC_URL` explicitly.',
  }),
  TRUST_PROXY: variable({
    byDefault: 'off',
    parse: parseTrustProxy,
    meaning:
      'Which proxies are trusted to set `X-Forwarded-For`: `off`, the number of proxies in front (1 to 9; `true` is 1), or a list of their addresses and ranges (`10.0.0.0/8`, `loopback`).',
  }),
  METRICS_PORT: variable({
    byDefault: null,
    defaultNote: 'none: no metrics are served',
    parse: parseInteger(0, 65_535),
    meaning: 'The port that serves `/metrics` (Prometheus text format).',
  }),
  METRICS_HOST: variable({
    byDefault: '127.0.0.1',
    parse: parseHost,
    meaning: 'The address on which the metrics port listens.',
  }),
  REFRESH_REPLAY: variable({
    byDefault: 'header',
    parse: parseChoice('header', 'always', 'never'),
    meaning:
      'Which clients can repeat a refresh request and get the same response: clients that send `Idempotency-Key`, for 7 days (`header`); every client, for 60 seconds without that header (`always`); none (`never`).',
  }),
  RESTORED_TOKENS_DAYS: variable({
    byDefault: '7',
    parse: parseInteger(0, 90),
    meaning:
      'The number of days after `cardport restored` during which Cardport accepts refresh tokens that were issued after the backup, so that these apps keep their approval (docs/operating.md explains the risk). With 0, each of these apps needs a new approval.',
  }),
  SHOP_UNITS_MAX: variable({
    byDefault: '2000000',
    parse: parseInteger(1, 1_000_000_000),
    meaning:
      'The maximum number of units of a shop, sold ones included. A unit takes about 2.3 KB of disk. Further units are refused: files at the check, `PUT` and batches with 409.',
  }),
  ON_RESTORE: variable({
    byDefault: 'ask',
    parse: parseChoice('ask', 'expire'),
    meaning:
      'What `serve` does when it finds that the database was restored or replaced. `ask`: it logs an error and refuses reads with a cursor (503) until you run `cardport restored`. `expire`: it does the same as `cardport restored` by itself.',
  }),
  DATABASE_FAILS_OVER: variable({
    byDefault: 'false',
    parse: parseBoolean,
    meaning:
      'Set it to `true` if the one host in `DATABASE_URL` is an address that moves to a promoted standby (a virtual IP, a proxy, an endpoint of a cloud). A new timeline of PostgreSQL is then only a warning; otherwise it counts as a restore. Not needed with several hosts.',
  }),
  LOG_LEVEL: variable({
    byDefault: 'info',
    parse: parseChoice('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    meaning: 'The lowest severity that is logged.',
  }),
  DATABASE_CONNECTIONS: variable({
    byDefault: '8',
    parse: parseInteger(1, 200),
    meaning:
      'The maximum number of PostgreSQL connections in the pool of one process. Each process opens four more (five with `DATA_DIR`).',
  }),
  DATABASE_WAIT_SECONDS: variable({
    byDefault: '60',
    parse: parseInteger(0, 86_400),
    meaning:
      'How long `serve` and `deliver` wait at startup for an unavailable database (not started, still starting, only standbys, a pooler without its server, a host name that does not resolve yet), counted from the first attempt, before they exit with an error. With 0 they do not wait. With a wrong password or a missing database they exit immediately.',
  }),
  DRAIN_NOTICE_SECONDS: variable({
    byDefault: '1',
    parse: parseInteger(0, 600),
    meaning:
      'How long `/readyz` responds with 503 after SIGTERM or SIGINT before the port closes, so that a load balancer stops sending requests.',
  }),
  DRAIN_SECONDS: variable({
    byDefault: '20',
    parse: parseInteger(0, 600),
    meaning:
      'How long requests and webhook deliveries in progress may take to finish after SIGTERM or SIGINT. A delivery takes at most 15 s.',
  }),
};

export type VariableName = keyof typeof variables;

/** These may hold a secret. For each, `NAME_FILE` can name a file that contains the value. */
export const SECRETS = [
  'DATABASE_URL',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'MAIL_URL',
] as const satisfies readonly VariableName[];

/** The values of all variables. A variable without a value and without a default is null. */
export type VariableValues = {
  readonly [Name in VariableName]:
    | ReturnType<(typeof variables)[Name]['parse']>
    | ((typeof variables)[Name]['byDefault'] extends null ? null : never);
};

/** These variables are not in the table, because OpenTelemetry defines them. */
const OPENTELEMETRY = [
  '## OpenTelemetry',
  '',
  '`serve` and `deliver` also read the standard variables for [traces](operating.md#traces). A value that they cannot',
  'use is reported on standard error and ignored; it does not prevent the start.',
  '',
  '| Variable | Meaning |',
  '|---|---|',
  '| `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` | The collector. One of them turns traces on. `/v1/traces` is added to the first; the second is the complete URL. |',
  '| `OTEL_TRACES_EXPORTER` | `none` turns traces off. `otlp` turns them on even if no endpoint is set; the collector is then `http://localhost:4318`. |',
  '| `OTEL_SDK_DISABLED` | `true` turns traces off. |',
  '| `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` | Describe the process. The default name is `cardport`. |',
  '| `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG` | `always_on`, `always_off`, `traceidratio`, or one of these with the prefix `parentbased_`; the default is `parentbased_always_on`. The argument is the ratio, from 0 to 1. |',
  '| `OTEL_PROPAGATORS` | Without `tracecontext` in this list, `traceparent` is not read. |',
  '| `OTEL_EXPORTER_OTLP_HEADERS`, `…_TIMEOUT`, `…_COMPRESSION`, `…_CERTIFICATE`, `…_CLIENT_CERTIFICATE`, `…_CLIENT_KEY`, and each of these with `OTLP_TRACES` instead of `OTLP` | Read by the OpenTelemetry exporter. |',
  '| `OTEL_EXPORTER_OTLP_PROTOCOL`, `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL` | Only `http/protobuf`, the default, is supported. |',
  '| `OTEL_BSP_SCHEDULE_DELAY`, `OTEL_BSP_MAX_QUEUE_SIZE`, `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, `OTEL_BSP_EXPORT_TIMEOUT` | How spans are collected before they are sent: 5,000 ms, 2,048, 512, 30,000 ms. |',
  '',
];

/** Renders docs/configuration.md. A test compares it with the page in the repository. */
export function renderConfigurationPage(): string {
  const rows = Object.entries(variables).map(([name, { byDefault, defaultNote, meaning }]) => {
    const shown = defaultNote ?? (byDefault === null ? 'none' : `\`${byDefault}\``);
    return `| \`${name}\` | ${shown} | ${meaning} |`;
  });
  const files = SECRETS.map((name) => `\`${name}_FILE\``).join(', ');
  return [
    '# Configuration',
    '',
    'Cardport is configured by environment variables. They are read once at startup; all errors are reported together,',
    'and the service does not start. An empty variable counts as not set.',
    '',
    `Secrets can be in files: ${files} name a file`,
    'that contains the value, such as a secret of Docker or a credential of systemd. White space around the value is ignored.',
    '',
    '<!-- Made by `npm run docs` from server/src/config/variables.ts. -->',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rows,
    '',
    ...OPENTELEMETRY,
  ].join('\n');
}
