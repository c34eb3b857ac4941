import { freePort } from '../cardport/program.ts';
import { type ServeTargetOptions, startServeTarget } from '../cardport/serve-target.ts';
import type { Target } from '../target.ts';
import type { Break } from './break.ts';
import { startBreakingProxy } from './proxy.ts';

/** The real service behind the proxy, as the suite sees it. */
export interface WrongServer extends AsyncDisposable {
  readonly target: Target;
  /** Breaks this rule from now on; null: none. */
  breakRule(rule: Break | null): void;
}

/** All breaks together approve, and fail to authenticate, more often than one address may in a minute. */
const RATE_LIMITS = 'authorize=60000/60000,token=60000/60000,failures=60000/60000';

/** Starts one process of the service for all breaks. Both addresses of notices lie on loopback. */
export async function startWrongServer(
  options: Pick<ServeTargetOptions, 'databaseUrl'> = {},
): Promise<WrongServer> {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startBreakingProxy());
  const { target, serviceUrl } = stack.use(
    await startServeTarget({ ...options, publicUrl: proxy.url, rateLimits: RATE_LIMITS }),
  );
  proxy.passOnTo(serviceUrl);
  const registeredUrl = new URL(target.webhook.receiverUrl ?? '');
  const receiverUrl = new URL(registeredUrl);
  receiverUrl.port = String(await freePort());
  await proxy.passNotices({ registered: registeredUrl.origin, receiver: receiverUrl.origin });
  const owned = stack.move();
  return {
    target: { ...target, webhook: { ...target.webhook, receiverUrl: receiverUrl.href } },
    breakRule: (rule) => proxy.breakRule(rule),
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}
