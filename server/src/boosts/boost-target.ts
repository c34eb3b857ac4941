import { boostCardOf, type BoostCard, type Card } from '../catalog/card.ts';
import type { Grade } from '../catalog/grade.ts';
import type { BoostProduct } from '../catalog/product.ts';
import { readCards, readGrades, readProducts } from '../catalog/read-entries.ts';
import type { Queryable } from '../database/database.ts';
import type { BoostRow } from './boost-row.ts';

/** What a shop buys: a card in one grade, a card in any grade (null), or a product (spec 2.3). */
export type BoostTarget =
  | { readonly kind: 'card'; readonly card: BoostCard; readonly grade: Grade | null }
  | { readonly kind: 'product'; readonly product: BoostProduct };

/** A target with the card's complete catalog entry, for the shop's own pages. */
export type CatalogTarget =
  | { readonly kind: 'card'; readonly card: Card; readonly grade: Grade | null }
  | Extract<BoostTarget, { readonly kind: 'product' }>;

export type TargetColumns = Pick<BoostRow, 'cardId' | 'gradeId' | 'productId'>;

export type ResolvedTarget<Target = BoostTarget> =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'unknown_reference'; readonly detail: string };

export type ResolveTarget<Target = BoostTarget> = (boost: TargetColumns) => ResolvedTarget<Target>;

export function boostTargetOf(target: CatalogTarget): BoostTarget {
  return target.kind === 'card' ? { ...target, card: boostCardOf(target.card) } : target;
}

export async function readTargets(
  db: Queryable,
  shopId: string,
  boosts: readonly TargetColumns[],
): Promise<ResolveTarget> {
  const resolve = await readCatalogTargets(db, shopId, boosts);
  return (boost) => {
    const resolved = resolve(boost);
    return resolved.kind === 'target'
      ? { kind: 'target', target: boostTargetOf(resolved.target) }
      : resolved;
  };
}

/** Includes inactive entries. Needs no lock on the catalog, because entries are never deleted. */
export async function readCatalogTargets(
  db: Queryable,
  shopId: string,
  boosts: readonly TargetColumns[],
): Promise<ResolveTarget<CatalogTarget>> {
  const cards = await readCards(db, idsOf(boosts, 'cardId'));
  const grades = await readGrades(db, shopId, idsOf(boosts, 'gradeId'));
  const products = await readProducts(db, idsOf(boosts, 'productId'));
  return (boost) => {
    if (boost.productId !== null) return resolveProduct(boost.productId, products);
    const card = boost.cardId === null ? undefined : cards.get(boost.cardId);
    return card === undefined
      ? unknown('target.cardId', 'card', boost.cardId)
      : resolveGrade(card, boost.gradeId, grades);
  };
}

function resolveProduct(
  productId: string,
  products: ReadonlyMap<string, BoostProduct>,
): ResolvedTarget<CatalogTarget> {
  const product = products.get(productId);
  return product === undefined
    ? unknown('target.productId', 'product', productId)
    : { kind: 'target', target: { kind: 'product', product } };
}

function resolveGrade(
  card: Card,
  gradeId: string | null,
  grades: ReadonlyMap<string, Grade>,
): ResolvedTarget<CatalogTarget> {
  const grade = gradeId === null ? null : grades.get(gradeId);
  return grade === undefined
    ? unknown('target.gradeId', 'grade', gradeId)
    : { kind: 'target', target: { kind: 'card', card, grade } };
}

function unknown(member: string, noun: string, id: string | null): ResolvedTarget<never> {
  return { kind: 'unknown_reference', detail: `${member}: there is no ${noun} ${id}` };
}

function idsOf(boosts: readonly TargetColumns[], column: keyof TargetColumns): string[] {
  return [...new Set(boosts.map((boost) => boost[column]).filter((id) => id !== null))];
}
