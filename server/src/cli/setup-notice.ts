import type { Service } from '../runtime/service.ts';
import { issueSetupCode } from '../shops/setup-code.ts';
import { SETUP_PATH } from '../sign-in/mount.ts';

/** Prints the code with which a page makes the first shop, unless there is a shop. */
export async function tellSetupCode(
  { db, context, publicUrl }: Pick<Service, 'db' | 'context' | 'publicUrl'>,
  tell: (sentence: string) => void,
): Promise<void> {
  const result = await issueSetupCode(db, context.clock.now());
  if (result.kind === 'closed') return;
  const url = `${publicUrl}${SETUP_PATH}`;
  const until = result.expiresAt.toISOString();
  // The only line that shows the code. It does not go through the log, which hides secrets.
  tell(
    result.kind === 'issued'
      ? `there is no shop yet: create it at ${url} with the code ${result.code}, which works once, until ${until}`
      : `there is no shop yet: create it at ${url} with the code that an earlier start printed, which works until ${until}, or with "cardport shop add"`,
  );
}
