import { listPlaces } from '../../inventory/places.ts';
import type { ConsoleDeps } from '../deps.ts';
import { selectField } from '../parts/field.ts';
import { singleInput } from '../parts/form/fields.ts';
import type { FormField } from '../parts/form/form-field.ts';
import type { RequestContext } from '../request-context.ts';
import { type ChosenPlace, parsePlace, placeChoices, placeValue } from './place-choice.ts';
import { receiveMessages } from './messages/unit.ts';

export function placeField(
  { db }: ConsoleDeps,
  { shop, language }: RequestContext,
): FormField<ChosenPlace> {
  const messages = receiveMessages[language];
  return singleInput({
    label: messages.place,
    show: placeValue,
    read: (text, refuse) => parsePlace(text) ?? refuse(messages.noPlace),
    render: async (state) => {
      const choices = placeChoices(await listPlaces(db, shop.id), state.value);
      // With a single place, the empty choice is omitted, so that the place is preselected.
      const needsChoice = state.value === '' && choices.length > 1;
      const none = needsChoice ? [{ value: '', label: messages.choosePlace }] : [];
      return selectField({ ...state, choices: [...none, ...choices] });
    },
  });
}
