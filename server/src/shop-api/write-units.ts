import type { Clock } from '../base/clock.ts';
import { readMembers, uuidField } from '../base/field.ts';
import type { ImportReport } from '../import/import-report.ts';
import {
  putUnits,
  UNIT_BATCH_MAX,
  type PutUnitResult,
  type UnitChange,
  type UnitShop,
} from '../inventory/unit.ts';
import { UNIT_FIELDS } from '../inventory/unit-fields.ts';
import { wireRefusalOf, wireRefusalOfReading } from './refusal.ts';
import type { WriteInTurn } from '../http/write-turns.ts';

/** A line of `POST /units/batch`: a unit with its id. */
export const UNIT_LINE_FIELDS = { id: uuidField('The id of the unit.'), ...UNIT_FIELDS };

/** A requested change with its line number. */
interface NumberedChange {
  readonly line: number;
  readonly change: UnitChange;
}

/**
 * How often an id may repeat before the pending lines are written; each repetition needs another
 * transaction. Files that list every unit twice still fill their transactions; a file that repeats
 * one unit only needs more of them.
 */
const REPETITIONS_MAX = 8;

/**
 * Collects units line by line and writes them in transactions of at most `UNIT_BATCH_MAX`. Lines
 * take effect in order, as if sent one by one: the last line of an id wins.
 */
export class UnitWriter {
  readonly #write: WriteInTurn;
  readonly #shop: UnitShop;
  readonly #clock: Clock;
  readonly #report: ImportReport;
  /** Each wave has every id at most once; later waves are written after earlier ones. */
  #waves: NumberedChange[][] = [];
  #repetitions = new Map<string, number>();
  #size = 0;

  constructor(write: WriteInTurn, shop: UnitShop, clock: Clock, report: ImportReport) {
    this.#write = write;
    this.#shop = shop;
    this.#clock = clock;
    this.#report = report;
  }

  /**
   * Adds the unit of a line (`id` and the properties of a PUT), and writes when a transaction is
   * full.
   */
  async add(line: number, value: unknown): Promise<void> {
    const reading = readMembers(UNIT_LINE_FIELDS, value, 'refuse');
    if (!reading.ok) {
      const { error, detail } = wireRefusalOfReading(reading);
      this.#report.reject(line, error, detail);
      return;
    }
    const { id, ...members } = reading.value;
    if (id === undefined) {
      this.#report.reject(line, 'invalid_request', 'The line must contain id.');
      return;
    }
    const wave = this.#repetitions.get(id) ?? 0;
    if (wave >= REPETITIONS_MAX) {
      await this.flush();
      await this.add(line, value);
      return;
    }
    this.#repetitions.set(id, wave + 1);
    (this.#waves[wave] ??= []).push({ line, change: { id, ...members } });
    this.#size += 1;
    if (this.#size >= UNIT_BATCH_MAX) await this.flush();
  }

  /**
   * Writes the pending units, one transaction per wave: a second batch in the same transaction
   * would lock rows while it holds the shop's head row, which violates the lock order.
   */
  async flush(): Promise<void> {
    if (this.#size === 0) return;
    const waves = this.#waves;
    this.#waves = [];
    this.#repetitions = new Map();
    this.#size = 0;
    const now = this.#clock.now();
    for (const wave of waves) {
      const changes = wave.map((each) => each.change);
      const results = await this.#write(
        this.#shop.id,
        async (tx) => await putUnits(tx, this.#shop, changes, now),
      );
      this.#settle(wave, results);
    }
  }

  #settle(wave: readonly NumberedChange[], results: readonly PutUnitResult[]): void {
    for (const [index, { line }] of wave.entries()) {
      const result = results[index];
      if (result === undefined) throw new Error(`line ${line} has no result`);
      if ('unitText' in result) {
        this.#report.accept();
        continue;
      }
      const { error, detail } = wireRefusalOf(result, 'unit');
      this.#report.reject(line, error, detail);
    }
  }
}
