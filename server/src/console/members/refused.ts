import { ConsoleRefusal } from '../refusal.ts';

/** Whoever asked might manage members a moment ago, and may not now. */
export function notAllowed(): ConsoleRefusal {
  return new ConsoleRefusal({ kind: 'no_permission', needed: ['members.manage'] });
}
