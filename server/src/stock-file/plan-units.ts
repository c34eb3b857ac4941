import { hash } from 'node:crypto';
import { uuidOfHex } from '../base/uuid.ts';
import type { Grade } from '../catalog/grade.ts';
import type { Place } from '../inventory/places.ts';
import type { UnitChange } from '../inventory/unit.ts';
import { rowFault, type RowFault } from './fault.ts';
import type { Item, ItemMatch, MatchMethod } from './match-items.ts';
import type { FileValues, RowDraft } from './row-draft.ts';
import { looseKey, readCondition } from './values.ts';

/** A unit that a row adds or changes. */
export interface PlannedUnit {
  readonly id: string;
  /** The values of a new unit. Null if the row contains a unit's id, because it must then exist. */
  readonly created: UnitChange | null;
  /** The new values of an existing unit. Its status, item and place never change. */
  readonly values: FileValues;
}

export type PlannedRow =
  | {
      readonly kind: 'units';
      readonly row: number;
      readonly count: number;
      /** Made one by one as they are read, because a row may have hundreds. */
      readonly units: Iterable<PlannedUnit>;
      readonly by: MatchMethod | 'unit';
    }
  | { readonly kind: 'none'; readonly row: number }
  | { readonly kind: 'refused'; readonly row: number; readonly faults: readonly RowFault[] }
  /** A person must say which item or grade the row means. */
  | {
      readonly kind: 'open';
      readonly row: number;
      readonly question: Question;
      readonly fault: RowFault;
    };

export type Question =
  | { readonly kind: 'item'; readonly key: string; readonly items: readonly Item[] }
  | { readonly kind: 'grade'; readonly key: string; readonly text: string };

export interface PlanOptions {
  readonly shopId: string;
  /**
   * Part of the ids of new units. For a delivery it is the file's digest, so that each one adds
   * units. For a stock list it is empty: an equal row of an earlier file means the same units.
   */
  readonly scope: string;
  readonly places: readonly Place[];
  readonly grades: readonly Grade[];
  readonly siteId: string | null;
  readonly locationId: string | null;
  /** The grade that a person chose for each condition: the grade's id, or empty for no grade. */
  readonly gradeChoices: Readonly<Record<string, string>>;
}

interface PlacedAt {
  readonly siteId: string;
  readonly locationId: string | null;
}

