import { integerField, textField } from '../base/field.ts';
import { type AdminCall, adminCall, done } from './admin-call.ts';
import { findNamedShop } from './named.ts';
import { CHANGES_MAX } from './stock-changes.ts';

const SLUG_CHARACTERS_MAX = 63;

const stock = adminCall({
  path: 'stock',
  summary: 'Change n units (1 unless said), the next ones each time; answers their ids.',
  fields: {
    changes: integerField(1, CHANGES_MAX, 'How many units change.'),
    shop: textField(SLUG_CHARACTERS_MAX, 'The slug of a shop.'),
  },
  run: async ({ emulation }, { changes, shop }) => {
    const named = findNamedShop(shop);
    if (named.kind === 'unfit') return named;
    const result = await emulation.stockChanger.change(emulation.backend, named.shop, changes ?? 1);
    return result.kind === 'unfit' ? result : done({ unitIds: result.unitIds });
  },
});

/** Calls that change what the shops have. */
export const stockCalls: readonly AdminCall[] = [stock];
