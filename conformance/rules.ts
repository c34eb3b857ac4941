/** A rule of the specification and its tests. */
export interface Rule {
  /** The clause of the specification. */
  readonly clause: string;
  /** The rule in the specification's words, shortened. */
  readonly rule: string;
  /** Ids of the tests that fail when the rule is broken. */
  readonly tests: readonly string[];
  /** Why the rule has no test, or what its tests do not cover. */
  readonly why?: string;
}

const APP_OBLIGATION = 'an obligation of the app, not of the service';
/** Specification 7 states 400 invalid_request only for GET /purchase-boosts. */
const REFUSAL_NOT_SHOWN =
  'the specification does not show how it is refused; the decisions define 400 invalid_request';
const NOT_SHOWN = 'not shown; the decisions settle it';

function rulesOf(
  clause: string,
  rows: readonly (readonly [rule: string, tests: readonly string[], why?: string])[],
): readonly Rule[] {
  return rows.map(([rule, names, why]) => ({
    clause,
    rule,
    tests: names.map((name) => (/^(D|\d)[\d.]*-/.test(name) ? name : `${clause}-${name}`)),
    ...(why === undefined ? {} : { why }),
  }));
}

/** All rules of the specification, in its order. */
export const rules: readonly Rule[] = [
  ...rulesOf('1', [
    [
      'The service acts for one shop, after a member has approved',
      ['5.3-returns', '5.3-nobody-signed-in'],
    ],
    ['The access token determines the shop', ['one-shop', '5.5-feed-confined']],
    ['Create, check and end the connection', ['4.2-creates', '4.1-answer', '4.3-ends']],
    ['List the buy boosts currently open', ['3.2-open']],
    [
      'Sync sites, locations and units through a feed; fetch a photo',
      ['4.6-everything', '4.7-photo'],
    ],
    ['Search the catalog and fetch one card', ['4.8-by-name', '4.9-one']],
    ['Register one webhook that is notified when stock changes', ['4.10-registers', '6-post']],
    [
      'Every response carries Cache-Control: no-store',
      [
        'no-store-reads',
        'no-store-errors',
        'no-store-writes',
        'no-store-oauth',
        'no-store-metadata',
        '4.7-photo',
      ],
    ],
    ['Error bodies have the form {"error": "<code>"}', ['7-invalid-request', '7-not-found']],
  ]),
  ...rulesOf('2.1', [
    ['Fields, types, required', ['fields', '4.1-answer']],
    ['tenant: the connected shop', ['tenant']],
    ['user: the member who approved', ['user']],
    ['clientId', ['client-id']],
    ['status: active', ['fields', '3.1-opens']],
    ['connectedAt', ['connected-at']],
    ['webhook: object or null', ['webhook-null', 'webhook-set']],
    ['cursor: the head; reading from it returns only later changes', ['cursor', '4.6-head']],
  ]),
  ...rulesOf('2.2', [
    ['Fields and types; none is required', ['fields-of-one', 'fields-of-many', 'same-everywhere']],
    ['The values are those of the card', ['values']],
  ]),
  ...rulesOf('2.3', [
    ['Fields, types, required', ['fields']],
    ['target shape A: kind card, card, grade or null (any grade)', ['card-target']],
    [
      'target shape B: product; productKind is an open set',
      ['product-target'],
      `its kind is ${NOT_SHOWN}: product`,
    ],
    ['priceMinor, currency (ISO 4217)', ['fields', 'currency', 'values']],
    ['remainingQuantity: 0 or more, null means no limit', ['remaining']],
    ['status: open or filled', ['fields', '3.2-filled']],
    [
      'startsAt, endsAt: null means not set; the boost closes at endsAt',
      ['times', 'values', 'closes', '3.2-never-expired'],
    ],
    ['note: up to 200 characters', ['note', 'fields']],
    ['Grade: fields; serviceKind third_party or internal', ['grade', 'fields', 'values']],
  ]),
  ...rulesOf('2.4', [
    ['Site: fields and types', ['fields', 'values', 'D2-every-site-field']],
    [
      'Location: fields and types; siteId is the id of its site',
      ['fields', 'values', 'D2-every-site-field', 'site-id'],
    ],
    ['createdAt, updatedAt', ['updated-at']],
    ['Allowed values of kind', [], `${NOT_SHOWN} (open sets, so any word passes)`],
  ]),
  ...rulesOf('2.5', [['url, secret (whsec_…), createdAt', ['fields']]]),
  ...rulesOf('2.6', [
    ['Each record’s data holds the current value at read time', ['4.6-current-value', 'values']],
    ['Records concern sites, storage locations and units', ['kinds']],
    [
      'Sites, locations and units have id; sites and locations have isActive; a unit has status',
      ['id', 'is-active', 'unit-status'],
    ],
    ['Fields of a unit, envelope of a record', ['D2-records', 'D2-unit'], NOT_SHOWN],
  ]),
  ...rulesOf('3.1', [
    [
      'POST /connection with a valid token activates the connection and returns its shop',
      ['opens', 'again'],
    ],
    ['DELETE /connection ends it', ['ends', 'one-app-only']],
    [
      'Every endpoint other than POST works only while it is active',
      ['only-while-active', 'D3-before-post'],
    ],
    ['A call on a revoked connection gets 403 connection_revoked', ['ends', 'revoked']],
    ['A call by a disabled app gets 403 client_disabled', ['disabled']],
    [
      'Other transitions of a connection',
      ['D3-webhook-ends', 'D3-shared', 'D3-disabled-keeps'],
      NOT_SHOWN,
    ],
  ]),
  ...rulesOf('3.2', [
    ['Open now: listed as open', ['open', 'moves']],
    [
      'A boost with nothing left is listed only with include=filled, as filled',
      ['filled', 'include-filled', 'moves'],
    ],
    [
      'A boost that has not started, is paused, has ended or has expired is never listed',
      ['never-scheduled', 'never-paused', 'never-ended', 'never-expired'],
    ],
    ['Transitions of a boost', ['moves'], NOT_SHOWN],
  ]),
  ...rulesOf('3.3', [
    [
      'Deactivation shows as isActive false; nothing is deleted',
      ['inactive-site', 'inactive-location', '4.5-inactive'],
    ],
    ['The status of a unit shows that it has left stock', ['unit-leaves', 'status-tells']],
    ['Allowed values of a unit’s status', [], `${NOT_SHOWN} (an open set)`],
  ]),
  ...rulesOf('4', [
    [
      'Paths are relative to {base_url}; each has the methods of the table',
      ['routes', 'D10-method'],
    ],
    ['All requests carry Authorization: Bearer', ['token-needed', 'token-in-header']],
    ['Bodies are JSON', ['D10-media-type', 'D10-json-type']],
    [
      'Scope of each endpoint',
      ['scope-purchase-boosts-read', 'scope-inventory-read', 'scope-none'],
    ],
  ]),
  ...rulesOf('4.1', [
    ['200: a Connection', ['answer']],
    ['401 invalid_token', ['invalid-token', '4-token-needed']],
    [
      '403 insufficient_scope, connection_revoked, client_disabled, forbidden',
      ['4-scope-none', '3.1-revoked', '3.1-disabled', 'D3-before-post'],
    ],
  ]),
  ...rulesOf('4.2', [
    ['Creates the connection; the response names the connected shop', ['creates']],
    [
      'Body, response fields, status codes',
      ['D3-created', 'D3-repeated', 'D3-body-ignored'],
      NOT_SHOWN,
    ],
  ]),
  ...rulesOf('4.3', [
    ['Ends the connection', ['ends']],
    ['Body, response, status code', ['D3-deleted'], NOT_SHOWN],
  ]),
  ...rulesOf('4.4', [
    ['The approving member needs purchases.read', ['permission', '5.5-purchases-read']],
    ['include: open (default) or filled', ['default', '3.2-include-filled']],
    ['200: boosts and generatedAt', ['content', 'generated-at']],
    ['Highest boosted price first', ['order']],
    ['The list follows the visibility rules', ['3.2-open', '3.2-filled']],
    ['400 invalid_request for an invalid parameter', ['include-invalid']],
    ['401; 403', ['4-token-needed', '4-scope-inventory-read']],
  ]),
  ...rulesOf('4.5', [
    ['200: all sites and storage locations', ['all', 'active']],
    ['Includes inactive ones', ['inactive']],
    ['401; 403', ['4-token-needed', '4-scope-purchase-boosts-read']],
  ]),
  ...rulesOf('4.6', [
    ['Changes to sites, locations and units after a cursor', ['only-later']],
    ['Without a cursor, the feed returns everything from the beginning', ['everything', 'moving']],
    ['nextCursor and a boolean hasMore', ['envelope']],
    ['While hasMore is true the reader continues with nextCursor', ['chain', 'end']],
    ['data is the current value: a receiver only upserts by id', ['current-value', 'upsert']],
    ['The cursor of GET /connection is the head of the feed', ['head']],
    ['Names of parameters, page size', ['D4-limit-bounds', 'D4-limit-holds'], NOT_SHOWN],
  ]),
  ...rulesOf('4.7', [
    ['Returns a unit’s photo', ['photo']],
    ['id, side, format, errors', ['D5-headers', 'D5-not-found'], NOT_SHOWN],
  ]),
  ...rulesOf('4.8', [
    [
      'Finds by name, card number, JAN or id',
      ['by-name', 'by-cardNumber', 'by-janCode', 'by-id', 'nothing'],
    ],
    ['Active cards only', ['only-active']],
    [
      'search is required, 1 to 150 characters',
      ['search-required', 'search-length', 'search-characters', 'D6-invalid-request'],
      REFUSAL_NOT_SHOWN,
    ],
    [
      'limit: integer, 1 to 25, default 25',
      ['limit-bounds', 'limit-integer', 'limit-holds', 'D6-invalid-request'],
      REFUSAL_NOT_SHOWN,
    ],
    ['200: at most 25 cards', ['limit-holds']],
    ['401; 403', ['4-token-needed', '4-scope-purchase-boosts-read']],
  ]),
  ...rulesOf('4.9', [
    ['200: one Card', ['one', 'upper-case']],
    ['404 not_found', ['unknown']],
    ['id is a uuid', ['D6-no-uuid'], 'the response to another form of id is not shown'],
  ]),
  ...rulesOf('4.10', [
    ['Registers the URL; the body is {url}', ['registers', 'no-url']],
    ['Notifications carry no stock data', ['6-no-stock-data']],
    ['Rule 1: https', ['https', 'https-loopback']],
    ['Rule 2: the origin of a redirect URI', ['origin', 'other-app', 'same-origin', 'any-path']],
    ['Rule 3: every call returns a new signing secret', ['new-secret']],
    ['The secret appears only in this response', ['secret-only-here', '2.1-webhook-set']],
    ['422 invalid_webhook_url', ['https', 'origin', 'no-url']],
  ]),
  ...rulesOf('4.11', [
    ['Removes the webhook', ['removes', '6-none-after-delete']],
    ['Body, response, status codes', ['D7-delete'], NOT_SHOWN],
  ]),
  ...rulesOf('5', [
    ['Authorization code flow', ['code-flow-only', '5.3-token-answer']],
    ['PKCE with S256 is required', ['pkce-required', 'pkce-s256-only', '5.3-verifier']],
    ['The exchange needs the client secret', ['secret-needed', '5.3-wrong-secret']],
  ]),
  ...rulesOf('5.1', [
    [
      'Authorization, token and revocation addresses',
      ['authorization-address', 'token-and-revocation'],
    ],
    ['Authorization server metadata', ['server-metadata', 'server-abilities']],
    ['Protected resource metadata', ['resource-metadata']],
    [
      'Every authorization, token and refresh request carries resource',
      [
        'resource-carried',
        'D8-resource-at-authorize',
        'D8-resource-at-exchange',
        'D8-resource-at-refresh',
      ],
    ],
  ]),
  ...rulesOf('5.2', [
    ['The five scopes', ['all-five', 'unknown']],
    ['Without offline_access no refresh token is issued', ['no-offline-access', 'offline-access']],
    [
      'A scope that was not allowed fails with invalid_scope',
      ['not-allowed', 'allowed', 'D8-refused-at-once'],
    ],
  ]),
  ...rulesOf('5.3', [
    [
      '1: code_challenge is the base64url SHA-256 of code_verifier',
      ['challenge-is-hash', 'verifier'],
    ],
    ['1: the client keeps verifier and state in its session', [], APP_OBLIGATION],
    [
      '2: parameters of the authorization request',
      ['5.1-authorization-address', 'redirect-uri-registered', 'unknown-client'],
    ],
    ['3: a member signs in and allows', ['returns', 'denied', 'nobody-signed-in']],
    ['3: the browser returns with code and state', ['returns', 'state-as-sent']],
    ['3: the client checks state', [], APP_OBLIGATION],
    ['4: Basic credentials, url-encoded', ['basic-encoded', 'wrong-secret']],
    ['4: Content-Type is a form', ['D8-form-only']],
    [
      '4: code, redirect_uri, code_verifier',
      ['code-once', 'code-of-another-app', 'invented-code', 'redirect-uri', 'verifier'],
    ],
    ['4: fields of the response, Bearer, 900', ['token-answer']],
    [
      '5: POST /connection with the access token, then every call',
      ['then-connection', '3.1-only-while-active'],
    ],
  ]),
  ...rulesOf('5.4', [
    ['Access token: 15 minutes', ['access-expires', '5.3-token-answer']],
    ['Refresh token: 90 days', ['refresh-lives']],
    ['Rotates on every refresh', ['refresh', 'rotates', 'rotated-is-spent', 'refresh-needs-app']],
    ['Used as Authorization: Bearer', ['bearer', 'refresh-token-is-no-access-token']],
    [
      'A token is valid only for the resource address; a token for another resource gets 401 invalid_token',
      ['audience', 'other-resource'],
      'a token for another resource cannot be obtained from outside, so an id_token is used instead',
    ],
    ['Parameters of refresh and revocation', ['D8-refresh-scope', 'D8-revocation'], NOT_SHOWN],
    ['Registration of apps', [], `${NOT_SHOWN} (the tester registers them)`],
  ]),
  ...rulesOf('5.5', [
    [
      'Access is confined to the shop that approved',
      [
        'feed-confined',
        'sites-confined',
        'boosts-confined',
        'photos-confined',
        'changes-elsewhere',
        '1-one-shop',
        'D4-foreign-cursor',
      ],
    ],
    ['The boost list requires purchases.read', ['purchases-read', '4.4-permission']],
  ]),
  ...rulesOf('6', [
    ['HTTP POST to the registered url', ['post']],
    [
      'Emitted when sites, locations or units change',
      ['every-kind', 'none-after-delete', 'other-shop'],
    ],
    ['Body: type, tenantId, connectionId, occurredAt', ['body', 'whose', 'occurred-at']],
    ['No stock data; the receiver reads the feed', ['no-stock-data', 'then-read']],
    ['X-Service-Timestamp: timestamp of the delivery', ['timestamp']],
    ['X-Service-Signature: v1=<hex>', ['signature']],
    [
      'HMAC-SHA256 of <timestamp>.<body>, keyed with the secret string',
      ['signature', 'newest-secret'],
    ],
    [
      'A receiver rejects a timestamp that is off by 300 seconds or more',
      ['timestamp'],
      'an obligation of the receiver; the timestamps sent are within the limit',
    ],
    [
      'Retries, expected status, form of the timestamp',
      ['D7-retry', 'D7-gone', 'D7-timestamp-form'],
      NOT_SHOWN,
    ],
  ]),
  ...rulesOf('7', [
    [
      'error is always present; scope only with insufficient_scope',
      ['insufficient-scope', 'forbidden', 'invalid-request'],
    ],
    ['400 invalid_request', ['invalid-request', '4.4-include-invalid']],
    [
      '401 invalid_token: missing, expired, another resource',
      ['invalid-token-missing', 'invalid-token-bad', '5.4-access-expires', '5.4-audience'],
    ],
    ['403 insufficient_scope', ['insufficient-scope']],
    ['403 connection_revoked', ['connection-revoked']],
    ['403 client_disabled', ['client-disabled']],
    ['403 forbidden', ['forbidden']],
    ['404 not_found', ['not-found']],
    ['422 invalid_webhook_url', ['invalid-webhook-url']],
    ['invalid_scope at authorization', ['5.2-not-allowed']],
    [
      'Errors of the other endpoints',
      ['D3-body-refused', 'D4-bad-cursor', 'D5-not-found', 'D10-unknown-route'],
      NOT_SHOWN,
    ],
  ]),
  ...rulesOf('8', [
    ['Lifetimes of tokens', ['5.4-access-expires', '5.4-refresh-lives']],
    [
      'search, limit, results of GET /cards',
      ['4.8-search-length', '4.8-limit-bounds', '4.8-limit-holds'],
    ],
    [
      'note has up to 200 characters, and remainingQuantity is 0 or more',
      ['2.3-fields', '2.3-remaining'],
    ],
    ['Webhook timestamp tolerance', ['6-timestamp'], 'see 6'],
    ['One webhook per connection', ['one-webhook', 'one-webhook-told']],
    ['Rate limits, page size', ['D10-rate-headers', 'D4-limit-bounds'], NOT_SHOWN],
  ]),
  ...rulesOf('9', [
    [
      '{base_url} and the resource address end with v1',
      ['in-base', 'in-resource', 'D10-version-needed'],
    ],
    ['Deprecation policy', [], NOT_SHOWN],
  ]),
];