/** Plans the units of rows, in the order of the file. */
export class UnitPlanner {
  readonly #options: PlanOptions;
  readonly #grades: ReadonlyMap<string, string>;
  /** The number of units that earlier rows planned, by identity. */
  readonly #used = new Map<string, number>();

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#grades = gradesByText(options.grades);
  }

  plan(draft: RowDraft, match: ItemMatch | null): PlannedRow {
    const { row } = draft;
    if (draft.unitId !== null) {
      const unit = { id: draft.unitId, created: null, values: draft.values };
      return { kind: 'units', row, count: 1, units: [unit], by: 'unit' };
    }
    if (draft.quantity === 0) return { kind: 'none', row };
    const faults: RowFault[] = [];
    const place = this.#place(draft, faults);
    if (match === null || match.kind === 'unknown') faults.push(unknownItem(draft));
    if (match?.kind === 'skipped') faults.push(rowFault(row, 'skipped', 'name', draft.item.name));
    if (place === null || faults.length > 0) return { kind: 'refused', row, faults };
    if (match?.kind === 'ambiguous') {
      const fault = rowFault(row, 'ambiguous_item', 'name', describe(draft));
      const question = { kind: 'item', key: match.question, items: match.items } as const;
      return { kind: 'open', row, question, fault };
    }
    if (match?.kind !== 'item') throw new Error('a row without an item');
    const gradeId = this.#grade(draft.condition, match.item);
    if (gradeId === undefined) {
      const { condition } = draft;
      const fault = rowFault(row, 'unknown_condition', 'condition', condition);
      const question = { kind: 'grade', key: gradeKeyOf(condition), text: condition } as const;
      return { kind: 'open', row, question, fault };
    }
    const units = this.#units(draft, match.item, gradeId, place);
    return { kind: 'units', row, count: draft.quantity, units, by: match.by };
  }

  #units(
    { values, quantity, rowKey }: RowDraft,
    item: Item,
    gradeId: string | null,
    place: PlacedAt,
  ): Iterable<PlannedUnit> {
    const { shopId, scope } = this.#options;
    const { certNumber = null, serialNumber = null } = values;
    // Prices are not part of a unit's identity, so a file with new prices adds no units.
    const what =
      rowKey === '' ? [item.kind, item.id, gradeId, certNumber, serialNumber] : ['key', rowKey];
    const identity = JSON.stringify([shopId, scope, place.siteId, place.locationId, ...what]);
    const first = this.#used.get(identity) ?? 0;
    this.#used.set(identity, first + quantity);
    const target =
      item.kind === 'card'
        ? ({ kind: 'card', cardId: item.id, gradeId } as const)
        : ({ kind: 'product', productId: item.id } as const);
    return (function* () {
      for (let index = first; index < first + quantity; index++) {
        const digest = hash('sha256', `stock file ${identity} ${index}`, 'hex');
        const id = uuidOfHex(digest.slice(0, 32));
        yield { id, created: { id, item: target, ...place, ...values }, values };
      }
    })();
  }

  #place(draft: RowDraft, faults: RowFault[]): PlacedAt | null {
    const { places, siteId, locationId } = this.#options;
    const sites = places.filter((place) => place.locationId === null);
    const site =
      draft.site === ''
        ? sites.find((each) => each.siteId === siteId)
        : sites.find((each) => isNamed(draft.site, each.siteCode, each.siteName));
    if (site === undefined) {
      const code = draft.site === '' ? 'no_site' : 'unknown_site';
      faults.push(rowFault(draft.row, code, 'site', draft.site));
      return null;
    }
    if (draft.location === '') {
      const isDefault = site.siteId === siteId;
      return { siteId: site.siteId, locationId: isDefault ? locationId : null };
    }
    const location = places.find(
      (each) =>
        each.siteId === site.siteId &&
        each.locationId !== null &&
        isNamed(draft.location, each.locationCode ?? '', each.locationName ?? ''),
    );
    if (location === undefined) {
      faults.push(rowFault(draft.row, 'unknown_location', 'location', draft.location));
      return null;
    }
    return { siteId: site.siteId, locationId: location.locationId };
  }

  /** Returns the grade's id, null for no grade, or undefined for an unknown condition. */
  #grade(condition: string, item: Item): string | null | undefined {
    const { keys } = readCondition(condition);
    // Sealed products have no condition.
    if (keys.length === 0 || item.kind === 'product') return null;
    const choice = this.#options.gradeChoices[gradeKeyOf(condition)];
    if (choice !== undefined) return choice === '' ? null : choice;
    for (const key of keys) {
      const gradeId = this.#grades.get(key);
      if (gradeId !== undefined) return gradeId;
    }
    return undefined;
  }
}

export function gradeKeyOf(condition: string): string {
  return hash('sha256', looseKey(condition), 'hex').slice(0, 24);
}

/**
 * Maps each text that a file may use for a grade to the id of that grade. The shop's own grades take
 * precedence. A text that two grading services use, such as `10`, is left out.
 */
function gradesByText(grades: readonly Grade[]): ReadonlyMap<string, string> {
  const byText = new Map<string, string>();
  for (const kind of ['internal', 'third_party'] as const) {
    const ids = new Map<string, Set<string>>();
    for (const grade of grades.filter(({ serviceKind }) => serviceKind === kind)) {
      const { code, label, serviceCode, serviceName } = grade;
      const texts = [code, label, `${serviceCode} ${code}`, `${serviceName} ${code}`];
      for (const text of [...texts, `${serviceCode} ${label}`, `${serviceName} ${label}`]) {
        const key = looseKey(text);
        ids.set(key, (ids.get(key) ?? new Set()).add(grade.id));
      }
    }
    for (const [key, [first, other]] of ids) {
      if (first !== undefined && other === undefined && !byText.has(key)) byText.set(key, first);
    }
  }
  return byText;
}

function isNamed(text: string, code: string, name: string): boolean {
  return looseKey(code) === looseKey(text) || looseKey(name) === looseKey(text);
}

function unknownItem(draft: RowDraft): RowFault {
  const { itemId, externalIds, name, number, jan } = draft.item;
  const hasAny = itemId !== null || externalIds.length > 0 || `${name}${number}${jan}` !== '';
  return hasAny
    ? rowFault(draft.row, 'unknown_item', 'name', describe(draft))
    : rowFault(draft.row, 'no_item', 'name');
}

/** Returns the words that identify a row's item in a message. */
function describe({ item }: RowDraft): string {
  const ids = [item.itemId ?? '', ...item.externalIds.map(({ id }) => id), item.jan];
  const words = [item.name, item.set, item.number].filter(Boolean);
  return (words.length > 0 ? words : ids.filter(Boolean)).join(' ');
}
