import { freePort } from '../cardport/program.ts';
import { type ServeTargetOptions, startServeTarget } from '../cardport/serve-target.ts';
import type { Target } from '../target.ts';
import type { Break } from './break.ts';
import { startBreakingProxy } from './proxy.ts';

/** The real service behind the proxy that violates a rule. */
export interface WrongServer extends AsyncDisposable {
  readonly target: Target;
  /** Makes the server violate this rule; with null, it violates none. */
  breakRule(rule: Break | null): void;
}

/**
 * High limits, because all breaks together authorize and fail to authenticate more often than the
 * default per-address limits allow.
 */
const RATE_LIMITS = 'authorize=60000/60000,token=60000/60000,failures=60000/60000';

/** Starts one service process for all breaks. Both notice addresses are on loopback. */
export async function startWrongServer(
  options: Pick<ServeTargetOptions, 'databaseUrl'> = {},
): Promise<WrongServer> {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startBreakingProxy());
  const { target, serviceUrl } = stack.use(
    await startServeTarget({ ...options, publicUrl: proxy.url, rateLimits: RATE_LIMITS }),
  );
  proxy.forwardTo(serviceUrl);
  const registeredUrl = new URL(target.webhook.receiverUrl ?? '');
  const receiverUrl = new URL(registeredUrl);
  receiverUrl.port = String(await freePort());
  await proxy.forwardNotices({ registered: registeredUrl.origin, receiver: receiverUrl.origin });
  const owned = stack.move();
  return {
    target: { ...target, webhook: { ...target.webhook, receiverUrl: receiverUrl.href } },
    breakRule: (rule) => proxy.breakRule(rule),
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}
