import type { Clock } from '../base/clock.ts';
import { parseMembers, uuidField } from '../base/field.ts';
import type { ImportReport } from '../import/import-report.ts';
import {
  putUnits,
  UNIT_BATCH_MAX,
  type PutUnitResult,
  type UnitChange,
  type UnitShop,
} from '../inventory/unit.ts';
import { UNIT_FIELDS } from '../inventory/unit-fields.ts';
import { toWireRefusal, parseErrorToWireRefusal } from './refusal.ts';
import type { LimitedWrite } from '../http/write-limiter.ts';

export const UNIT_LINE_FIELDS = { id: uuidField('The id of the unit.'), ...UNIT_FIELDS };

interface NumberedChange {
  readonly line: number;
  readonly change: UnitChange;
}

/**
 * Writes units in transactions of at most `UNIT_BATCH_MAX`. Lines take effect in order: the last
 * line of an id wins.
 */
export class UnitWriter {
  readonly #write: LimitedWrite;
  readonly #shop: UnitShop;
  readonly #clock: Clock;
  readonly #report: ImportReport;
  #pending: NumberedChange[] = [];

  constructor(write: LimitedWrite, shop: UnitShop, clock: Clock, report: ImportReport) {
    this.#write = write;
    this.#shop = shop;
    this.#clock = clock;
    this.#report = report;
  }

  /** `value` has the `id` and the properties of a PUT. */
  async add(line: number, value: unknown): Promise<void> {
    const reading = parseMembers(UNIT_LINE_FIELDS, value, 'refuse');
    if (!reading.ok) {
      const { error, detail } = parseErrorToWireRefusal(reading);
      this.#report.reject(line, error, detail);
      return;
    }
    const { id, ...members } = reading.value;
    if (id === undefined) {
      this.#report.reject(line, 'invalid_request', 'The line must contain id.');
      return;
    }
    this.#pending.push({ line, change: { id, ...members } });
    if (this.#pending.length >= UNIT_BATCH_MAX) await this.flush();
  }

  async flush(): Promise<void> {
    const batch = this.#pending;
    if (batch.length === 0) return;
    this.#pending = [];
    const changes = batch.map((each) => each.change);
    const now = this.#clock.now();
    const results = await this.#write(
      this.#shop.id,
      async (tx) => await putUnits(tx, this.#shop, changes, now),
    );
    this.#settle(batch, results);
  }

  #settle(batch: readonly NumberedChange[], results: readonly PutUnitResult[]): void {
    for (const [index, { line }] of batch.entries()) {
      const result = results[index];
      if (result === undefined) throw new Error(`line ${line} has no result`);
      if ('unitText' in result) {
        this.#report.accept();
        continue;
      }
      const { error, detail } = toWireRefusal(result, 'unit');
      this.#report.reject(line, error, detail);
    }
  }
}
