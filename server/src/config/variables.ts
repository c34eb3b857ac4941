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
  parseWord,
} from './values.ts';

interface Variable<Value, Default extends string | null> {
  /** The default text; null when there is none. */
  readonly byDefault: Default;
  /** Shown in the docs instead of the default, when it depends on other variables. */
  readonly defaultNote?: string;
  readonly parse: (text: string) => Value;
  /** Its purpose, in one or two sentences (docs/configuration.md). */
  readonly meaning: string;
}

/** Infers the types of a variable's parser and default. */
function variable<Value, Default extends string | null>(
  definition: Variable<Value, Default>,
): Variable<Value, Default> {
  return definition;
}

/** Every variable that the service reads. Parsing and docs/configuration.md both use this table. */
export const variables = {
  PORT: variable({
    byDefault: '8080',
    parse: parseInteger(0, 65_535),
    meaning: 'The port to listen on; 0 takes a free one.',
  }),
  HOST: variable({
    byDefault: '127.0.0.1',
    parse: parseHost,
    meaning: 'The address to listen on. `0.0.0.0` listens on every address of the machine.',
  }),
  PUBLIC_URL: variable({
    byDefault: null,
    defaultNote: '`http://127.0.0.1:PORT`',
    parse: parsePublicUrl,
    meaning:
      'The origin under which browsers and apps reach the service, without a path. It must be `https` unless its host is loopback. Tokens are bound to it: changing it ends every connection’s tokens.',
  }),
  DATABASE_URL: variable({
    byDefault: null,
    defaultNote: 'none: the packaged PostgreSQL',
    parse: parseDatabaseUrl,
    meaning:
      'A PostgreSQL database, version 15 or later (`postgres://user:password@host/name`). Several hosts are separated by commas, as in libpq: `postgres://user:password@db1:5432,db2:5432/name?target_session_attrs=read-write`. Cardport connects to the one that takes writes, and never to a standby ([operating.md](operating.md#fail-over)). Without it Cardport runs its packaged PostgreSQL in `DATA_DIR`.',
  }),
  DATA_DIR: variable({
    byDefault: './data',
    parse: (text) => text,
    meaning:
      'The folder of the packaged PostgreSQL’s data (`postgresql`), the secret key and, unless other settings name their places, photos and mails.',
  }),
  SECRET_KEY: variable({
    byDefault: null,
    defaultNote:
      'without `DATABASE_URL`: made at the first start and kept in `DATA_DIR/secret-key`',
    parse: parseSecretKey,
    meaning:
      'The secret, at least 32 characters, from which the keys that sign, seal and set cookies are derived. Required with `DATABASE_URL`, and the same on every node.',
  }),
  SECRET_KEY_PREVIOUS: variable({
    byDefault: null,
    defaultNote: 'none',
    parse: parseSecretKey,
    meaning:
      'The `SECRET_KEY` before this one, while it is being changed: the signing secrets of webhooks that are kept under it can be opened, and are sealed anew under `SECRET_KEY` within minutes. Set it on every node, and take it away when the last node whose `SECRET_KEY` it was has ended and the metric `cardport_webhook_secrets_under_previous_key` has been 0 on every node for two minutes since.',
  }),
  PHOTO_STORE: variable({
    byDefault: null,
    defaultNote: '`DATA_DIR/photos`',
    parse: parsePhotoStore,
    meaning:
      'Where photos are kept: a folder, or a bucket, `s3://bucket/prefix?region=eu-central-1`. A store that is not Amazon’s: `s3://bucket/prefix?endpoint=https://minio.example:9000` (`region` is `us-east-1` then, `pathStyle=false` asks for `bucket.endpoint`). Credentials are looked for where Amazon’s SDK does: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, the machine’s role. With `DATABASE_URL` and several nodes it must be a store that all of them share.',
  }),
  MAIL_URL: variable({
    byDefault: null,
    defaultNote: '`DATA_DIR/mail`',
    parse: parseMailTarget,
    meaning:
      'Where mails go (invitations of members, word of failed sign-ins): a folder, in which each becomes a file `.eml` that only its owner may read, or a mail server, `smtp://user:password@host:587` (STARTTLS; required when a user is given, unless the host is loopback) or `smtps://user:password@host:465`. Special characters of user and password are percent-encoded.',
  }),
  MAIL_FROM: variable({
    byDefault: null,
    defaultNote: '`Cardport <no-reply@HOST>` with the host of `PUBLIC_URL`',
    parse: parseMailSender,
    meaning: 'The sender of every mail: an address, or `Name <address>`.',
  }),
  RATE_LIMITS: variable({
    byDefault: 'default',
    parse: parseRateLimits,
    meaning:
      '`off`, or a list of the buckets that differ, each `name=requests a minute/burst`: `api`, `search`, `photos` (6000/1000 a connection), `token` (600/600 a client), `authorize` (600/600 authorization requests an address; ten times that a client), `shop` (6000/1000 a key), `console` (1200/300 an account), `failures` (60/60 failed authentications a name and address; `off` lifts the 100 failures an hour of one account too). Example: `api=12000/2000,token=60`.',
  }),
  ALLOW_LOOPBACK_WEBHOOKS: variable({
    byDefault: 'false',
    parse: parseBoolean,
    meaning:
      'For development: `true` lets webhooks go to `http` and to loopback hosts. They still have to be of the same origin as one of the app’s redirect URIs. Refused unless `PUBLIC_URL` is loopback; `deliver` wants that one given.',
  }),
  TRUST_PROXY: variable({
    byDefault: 'off',
    parse: parseTrustProxy,
    meaning:
      'Whose `X-Forwarded-For` is believed: `off`, the count of proxies in front (1 to 9; `true` is 1), or a list of their addresses and ranges (`10.0.0.0/8`, `loopback`).',
  }),
  METRICS_PORT: variable({
    byDefault: null,
    defaultNote: 'none: no metrics are served',
    parse: parseInteger(0, 65_535),
    meaning: 'The port of `/metrics` (Prometheus text).',
  }),
  METRICS_HOST: variable({
    byDefault: '127.0.0.1',
    parse: parseHost,
    meaning: 'The address on which `/metrics` listens.',
  }),
  REFRESH_REPLAY: variable({
    byDefault: 'header',
    parse: parseWord('header', 'always', 'never'),
    meaning:
      'Who may repeat a refresh and get the same answer: clients that send `Idempotency-Key`, for 7 days (`header`); every client, without that header for 60 seconds (`always`); nobody (`never`).',
  }),
  RESTORED_TOKENS_DAYS: variable({
    byDefault: '7',
    parse: parseInteger(0, 90),
    meaning:
      'How many days after `cardport restored` a refresh token that was issued after the backup is recognised, so that its app keeps its approval (docs/operating.md tells of the risk). 0: never; then each such app needs a new approval.',
  }),
  LOG_LEVEL: variable({
    byDefault: 'info',
    parse: parseWord('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    meaning: 'The least severe lines that the log shows.',
  }),
  DATABASE_CONNECTIONS: variable({
    byDefault: '8',
    parse: parseInteger(1, 200),
    meaning:
      'How many pooled PostgreSQL connections one process opens at most. Each process opens four more (five with `DATA_DIR`).',
  }),
  DATABASE_WAIT_SECONDS: variable({
    byDefault: '60',
    parse: parseInteger(0, 86_400),
    meaning:
      'How long `serve` and `deliver` wait at their start for a database that is away (not started, starting, all hosts standbys, a pooler without its server, a name that is not known yet), counted from the first attempt, before they end with an error. 0 does not wait. A wrong password or a missing database ends them at once.',
  }),
  DRAIN_NOTICE_SECONDS: variable({
    byDefault: '1',
    parse: parseInteger(0, 600),
    meaning:
      'How long `/readyz` answers 503 after SIGTERM or SIGINT before the port closes, so that a balancer stops sending.',
  }),
  DRAIN_SECONDS: variable({
    byDefault: '20',
    parse: parseInteger(0, 600),
    meaning:
      'How long requests and notices of webhooks under way may take to end after SIGTERM or SIGINT. A notice takes 15 s at most.',
  }),
};

export type VariableName = keyof typeof variables;

/** The values of all variables; null for one without value and default. */
export type VariableValues = {
  readonly [Name in VariableName]:
    | ReturnType<(typeof variables)[Name]['parse']>
    | ((typeof variables)[Name]['byDefault'] extends null ? null : never);
};

/** Renders docs/configuration.md. A test compares it with the page in the repository. */
export function renderConfigurationPage(): string {
  const rows = Object.entries(variables).map(([name, { byDefault, defaultNote, meaning }]) => {
    const shown = defaultNote ?? (byDefault === null ? 'none' : `\`${byDefault}\``);
    return `| \`${name}\` | ${shown} | ${meaning} |`;
  });
  return [
    '# Configuration',
    '',
    'Cardport is configured by environment variables. They are read once at the start; every fault is reported at once,',
    'and the service does not start. An empty variable counts as not given.',
    '',
    '<!-- Made by `npm run docs` from server/src/config/variables.ts. -->',
    '',
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
