import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { formTo, PlainBrowser, type VisitedPage, SIGN_IN } from '../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { ManualClock } from '../base/clock.ts';
import {
  type ThrottleResult,
  budgetKey,
  spendFailure,
  UNKNOWN_DEVICES_BUDGET,
} from '../shops/sign-in-throttle.ts';

/** `RATE_LIMITS` allows 60 failures a minute for a name and address. */
const ENVIRONMENT = { RATE_LIMITS: 'default', TRUST_PROXY: '1' };
const NEXT = 'a longer sentence of words';

interface Guess {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

describe('guesses at one account', () => {
  let base: TestDatabase;
  let nodes: readonly TestService[];
  let seeded: SeededShop;
  const clock = new ManualClock(new Date());

  before(async () => {
    base = await openTestDatabase();
    const start = async (): Promise<TestService> =>
      await startTestService(base, { clock, environment: ENVIRONMENT });
    nodes = [await start(), await start()];
  });
  after(async () => {
    for (const node of nodes) await node.close();
    await base.close();
  });

  const nodeOf = (index: number): TestService => {
    const node = nodes[index % nodes.length];
    assert.ok(node !== undefined);
    return node;
  };

  /**
   * Sends `count` wrong passwords, a few concurrently, from `networks` networks, alternately to
   * both nodes.
   */
  async function guess(email: string, count: number, networks: number): Promise<readonly Guess[]> {
    const { url } = nodeOf(0);
    const browser = new PlainBrowser(url);
    const { fields } = formTo(await browser.visit(`${url}/signin`), SIGN_IN);
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const guesses: Guess[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) {
        const network = index % networks;
        const answer = await fetch(`${nodeOf(index).url}/signin`, {
          method: 'POST',
          headers: { cookie, 'x-forwarded-for': `198.18.${network}.1` },
          body: new URLSearchParams({ ...fields, email, password: `wrong ${index}` }),
        });
        const text = (await answer.text()).replaceAll(/value="[^"]*"|\d+/g, '');
        const retryAfter = answer.headers.get('retry-after');
        guesses.push({ status: answer.status, retryAfter, text });
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    return guesses;
  }

  async function signIn(
    browser: PlainBrowser,
    { email, password }: { readonly email: string; readonly password: string },
    node = nodeOf(0),
  ): Promise<VisitedPage> {
    const form = await browser.visit(`${node.url}/signin`);
    return await browser.submit(form, formTo(form, SIGN_IN), { email, password });
  }

  /**
   * Signs in. Retries while the node refuses the request because all database connections are in
   * use.
   */
  async function signInUnderLoad(
    browser: PlainBrowser,
    person: SeededShop,
    node = nodeOf(0),
  ): Promise<VisitedPage> {
    let answer = await signIn(browser, person, node);
    // The page for a full sign-in queue has the form; the page for a saturated pool does not.
    const isShed = (): boolean => answer.status === 503 && !answer.text.includes('name="password"');
    await waitUntil(async () => {
      if (!isShed()) return true;
      answer = await signIn(browser, person, node);
      return false;
    });
    return answer;
  }

  const isConsole = ({ status, url }: VisitedPage): boolean =>
    status === 200 && new URL(url).pathname.startsWith('/console');

  /** Removes the session cookie but keeps the device cookie, as if the browser had been closed. */
  const leave = (browser: PlainBrowser): void => {
    browser.cookies = browser.cookies.filter(({ name }) => !name.includes('session'));
  };

  /** Returns a browser, in a separate network, from which the person has signed in and out. */
  async function knownBrowser(person: SeededShop, address = '192.0.2.77'): Promise<PlainBrowser> {
    const browser = new PlainBrowser(nodeOf(0).url, { 'x-forwarded-for': address });
    assert.equal(isConsole(await signIn(browser, person)), true);
    leave(browser);
    return browser;
  }

  /** Uses up the budget of unknown browsers, as wrong guesses would. */
  async function spendBudget(email: string): Promise<void> {
    const key = budgetKey('account', email);
    let answer: ThrottleResult;
    do answer = await spendFailure(base.db, key, UNKNOWN_DEVICES_BUDGET, clock.now());
    while (answer.kind === 'allowed');
  }

  const deviceOf = ({ cookies }: PlainBrowser): string =>
    cookies.find(({ name }) => name === 'cardport_device')?.value ?? '';

  it('at most 100 of 250 guesses from 25 networks are checked, and a known browser still signs in', async () => {
    seeded = await seedShop(base);
    const own = await knownBrowser(seeded);
    const guesses = await guess(seeded.email, 250, 25);
    const checked = guesses.filter(({ status }) => status === 400);
    assert.ok(checked.length <= 100, `${checked.length} were checked`);
    assert.ok(checked.length >= 50);
    const held = guesses.filter(({ status }) => status === 429);
    assert.equal(held.length + checked.length, 250);
    assert.ok(held.every(({ retryAfter }) => Number(retryAfter) >= 1));

    const stranger = new PlainBrowser(nodeOf(0).url, { 'x-forwarded-for': '203.0.113.9' });
    const refused = await signIn(stranger, seeded);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '90');
    assert.equal(isConsole(await signIn(own, seeded)), true);
    // The device cookie works even from a network that takes part in the attack.
    const beside = new PlainBrowser(nodeOf(0).url, { 'x-forwarded-for': '198.18.3.1' });
    beside.cookies = own.cookies.filter(({ name }) => name === 'cardport_device');
    assert.equal(isConsole(await signIn(beside, seeded, nodeOf(0))), true);

    const unknown = await guess('nobody@nowhere.example', 120, 25);
    const forms = (all: readonly Guess[], status: number): readonly string[] => [
      ...new Set(all.filter((each) => each.status === status).map(({ text }) => text)),
    ];
    assert.equal(unknown.filter(({ status }) => status === 400).length, checked.length);
    assert.equal(unknown.filter(({ status }) => status === 429).length, 120 - checked.length);
    for (const status of [400, 429]) {
      assert.equal(forms(unknown, status).length, 1);
      assert.deepEqual(forms(unknown, status), forms(guesses, status));
    }
    const late = await signIn(stranger, { ...seeded, email: 'nobody@nowhere.example' });
    assert.deepEqual([late.status, late.headers.get('retry-after')], [429, '90']);
    // A minute and a half after the end of the attack, an unknown browser has one attempt again.
    clock.advance(90_000);
    assert.equal(isConsole(await signIn(stranger, seeded)), true);
  });

  it('guesses from a known browser first use a separate budget of ten an hour, then the budget of unknown browsers', async () => {
    const person = await seedShop(base);
    const own = await knownBrowser(person);
    await spendBudget(person.email);
    const wrong = { email: person.email, password: 'not it' };
    for (let count = 0; count < 5; count++) assert.equal((await signIn(own, wrong)).status, 400);
    const spent = await signIn(own, person);
    assert.deepEqual([spent.status, spent.headers.get('retry-after')], [429, '90']);
    // After twelve minutes the known browser has one more attempt, although the budget of unknown
    // browsers is used up.
    clock.advance(720_000);
    await spendBudget(person.email);
    assert.equal(isConsole(await signIn(own, person)), true);
  });

  it('a browser has no separate budget for another person’s account, or after a password change', async () => {
    const person = await seedShop(base);
    const other = await knownBrowser(await seedShop(base));
    const old = await knownBrowser(person);
    const here = await knownBrowser(person);
    await spendBudget(person.email);
    assert.equal((await signIn(other, person)).status, 429);

    // The person is signed in, so the password can be changed although strangers have used up their
    // budget.
    assert.equal(isConsole(await signIn(here, person)), true);
    const page = await here.visit(`${nodeOf(0).url}/console/account/password`);
    const typed = { old: person.password, new: NEXT, again: NEXT };
    const changed = await here.submit(page, formTo(page, '/account/password'), typed);
    assert.equal(changed.status, 200);
    const renewed = { email: person.email, password: NEXT };
    assert.equal((await signIn(old, renewed)).status, 429);
    leave(here);
    assert.equal(isConsole(await signIn(here, renewed)), true);
  });

  it('guesses do not lock out the people who share a known browser', async () => {
    const [first, second] = [await seedShop(base), await seedShop(base)];
    const till = await knownBrowser(first);
    const before = deviceOf(till).split('.')[0];
    assert.equal(isConsole(await signIn(till, second)), true);
    leave(till);
    assert.equal(deviceOf(till).split('.')[0], before);
    for (const person of [first, second]) {
      await spendBudget(person.email);
      assert.equal(isConsole(await signIn(till, person)), true);
      leave(till);
    }
  });

  /** Keeps one guess in progress from each of these networks while `work` runs. */
  async function underFlood(
    addresses: readonly string[],
    work: () => Promise<void>,
  ): Promise<void> {
    const { url } = nodeOf(0);
    const browser = new PlainBrowser(url);
    const { fields } = formTo(await browser.visit(`${url}/signin`), SIGN_IN);
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const over = new AbortController();
    const flood = addresses.map(async (address, index) => {
      while (!over.signal.aborted) {
        // Aborting the requests saves time: attempts of a disconnected client are not checked.
        const answer = await fetch(`${url}/signin`, {
          method: 'POST',
          signal: over.signal,
          headers: { cookie, 'x-forwarded-for': address },
          body: new URLSearchParams({ ...fields, email: `p${index}@x.example`, password: 'x' }),
        }).catch((error: unknown) => {
          if (!over.signal.aborted) throw error;
        });
        await answer?.arrayBuffer();
        if (answer?.status === 503) await wait(100);
      }
    });
    try {
      await work();
    } finally {
      over.abort();
      await Promise.all(flood);
    }
  }

  it('guesses from 90 networks of one /48 do not keep others from signing in', async () => {
    const person = await seedShop(base);
    const addresses = Array.from({ length: 90 }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);
    await underFlood(addresses, async () => {
      for (const address of ['2001:db8:2::1', '203.0.113.1']) {
        const browser = new PlainBrowser(nodeOf(0).url, { 'x-forwarded-for': address });
        assert.equal(isConsole(await signInUnderLoad(browser, person)), true, address);
      }
    });
  });

  it('guesses from more networks than fit into the queue do not keep a known browser from signing in', async () => {
    const person = await seedShop(base);
    const own = await knownBrowser(person);
    const addresses = Array.from({ length: 100 }, (_, n) => `2001:db8:${n.toString(16)}::1`);
    await underFlood(addresses, async () => {
      for (let count = 0; count < 2; count++) {
        const answer = await signInUnderLoad(own, person);
        assert.equal(isConsole(answer), true, `${answer.status} ${answer.text}`);
        leave(own);
      }
    });
  });
});
