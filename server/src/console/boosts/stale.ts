import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import type { BoostRow } from '../../boosts/boost-row.ts';
import {
  type CatalogTarget,
  readCatalogTargets,
  type TargetColumns,
} from '../../boosts/boost-target.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { gradeOfTarget } from '../parts/boost-words.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { fieldId } from '../parts/field.ts';
import { nameOf } from '../parts/item-words.ts';
import { note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { type BoostTexts, differingGroups, type FieldGroup, textsOf } from './form-values.ts';
import { seenFields } from './seen-fields.ts';
import { staleEditMessages } from './messages/form.ts';

/** Three states of one boost: what the member was shown, what he made of it, what it is by now. */
interface Differing {
  readonly row: BoostRow;
  readonly was: BoostTexts;
  readonly mine: BoostTexts;
}

/** The boost was changed while it was edited: shows both values of what differs, and lets the member decide (409). */
export async function stalePage(
  visit: Visit,
  { db }: Pick<ConsoleDeps, 'db'>,
  { row, was, mine }: Differing,
): Promise<ConsoleAnswer> {
  const messages = staleEditMessages[visit.language];
  const href = visit.path(`/boosts/${row.id}`);
  const now = textsOf(row, visit.format.zone);
  const say = await describer(visit, db, [now, was, mine]);
  const differing = differingGroups(now, mine);
  const changed = differingGroups(now, was);
  const asked = differing.filter((group) => changed.includes(group));
  const kept = differing.filter((group) => !changed.includes(group));
  const hidden = { ...mine, ...seenFields(now, row.updatedAt) };
  const isEnded = row.endedAt !== null;
  const content = html`${note('warn', isEnded ? messages.ended : messages.intro)}
    <form class="sheet stack" method="post" action="${href}/edit">
      ${visit.formToken}
      ${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <p>${messages.changedAt}: ${visit.format.dateTime(row.updatedAt)}</p>
      ${asked.map((group) => {
        const isMine = differingGroups(mine, was).includes(group);
        const values = { now: say(group, now), mine: say(group, mine), was: say(group, was) };
        return renderDecision(messages, group, values, isMine);
      })}
      ${
        kept.length === 0
          ? ''
          : html`<p>${messages.others}</p>
              <ul>
                ${kept.map((group) => html`<li>${messages.groups[group]}: ${say(group, mine)}</li>`)}
              </ul>`
      }
      <div class="actions">
        ${isEnded ? '' : submitButton(messages.submit)}
        ${linkButton({ href, label: messages.discard, kind: 'plain' })}
      </div>
    </form>`;
  return showPage({
    title: messages.title,
    content,
    section: 'boosts',
    status: 409,
    back: { href, label: messages.boost },
  });
}

function renderDecision(
  messages: MessagesOf<typeof staleEditMessages>,
  group: FieldGroup,
  values: Readonly<Record<'now' | 'mine' | 'was', string>>,
  isMine: boolean,
): Markup {
  const id = fieldId(`take_${group}`);
  return html`<fieldset class="decision">
    <legend>${messages.groups[group]}</legend>
    <p class="hint">${messages.was}: ${values.was}</p>
    ${(['now', 'mine'] as const).map(
      (side) =>
        html`<div class="box">
          <input
            type="radio"
            id="${id}-${side}"
            name="take_${group}"
            value="${side}"
            ${isMine === (side === 'mine') ? html` checked` : ''}
          />
          <label for="${id}-${side}"
            >${messages.sides[side]}: <strong>${values[side]}</strong></label
          >
        </div>`,
    )}
  </fieldset>`;
}

/** Says one group of several forms of a boost, each name of the catalog read once. */
async function describer(
  { language, shop }: Visit,
  db: ConsoleDeps['db'],
  forms: readonly BoostTexts[],
): Promise<(group: FieldGroup, texts: BoostTexts) => string> {
  const messages = staleEditMessages[language];
  const resolve = await readCatalogTargets(db, shop.id, forms.map(columnsOf));
  const targetName = (target: CatalogTarget): string => {
    const grade = gradeOfTarget(target, language);
    const name = nameOf(target, language).text;
    return grade === null ? name : `${name} · ${grade}`;
  };
  return (group, texts) => {
    if (group === 'target') {
      const resolved = resolve(columnsOf(texts));
      return resolved.kind === 'target' ? targetName(resolved.target) : messages.none.target;
    }
    const value = group === 'price' ? `${texts.price} ${texts.currency}` : texts[group];
    return value === '' ? messages.none[group] : value.replace('T', group === 'note' ? 'T' : ' ');
  };
}

function columnsOf({ card, grade, product }: BoostTexts): TargetColumns {
  const idOf = (text: string): string | null => (isUuid(text) ? text : null);
  return { cardId: idOf(card), gradeId: idOf(grade), productId: idOf(product) };
}
