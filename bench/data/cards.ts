import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Card } from '../../server/src/catalog/card.ts';
import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import { upsertGames } from '../../server/src/catalog/write-statements.ts';

/** The time at which the cards were last changed. */
const WRITTEN_AT = '2026-06-01T09:00:00.000Z';
/** The number of cards per write to psql, about 1 MB. */
const CHUNK_CARDS = 2_000;

/**
 * Session settings that skip half a million foreign key checks, because the games are known to
 * exist, and do not wait for the disk, because a crash would lose only test data. Without nested
 * loops, the change records of a first copy are not compared with each card in turn.
 */
const TRUSTING =
  '-c session_replication_role=replica -c synchronous_commit=off -c enable_nestloop=off';

const COPY = `copy card (card_id, game_id, set_id, set_code, set_name, set_name_en, name, localized_names,
  card_number, set_total_raw, jan_code, language_code, variant, finish, image_url, rarity_code,
  rarity_name, is_active, updated_at) from stdin`;

// Adds a change record for each new card, in the order in which an import would add them.
export const recordCopiedCards = statement(
  'bench_record_copied_cards',
  `insert into catalog_change (entry_kind, entry_id, position)
   select 'card', c.card_id, nextval('catalog_position') from card c
    where not exists (select from catalog_change g where g.entry_kind = 'card' and g.entry_id = c.card_id)`,
);

/**
 * Writes new cards with `copy` and analyzes the tables. This takes seconds; an import would take
 * minutes. No service may run during the copy, because the changes are not announced.
 */
export async function copyCards(db: Database, url: string, cards: Iterable<Card>): Promise<number> {
  const games = new Set<string>();
  // psql runs all statements, because the service's statement timeout is too short for a million
  // cards.
  const statements = [COPY, recordCopiedCards.text, 'vacuum analyze', 'checkpoint'];
  const commands = statements.flatMap((text) => ['-c', text]);
  const psql = spawn('psql', ['-q', '-v', 'ON_ERROR_STOP=1', ...commands, url], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, PGOPTIONS: TRUSTING },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    psql.once('error', reject);
    psql.once('close', resolve);
  });
  let lines: string[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    const text = `${lines.join('\n')}\n`;
    lines = [];
    if (!psql.stdin.write(text)) await once(psql.stdin, 'drain');
  };
  for (const card of cards) {
    if (!games.has(card.game.id)) {
      games.add(card.game.id);
      await db.query(upsertGames, [JSON.stringify([card.game])]);
    }
    lines.push(lineOf(card));
    count++;
    if (lines.length === CHUNK_CARDS) await flush();
  }
  if (lines.length > 0) await flush();
  psql.stdin.end();
  const code = await ended;
  if (code !== 0) throw new Error(`psql ended with code ${code}`);
  return count;
}

/** Renders a card as one line in the text format of `copy`, with the columns in order. */
function lineOf(card: Card): string {
  const { set, rarity } = card;
  const values = [
    card.id,
    card.game.id,
    set?.id,
    set?.code,
    set?.name,
    set?.nameEn,
    card.name,
    JSON.stringify(card.localizedNames),
    card.cardNumber,
    card.setTotalRaw,
    card.janCode,
    card.languageCode,
    card.variant,
    card.finish,
    card.imageUrl,
    rarity?.code,
    rarity?.name,
    't',
    WRITTEN_AT,
  ];
  return values.map(fieldOf).join('\t');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function fieldOf(value: string | null | undefined): string {
  if (value === null || value === undefined) return '\\N';
  return value.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign);
}
