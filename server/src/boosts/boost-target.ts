import { boostCardOf, type BoostCard, type Card } from '../catalog/card.ts';
import type { Grade } from '../catalog/grade.ts';
import type { BoostProduct } from '../catalog/product.ts';
import { readCards, readGrades, readProducts } from '../catalog/view.ts';
import type { Queryable } from '../database/database.ts';
import type { BoostRow } from './boost-row.ts';

/** What a boost is for, as every API shows it (specification 2.3): a card in any grade (null) or one, or a product. */
export type BoostTarget =
  | { readonly kind: 'card'; readonly card: BoostCard; readonly grade: Grade | null }
  | { readonly kind: 'product'; readonly product: BoostProduct };

/** What a boost is for, with the whole of a card's catalog entry: what the shop's own pages show. */
export type CatalogTarget =
  | { readonly kind: 'card'; readonly card: Card; readonly grade: Grade | null }
  | Extract<BoostTarget, { readonly kind: 'product' }>;

/** The target's columns of a boost. */
export type TargetColumns = Pick<BoostRow, 'cardId' | 'gradeId' | 'productId'>;

export type ResolvedTarget<Target = BoostTarget> =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'unknown_reference'; readonly detail: string };

/** Tells the target of a boost among those that it was made for. */
export type ResolveTarget<Target = BoostTarget> = (boost: TargetColumns) => ResolvedTarget<Target>;

/** The target as every API shows it. */
export function boostTargetOf(target: CatalogTarget): BoostTarget {
  return target.kind === 'card' ? { ...target, card: boostCardOf(target.card) } : target;
}

/** Reads what boosts are for, as every API shows it. */
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

/**
 * Reads what boosts are for, once for all of them; inactive cards and products too. Nothing of the catalog is kept in a
 * boost: whoever shows one reads the catalog, so that no lock of the catalog is needed to write a boost. Entries are
 * never deleted, so what was there when the boost was written is there for good.
 */
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
