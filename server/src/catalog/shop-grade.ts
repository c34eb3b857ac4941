import { type Members, textField } from '../base/field.ts';
import { mergeMembers, namesOf } from '../base/object-fields.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { recordCatalogChanges } from './catalog-change.ts';
import { GRADE_COLUMNS } from './entry-columns.ts';
import type { Grade } from './grade.ts';
import { lockCatalogExclusive } from './catalog-lock.ts';

/** The shop's other codes and names have the same maximum lengths. */
export const SHOP_GRADE_FIELDS = {
  code: textField(64, "The shop's own code.", true),
  label: textField(200, 'The display name.', true),
  serviceCode: textField(64, 'The code of the grading scale.', true),
  serviceName: textField(200, 'The name of the grading scale.', true),
};

/** An omitted member is not changed. */
export type ShopGradeChange = Members<typeof SHOP_GRADE_FIELDS>;

export type PutShopGradeResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly grade: Grade }
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] }
  | { readonly kind: 'conflict'; readonly detail: string };

export const selectShopGrade = statement<Grade>(
  'select_shop_grade',
  `select grade_id as id, ${GRADE_COLUMNS.select()}, 'internal' as "serviceKind"
     from shop_grade where shop_id = $1 and grade_id = $2`,
);

export const selectUsableGrade = statement<Grade>(
  'select_usable_grade',
  `select grade_id as id, ${GRADE_COLUMNS.select()}, 'internal' as "serviceKind"
     from shop_grade where shop_id = $1 and grade_id = $2
   union all
   select grade_id, ${GRADE_COLUMNS.names()}, 'third_party'
     from third_party_grade t
    where grade_id = $2
      and not exists (select from shop_grade s where s.shop_id = $1 and s.grade_id = $2)`,
);

export const selectUsableGrades = statement<Grade>(
  'select_usable_grades',
  `select grade_id as id, ${GRADE_COLUMNS.select()}, 'internal' as "serviceKind"
     from shop_grade where shop_id = $1 and ($2::uuid is null or grade_id > $2)
   union all
   select grade_id, ${GRADE_COLUMNS.names()}, 'third_party'
     from third_party_grade t
    where ($2::uuid is null or grade_id > $2)
      and not exists (select from shop_grade s where s.shop_id = $1 and s.grade_id = t.grade_id)
    order by id limit $3`,
);

export const selectHasThirdPartyGrade = statement<{ isThere: boolean }>(
  'has_third_party_grade',
  `select exists (select from third_party_grade where grade_id = $1) as "isThere"`,
);

export const upsertShopGrade = statement(
  'upsert_shop_grade',
  `insert into shop_grade (shop_id, grade_id, updated_at, position, ${GRADE_COLUMNS.names()})
   values ($1, $2, $3, $4, ${GRADE_COLUMNS.parameters(5)})
       on conflict (shop_id, grade_id) do update set
          updated_at = excluded.updated_at, position = excluded.position,
          ${GRADE_COLUMNS.set('excluded')}`,
);

/** Locks the catalog only if something changes. Units with this grade are rendered again later. */
export async function putShopGrade(
  tx: Transaction,
  shopId: string,
  id: string,
  change: ShopGradeChange,
  now: Date,
): Promise<PutShopGradeResult> {
  const seen = await tx.one(selectShopGrade, [shopId, id]);
  if (seen !== undefined && isSame(seen, change)) return { kind: 'unchanged', grade: seen };
  await lockCatalogExclusive(tx);
  const known = await tx.one(selectShopGrade, [shopId, id]);
  if (known === undefined && (await tx.one(selectHasThirdPartyGrade, [id]))?.isThere === true) {
    return { kind: 'conflict', detail: 'This id belongs to a third-party grade.' };
  }
  const merged = mergeMembers(SHOP_GRADE_FIELDS, change, known);
  if (merged.kind === 'incomplete') return merged;
  const grade: Grade = { id, ...merged.values, serviceKind: 'internal' };
  if (known !== undefined && isSame(known, change)) return { kind: 'unchanged', grade };
  // Two shops may use the same grade id. Each row has a separate position, so that a change in one
  // shop does not affect the units of another shop.
  const position = await recordCatalogChanges(tx, 'grade', [id]);
  await tx.query(upsertShopGrade, [shopId, id, now, position, ...GRADE_COLUMNS.values(grade)]);
  return { kind: known === undefined ? 'created' : 'updated', grade };
}

/** Returns an internal or third-party grade, or undefined if the shop may not use it. */
export async function findGrade(
  db: Queryable,
  shopId: string,
  id: string,
): Promise<Grade | undefined> {
  return await db.one(selectUsableGrade, [shopId, id]);
}

export async function listGrades(
  db: Queryable,
  shopId: string,
  page: { readonly afterId: string | null; readonly limit: number },
): Promise<Grade[]> {
  return await db.query(selectUsableGrades, [shopId, page.afterId, page.limit]);
}

function isSame(grade: Grade, change: ShopGradeChange): boolean {
  return namesOf(SHOP_GRADE_FIELDS).every((name) =>
    [undefined, grade[name]].includes(change[name]),
  );
}
