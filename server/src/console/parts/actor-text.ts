import type { Actor } from '../../shops/audit.ts';
import type { RequestContext } from '../request-context.ts';
import { actorMessages } from './messages/actor.ts';

/**
 * Returns the text for who changed a unit or a boost. All members see the names of members, but
 * only members who manage apps see the names of apps and keys.
 */
export function actorText(
  context: RequestContext,
  { kind, name }: { readonly kind: Actor['kind']; readonly name: string | null },
): string {
  const text = actorMessages[context.language][kind];
  if (name === null) return text;
  if (kind === 'member') return name;
  return context.can('integrations.manage') ? `${text}: ${name}` : text;
}
