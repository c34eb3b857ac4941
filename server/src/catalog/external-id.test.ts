import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixtureElements, convertElements } from '../../test/format-fixture.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import { findCardsByExternalId } from './external-id.ts';
import { type EntryLine, importEntries } from './import-entries.ts';

describe('the ids of public databases and marketplaces', () => {
  it('are stored for each version of a card, including cards imported earlier', async () => {
    await using base = await openTestDatabase();
    const [plain = {}] = fixtureElements('scryfall');
    const id = newId();
    const load = async (more: object): Promise<void> => {
      const card = { ...plain, id, finishes: ['nonfoil', 'foil'], ...more };
      const [reading] = convertElements('scryfall', [card]);
      assert.ok(reading?.kind === 'entries');
      const lines = async function* (): AsyncGenerator<EntryLine> {
        yield { ...reading, number: 1 };
      };
      await importEntries(base.db, lines(), { clock: systemClock });
    };
    await load({ cardmarket_id: undefined, tcgplayer_id: 'a\0b' });
    const find = async (
      source: 'scryfall' | 'cardmarket' | 'tcgplayer',
      key: string,
    ): Promise<number> => (await findCardsByExternalId(base.db, source, [key], 10)).length;
    assert.equal(await find('scryfall', id), 2);
    assert.equal(await find('cardmarket', '374406'), 0);
    await load({ cardmarket_id: 374_406, tcgplayer_id: 51_515 });
    await load({ cardmarket_id: 374_406, tcgplayer_id: 51_515 });
    assert.equal(await find('cardmarket', '374406'), 2);
    assert.equal(await find('tcgplayer', '51515'), 2);
    assert.equal(await find('tcgplayer', '374406'), 0);
  });
});
