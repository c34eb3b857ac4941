import { after, before, beforeEach } from 'node:test';
import { ManualClock } from '../src/base/clock.ts';
import { findAccountByEmail } from '../src/shops/account.ts';
import { OPERATOR } from '../src/shops/audit.ts';
import { statement } from '../src/database/statement.ts';
import { addMember, type Member } from '../src/shops/member.ts';
import { hashPassword } from '../src/shops/password.ts';
import type { Permission } from '../src/shops/permission.ts';
import { mailsTo } from './mails.ts';
import { formTo, hasFormTo, PlainBrowser, SIGN_IN, type VisitedPage } from './plain-browser.ts';
import { seedShop, type SeededShop, startTestService, type TestService } from './service.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

export const FIRST_PASSWORD = 'the first password';
export const NEXT_PASSWORD = 'a new sentence that is long';
const HOUR_MS = 3_600_000;

const selectAccountActions = statement<{ readonly action: string; readonly actorId: string }>(
  'test_select_account_actions',
  `select action, actor_id as "actorId" from audit_event
    where shop_id = $1 and subject_id = $2 and action like 'account.%' order by entry_id`,
);

/** A service with one shop, and people who have lost their passwords. */
export interface ResetScene {
  readonly base: TestDatabase;
  readonly service: TestService;
  readonly seeded: SeededShop;
  readonly clock: ManualClock;
  at(path: string): string;
  plain(): PlainBrowser;
  /** Adds a person with `FIRST_PASSWORD`, or the account with the address `known`, to a shop. */
  addPerson(permissions?: readonly Permission[], shopId?: string, known?: string): Promise<Member>;
  /** Asks for a link on the public page. */
  ask(email: string): Promise<VisitedPage>;
  linksTo(email: string): readonly string[];
  /** Waits for the given number of mails, and returns the link in the last one. */
  mailedLink(email: string, count?: number): Promise<string>;
  /** Opens a link and sets a password, if the link is valid. */
  use(link: string, password?: string, browser?: PlainBrowser): Promise<VisitedPage>;
  canSignIn(email: string, password: string): Promise<boolean>;
  hashOf(email: string): Promise<string | undefined>;
  actionsOn(
    member: Member,
  ): Promise<readonly { readonly action: string; readonly actorId: string }[]>;
}

/** Starts the scene for the tests of a `describe`. Advances the clock by an hour before each. */
export function useResetScene(): () => ResetScene {
  let scene: ResetScene | undefined;
  before(async () => {
    scene = await openScene();
  });
  after(async () => {
    await scene?.service.close();
    await scene?.base.close();
  });
  // Requests are limited per network and hour.
  beforeEach(() => scene?.clock.advance(HOUR_MS));
  return () => {
    if (scene === undefined) throw new Error('the scene is not open');
    return scene;
  };
}

async function openScene(): Promise<ResetScene> {
  const clock = new ManualClock(new Date());
  const base = await openTestDatabase();
  const service = await startTestService(base, {
    clock,
    environment: { RATE_LIMITS: 'failures=2' },
  });
  const seeded = await seedShop(base);
  const at = (path: string): string => `${service.publicUrl}${path}`;
  const plain = (): PlainBrowser => new PlainBrowser(service.publicUrl);
  /** Every test has its own person, because links are limited per address. */
  let people = 0;
  const addPerson = async (
    permissions: readonly Permission[] = ['inventory.read'],
    shopId = seeded.shop.id,
    known?: string,
  ): Promise<Member> => {
    const email = known ?? `reset-${++people}@${seeded.shop.slug}.example`;
    const passwordHash = await hashPassword(FIRST_PASSWORD);
    const person = { email, name: `Person ${people}`, permissions, passwordHash };
    const added = await base.db.transaction(
      async (tx) => await addMember(tx, shopId, person, clock.now(), OPERATOR),
    );
    if (added.kind !== 'added') throw new Error(added.kind);
    return added.member;
  };
  const ask = async (email: string, browser = plain()): Promise<VisitedPage> => {
    // Mails are sorted by time, so each mail needs a different time.
    clock.advance(1);
    const page = await browser.visit(at('/console/reset'));
    return await browser.submit(page, formTo(page, '/console/reset'), { email });
  };
  const mailedLink = async (email: string, count = 1): Promise<string> => {
    await waitUntil(() => linksTo(email).length >= count);
    return linksTo(email).at(-1) ?? '';
  };
  const linksTo = (email: string): readonly string[] =>
    mailsTo(email).flatMap((text) => /https?:\S+\/console\/reset\/cpp_\w{43}/.exec(text) ?? []);
  const use = async (
    link: string,
    password = NEXT_PASSWORD,
    browser = plain(),
  ): Promise<VisitedPage> => {
    const page = await browser.visit(link);
    if (!hasFormTo(page, '/reset/password')) return page;
    return await browser.submit(page, formTo(page, '/reset/password'), {
      new: password,
      again: password,
    });
  };
  const canSignIn = async (email: string, password: string): Promise<boolean> => {
    const browser = plain();
    const page = await browser.visit(at('/signin'));
    const after = await browser.submit(page, formTo(page, SIGN_IN), { email, password });
    return !new URL(after.url).pathname.startsWith('/signin');
  };
  const hashOf = async (email: string): Promise<string | undefined> =>
    (await findAccountByEmail(base.db, email))?.passwordHash;
  return {
    base,
    service,
    seeded,
    clock,
    at,
    plain,
    addPerson,
    ask,
    linksTo,
    mailedLink,
    use,
    canSignIn,
    hashOf,
    actionsOn: async ({ account }) =>
      await base.db.query(selectAccountActions, [seeded.shop.id, account.id]),
  };
}
