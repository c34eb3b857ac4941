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

/** The target's columns of a boost. */
export type TargetColumns = Pick<BoostRow, 'cardId' | 'gradeId' | 'productId'>;

export type ResolvedTarget =
  | { readonly kind: 'target'; readonly target: BoostTarget }
  | { readonly kind: 'unknown_reference'; readonly detail: string };

/** Tells the target of a boost among those that it was made for. */
export type ResolveTarget = (boost: TargetColumns) => ResolvedTarget;

/**
 * Reads what boosts are for, once for all of them; inactive cards and products too. Nothing of the catalog is kept in a
 * boost: whoever shows one reads the catalog, so that no lock of the catalog is needed to write a boost. Entries are
 * never deleted, so what was there when the boost was written is there for good.
 */
export async function readTargets(
  db: Queryable,
  shopId: string,
  boosts: readonly TargetColumns[],
): Promise<ResolveTarget> {
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
): ResolvedTarget {
  const product = products.get(productId);
  return product === undefined
    ? unknown('target.productId', 'product', productId)
    : { kind: 'target', target: { kind: 'product', product } };
}

function resolveGrade(
  card: Card,
  gradeId: string | null,
  grades: ReadonlyMap<string, Grade>,
): ResolvedTarget {
  const grade = gradeId === null ? null : grades.get(gradeId);
  return grade === undefined
    ? unknown('target.gradeId', 'grade', gradeId)
    : { kind: 'target', target: { kind: 'card', card: boostCardOf(card), grade } };
}

function unknown(member: string, noun: string, id: string | null): ResolvedTarget {
  return { kind: 'unknown_reference', detail: `${member}: there is no ${noun} ${id}` };
}

function idsOf(boosts: readonly TargetColumns[], column: keyof TargetColumns): string[] {
  return [...new Set(boosts.map((boost) => boost[column]).filter((id) => id !== null))];
}
