import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { setUpShop, type SetUpShopResult } from '../../shops/set-up-shop.ts';
import { isSetupCode } from '../../shops/setup-code.ts';
import { sessionOrigin, startSession } from '../../shops/session.ts';
import { keysOfNetwork } from '../../sign-in/attempt-counter.ts';
import { languageOf, redirect } from '../../sign-in/browser.ts';
import { SETUP_PATH } from '../../sign-in/setup-state.ts';
import type { ConsoleDeps } from '../deps.ts';
import { flashCookie } from '../flash.ts';
import { submitButton } from '../parts/button.ts';
import { fieldsOf, type Inputs, inputsOf, readFields } from '../parts/form/form-field.ts';
import { newPasswordError, newPasswordFields, readNewPassword } from '../parts/new-password.ts';
import { errorOf, errorSummary, type FormError } from '../parts/notes.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { MountAccountSection } from '../section.ts';
import { formTokenInput, readStandaloneForm, sendStandalonePage } from '../standalone-page.ts';
import { setupMessages } from './messages.ts';
import { setupFields, type SetupValues } from './setup-fields.ts';

/** The purpose of the form's token. */
const PURPOSE = 'set up the first shop';

/**
 * Mounts the page that creates the first shop and its owner with the code that `serve` prints. The
 * page responds with 404 once there is a shop or an account.
 */
export const mountSetupPage: MountAccountSection = ({ scope, path }, deps) => {
  const page = new SetupPage(deps);
  scope.get(path('GET', '/setup'), async (request, reply) => await page.show(request, reply));
  scope.post(path('POST', '/setup'), async (request, reply) => await page.setUp(request, reply));
};

interface ShownForm {
  readonly status: number;
  readonly inputs: Inputs;
  readonly errors: readonly FormError[];
}

class SetupPage {
  readonly #deps: ConsoleDeps;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
  }

  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await this.#requireOpen();
    const language = languageOf(request);
    const inputs = inputsOf(setupFields(language), { language });
    return await this.#send(request, reply, { status: 200, inputs, errors: [] });
  }

  async setUp(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await this.#requireOpen();
    const { db, clock, signIn } = this.#deps;
    const language = languageOf(request);
    const messages = setupMessages[language];
    const { isFresh, fields: inputs } = readStandaloneForm(signIn.guard, request, PURPOSE);
    const refuse = async (status: number, errors: readonly FormError[]): Promise<FastifyReply> =>
      await this.#send(request, reply, { status, inputs, errors });
    if (!isFresh) return await refuse(403, [{ field: null, text: messages.stale }]);
    const keys = keysOfNetwork(request.ip, 'setup');
    const counted = await signIn.counter.count(keys);
    if (counted.kind === 'throttled') {
      const { retryAfterSeconds: seconds } = counted;
      reply.header('retry-after', String(seconds));
      return await refuse(429, [{ field: null, text: messages.throttledText(seconds) }]);
    }
    // Check the code first, so that only a person who has it can make the service hash passwords.
    const code = (inputs.get('code') ?? '').trim();
    if (!(await isSetupCode(db, code, clock.now()))) {
      return await refuse(422, [{ field: 'code', text: messages.wrongCode }]);
    }
    await signIn.counter.refund(db, keys);
    const errors: FormError[] = [];
    const values = readFields(
      setupFields(language),
      inputs,
      (field, text) => void errors.push({ field, text }),
    );
    const owner = { email: inputs.get('email') ?? '', name: inputs.get('ownerName') ?? '' };
    const typed = await readNewPassword(inputs, owner);
    if (typed.kind !== 'password') errors.push(newPasswordError(typed.kind, language));
    if (values === null || typed.kind !== 'password') return await refuse(422, errors);
    // Finish even if the client disconnects, because the code works only once.
    const caller = { address: request.ip, signal: new AbortController().signal };
    const passwordHash = await signIn.signIn.hashWithSlot(typed.password, caller);
    if (passwordHash === undefined) {
      return await refuse(503, [{ field: null, text: messages.signInBusy }]);
    }
    const result = await this.#create(request, values, passwordHash);
    switch (result.kind) {
      case 'set_up':
        return this.#welcome(request, reply, result, passwordHash);
      case 'wrong_code':
        return await refuse(422, [{ field: 'code', text: messages.wrongCode }]);
      case 'closed':
        throw new ConsoleRefusal({ kind: 'not_found' });
    }
  }

  async #requireOpen(): Promise<void> {
    if (await this.#deps.signIn.setup.isOpen()) return;
    throw new ConsoleRefusal({ kind: 'not_found' });
  }

  async #create(
    request: FastifyRequest,
    values: SetupValues,
    passwordHash: string,
  ): Promise<CreateResult> {
    const { db, clock } = this.#deps;
    const origin = sessionOrigin(request.headers['user-agent'], request.ip, 'password');
    return await db.transaction(async (tx) => {
      const now = clock.now();
      const result = await setUpShop(tx, { ...values, passwordHash }, now);
      if (result.kind !== 'set_up') return result;
      const session = await startSession(tx, result.owner.id, now, origin);
      return { ...result, sessionSecret: session.secret };
    });
  }

  /** Signs in the owner, who has just entered the code and chosen a password. */
  #welcome(
    request: FastifyRequest,
    reply: FastifyReply,
    { shop, owner, sessionSecret: secret }: Extract<CreateResult, { readonly kind: 'set_up' }>,
    passwordHash: string,
  ): FastifyReply {
    const { signIn, publicUrl } = this.#deps;
    const device = signIn.devices.read(request.headers.cookie);
    const deviceCookie = signIn.devices.set(device, { id: owner.id, passwordHash });
    return redirect(reply, `/console/shops/${shop.slug}`, [
      flashCookie('set_up', publicUrl.startsWith('https:')),
      ...signIn.cookie.signInCookies({ secret, account: owner, deviceCookie }),
    ]);
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, inputs, errors }: ShownForm,
  ): Promise<FastifyReply> {
    const language = languageOf(request);
    const messages = setupMessages[language];
    const shown = {
      inputs,
      textOf: (input: string): string => inputs.get(input) ?? '',
      errorOf: (input: string): string | null => errorOf(errors, input),
    };
    const rendered = await Promise.all(
      fieldsOf(setupFields(language)).map(async ([name, field]) => await field.render(name, shown)),
    );
    return await sendStandalonePage(request, reply, language, {
      status,
      title: messages.title,
      content: html`${errorSummary(messages.notCreated, errors)}
        <p>${messages.intro}</p>
        <form class="stack" method="post" action="${SETUP_PATH}">
          ${formTokenInput(this.#deps.signIn.guard, request, reply, PURPOSE)} ${rendered}
          ${newPasswordFields(language, errors)}
          <div class="actions">${submitButton(messages.create)}</div>
        </form>`,
    });
  }
}

type CreateResult =
  | Exclude<SetUpShopResult, { readonly kind: 'set_up' }>
  | (Extract<SetUpShopResult, { readonly kind: 'set_up' }> & { readonly sessionSecret: string });
