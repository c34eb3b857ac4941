import { tests as serviceTests } from './clauses/1-service.ts';
import { tests as connectionTests } from './clauses/2.1-connection.ts';
import { tests as cardTests } from './clauses/2.2-card.ts';
import { tests as purchaseBoostTests } from './clauses/2.3-purchase-boost.ts';
import { tests as siteTests } from './clauses/2.4-site.ts';
import { tests as webhookRegistrationTests } from './clauses/2.5-webhook-registration.ts';
import { tests as changeRecordTests } from './clauses/2.6-change-record.ts';
import { tests as connectionStatesTests } from './clauses/3.1-connection-states.ts';
import { tests as boostVisibilityTests } from './clauses/3.2-boost-visibility.ts';
import { tests as stockStatesTests } from './clauses/3.3-stock-states.ts';
import { tests as endpointsTests } from './clauses/4-endpoints.ts';
import { tests as getConnectionTests } from './clauses/4.1-get-connection.ts';
import { tests as postConnectionTests } from './clauses/4.2-post-connection.ts';
import { tests as deleteConnectionTests } from './clauses/4.3-delete-connection.ts';
import { tests as purchaseBoostsTests } from './clauses/4.4-purchase-boosts.ts';
import { tests as sitesTests } from './clauses/4.5-sites.ts';
import { tests as changesTests } from './clauses/4.6-changes.ts';
import { tests as photosTests } from './clauses/4.7-photos.ts';
import { tests as cardsTests } from './clauses/4.8-cards.ts';
import { tests as oneCardTests } from './clauses/4.9-one-card.ts';
import { tests as putWebhookTests } from './clauses/4.10-put-webhook.ts';
import { tests as deleteWebhookTests } from './clauses/4.11-delete-webhook.ts';
import { tests as oauthTests } from './clauses/5-oauth.ts';
import { tests as addressesTests } from './clauses/5.1-addresses.ts';
import { tests as scopesTests } from './clauses/5.2-scopes.ts';
import { tests as flowTests } from './clauses/5.3-flow.ts';
import { tests as tokensTests } from './clauses/5.4-tokens.ts';
import { tests as permissionsTests } from './clauses/5.5-permissions.ts';
import { tests as eventsTests } from './clauses/6-events.ts';
import { tests as errorsTests } from './clauses/7-errors.ts';
import { tests as limitsTests } from './clauses/8-limits.ts';
import { tests as versionTests } from './clauses/9-version.ts';
import { tests as decisionsObjectsTests } from './clauses/d2-objects.ts';
import { tests as decisionsConnectionTests } from './clauses/d3-connection.ts';
import { tests as decisionsFeedTests } from './clauses/d4-feed.ts';
import { tests as decisionsPhotosTests } from './clauses/d5-photos.ts';
import { tests as decisionsCatalogTests } from './clauses/d6-catalog.ts';
import { tests as decisionsWebhookTests } from './clauses/d7-webhook.ts';
import { tests as decisionsAttemptsTests } from './clauses/d7-attempts.ts';
import { tests as decisionsOauthTests } from './clauses/d8-oauth.ts';
import { tests as decisionsAuthorizationAndMetadataTests } from './clauses/d8-authorization-and-metadata.ts';
import { tests as decisionsEveryResponseTests } from './clauses/d10-every-response.ts';
import { tests as decisionsOrderOfChecksTests } from './clauses/d3-order-of-checks.ts';
import { tests as decisionsTokensTests } from './clauses/d8-tokens.ts';
import { tests as decisionsBoostsTests } from './clauses/d9-boosts.ts';
import { tests as decisionsErrorsTests } from './clauses/d10-errors.ts';
import type { ConformanceTest } from './definition.ts';

/** All tests, sorted by clause. */
export const allTests: readonly ConformanceTest[] = [
  ...serviceTests,
  ...connectionTests,
  ...cardTests,
  ...purchaseBoostTests,
  ...siteTests,
  ...webhookRegistrationTests,
  ...changeRecordTests,
  ...connectionStatesTests,
  ...boostVisibilityTests,
  ...stockStatesTests,
  ...endpointsTests,
  ...getConnectionTests,
  ...postConnectionTests,
  ...deleteConnectionTests,
  ...purchaseBoostsTests,
  ...sitesTests,
  ...changesTests,
  ...photosTests,
  ...cardsTests,
  ...oneCardTests,
  ...putWebhookTests,
  ...deleteWebhookTests,
  ...oauthTests,
  ...addressesTests,
  ...scopesTests,
  ...flowTests,
  ...tokensTests,
  ...permissionsTests,
  ...eventsTests,
  ...errorsTests,
  ...limitsTests,
  ...versionTests,
  ...decisionsObjectsTests,
  ...decisionsConnectionTests,
  ...decisionsFeedTests,
  ...decisionsPhotosTests,
  ...decisionsCatalogTests,
  ...decisionsWebhookTests,
  ...decisionsAttemptsTests,
  ...decisionsOauthTests,
  ...decisionsAuthorizationAndMetadataTests,
  ...decisionsTokensTests,
  ...decisionsBoostsTests,
  ...decisionsErrorsTests,
  ...decisionsEveryResponseTests,
  ...decisionsOrderOfChecksTests,
];
