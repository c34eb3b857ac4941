import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { findGrade } from '../../catalog/shop-grade.ts';
import type { Markup } from '../../html/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormField, Inputs, RenderedInputs } from './form/form-field.ts';
import { type Choice, radioField, selectField } from './field.ts';
import type { RequestContext } from '../request-context.ts';
import { gradeChoices } from './grade-choices.ts';
import { gradeText } from './item-text.ts';
import { isSearchRequested } from './catalog-lookup.ts';
import { defaultSubmitButton, picker } from './picker.ts';
import { itemFieldMessages } from './messages/catalog.ts';

export type PickedItem =
  | { readonly kind: 'card'; readonly cardId: string; readonly gradeId: string | null }
  | { readonly kind: 'product'; readonly productId: string };

/** The texts of the field, which differ between forms. */
export interface ItemTexts {
  readonly label: string;
  readonly gradeHint?: string;
  readonly noGrade: string;
}

type Deps = Pick<ConsoleDeps, 'db' | 'catalogLookup'>;

/** The inputs of the kind that is not chosen are hidden and ignored. */
export function itemField(
  context: RequestContext,
  deps: Deps,
  texts: ItemTexts,
): FormField<PickedItem> {
  const messages = itemFieldMessages[context.language];
  return {
    label: texts.label,
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
    say: async (_name, inputs) => await describeItem(context, deps, texts, inputs),
    render: async (_name, shown) => await renderItem(context, deps, texts, shown),
    isSearch: (inputs) => isSearchRequested(inputs, 'card') || isSearchRequested(inputs, 'product'),
  };
}

function kindOf(inputs: Inputs): 'card' | 'product' {
  return inputs.get('kind') === 'product' ? 'product' : 'card';
}

async function describeItem(
  context: RequestContext,
  { db, catalogLookup }: Deps,
  texts: ItemTexts,
  inputs: Inputs,
): Promise<string> {
  const kind = kindOf(inputs);
  const picked = await catalogLookup.find(kind, inputs.get(kind), context.language);
  const name = picked?.name.text ?? '';
  if (kind === 'product' || picked === null) return name;
  const id = inputs.get('grade');
  const grade = isUuid(id) ? await findGrade(db, context.shop.id, id) : undefined;
  return `${name} · ${grade === undefined ? texts.noGrade : gradeText(grade)}`;
}

async function renderItem(
  context: RequestContext,
  { db, catalogLookup }: Deps,
  texts: ItemTexts,
  { inputs, textOf, errorOf }: RenderedInputs,
): Promise<Markup> {
  const messages = itemFieldMessages[context.language];
  const grade = textOf('grade');
  const [card, product, grades] = await Promise.all([
    catalogLookup.read('card', context, inputs, 'card'),
    catalogLookup.read('product', context, inputs, 'product'),
    listGradeChoices(db, context.shop.id, grade),
  ]);
  return html`${defaultSubmitButton()}
    ${radioField({
      name: 'kind',
      label: texts.label,
      value: kindOf(inputs),
      error: errorOf('kind'),
      choices: [
        { value: 'card', label: messages.card },
        { value: 'product', label: messages.product },
      ],
    })}
    <div class="for-card">
      ${picker(context, 'card', { label: messages.card, state: card, error: errorOf('card') })}
      ${selectField({
        name: 'grade',
        label: messages.grade,
        hint: texts.gradeHint,
        value: grade,
        error: errorOf('grade'),
        choices: [{ value: '', label: texts.noGrade }, ...grades],
      })}
    </div>
    <div class="for-product">
      ${picker(context, 'product', {
        label: messages.product,
        state: product,
        error: errorOf('product'),
      })}
    </div>`;
}

/** Returns the shop's grades, and the chosen grade if it is not among them. */
async function listGradeChoices(
  db: Deps['db'],
  shopId: string,
  chosen: string,
): Promise<readonly Choice[]> {
  const choices = await gradeChoices(db, shopId);
  if (!isUuid(chosen) || choices.some(({ value }) => value === chosen)) return choices;
  const grade = await findGrade(db, shopId, chosen);
  return grade === undefined ? choices : [...choices, { value: grade.id, label: gradeText(grade) }];
}
