import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { findGrade } from '../../catalog/shop-grade.ts';
import type { Markup } from '../../pages/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormField, Inputs, ShownInputs } from './form/form-field.ts';
import { type Choice, radioField, selectField } from './field.ts';
import type { Visit } from '../visit.ts';
import { gradeChoices } from './grade-choices.ts';
import { gradeText } from './item-words.ts';
import { asksForHits } from './pick.ts';
import { enterButton, picker } from './picker.ts';
import { itemFieldMessages } from './messages/catalog.ts';

/** A card, graded or not, or a sealed product. */
export type PickedItem =
  | { readonly kind: 'card'; readonly cardId: string; readonly gradeId: string | null }
  | { readonly kind: 'product'; readonly productId: string };

/** The texts of the field, which depend on its form. */
export interface ItemWords {
  readonly label: string;
  readonly gradeHint?: string;
  readonly noGrade: string;
}

type Deps = Pick<ConsoleDeps, 'db' | 'picks'>;

/** A card or a product of the catalog. The inputs of the other kind are hidden and ignored. */
export function itemField(visit: Visit, deps: Deps, words: ItemWords): FormField<PickedItem> {
  const messages = itemFieldMessages[visit.language];
  return {
    label: words.label,
    names: () => ['kind', 'card', 'grade', 'product', 'card_q', 'product_q'],
    show: (_name, item) =>
      item.kind === 'product'
        ? { kind: item.kind, product: item.productId }
        : { kind: item.kind, card: item.cardId, grade: item.gradeId ?? '' },
    read: (_name, inputs, refuse) => {
      const kind = kindOf(inputs);
      const [id, grade] = [inputs.get(kind), inputs.get('grade')];
      if (!isUuid(id)) return refuse(kind, messages.none[kind]);
      if (kind === 'product') return { kind, productId: id.toLowerCase() };
      const gradeId = isUuid(grade) ? grade.toLowerCase() : null;
      return { kind, cardId: id.toLowerCase(), gradeId };
    },
    say: async (_name, inputs) => await sayItem(visit, deps, words, inputs),
    render: async (_name, shown) => await renderItem(visit, deps, words, shown),
    isAsking: (inputs) => asksForHits(inputs, 'card') || asksForHits(inputs, 'product'),
  };
}

function kindOf(inputs: Inputs): 'card' | 'product' {
  return inputs.get('kind') === 'product' ? 'product' : 'card';
}

async function sayItem(
  visit: Visit,
  { db, picks }: Deps,
  words: ItemWords,
  inputs: Inputs,
): Promise<string> {
  const kind = kindOf(inputs);
  const picked = await picks.find(kind, inputs.get(kind), visit.language);
  const name = picked?.name.text ?? '';
  if (kind === 'product' || picked === null) return name;
  const id = inputs.get('grade');
  const grade = isUuid(id) ? await findGrade(db, visit.shop.id, id) : undefined;
  return `${name} · ${grade === undefined ? words.noGrade : gradeText(grade)}`;
}

async function renderItem(
  visit: Visit,
  { db, picks }: Deps,
  words: ItemWords,
  { inputs, textOf, faultOf }: ShownInputs,
): Promise<Markup> {
  const messages = itemFieldMessages[visit.language];
  const grade = textOf('grade');
  const [card, product, grades] = await Promise.all([
    picks.read('card', visit, inputs, 'card'),
    picks.read('product', visit, inputs, 'product'),
    gradesWith(db, visit.shop.id, grade),
  ]);
  return html`${enterButton()}
    ${radioField({
      name: 'kind',
      label: words.label,
      value: kindOf(inputs),
      fault: faultOf('kind'),
      choices: [
        { value: 'card', label: messages.card },
        { value: 'product', label: messages.product },
      ],
    })}
    <div class="for-card">
      ${picker(visit, 'card', { label: messages.card, pick: card, fault: faultOf('card') })}
      ${selectField({
        name: 'grade',
        label: messages.grade,
        hint: words.gradeHint,
        value: grade,
        fault: faultOf('grade'),
        choices: [{ value: '', label: words.noGrade }, ...grades],
      })}
    </div>
    <div class="for-product">
      ${picker(visit, 'product', {
        label: messages.product,
        pick: product,
        fault: faultOf('product'),
      })}
    </div>`;
}

/** The shop's grades, and the chosen one if it is not among them. */
async function gradesWith(
  db: Deps['db'],
  shopId: string,
  chosen: string,
): Promise<readonly Choice[]> {
  const choices = await gradeChoices(db, shopId);
  if (!isUuid(chosen) || choices.some(({ value }) => value === chosen)) return choices;
  const grade = await findGrade(db, shopId, chosen);
  return grade === undefined ? choices : [...choices, { value: grade.id, label: gradeText(grade) }];
}
