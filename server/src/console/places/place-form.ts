import { html } from 'hono/html';
import { textField as textReader } from '../../base/field.ts';
import { LOCATION_KINDS, type LocationKind } from '../../inventory/location.ts';
import { countryField, timezoneField } from '../../inventory/place-field.ts';
import { SITE_KINDS, type SiteKind } from '../../inventory/site.ts';
import { CODE_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../inventory/text-bounds.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { boxField, selectField, textField } from '../parts/field.ts';
import { faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { placeMessages } from './messages.ts';

/** What stands in the fields; a location leaves country and time zone empty. */
export interface PlaceTexts {
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly countryCode: string;
  readonly timezone: string;
  readonly isActive: boolean;
}

/** A form of a site or a location as it stands. */
export interface PlaceForm {
  readonly what: 'site' | 'location';
  readonly texts: PlaceTexts;
  /** The instant of the change that the form was made from; empty for a new place. */
  readonly seen: string;
  readonly faults: readonly FormFault[];
  /** What stands there now, where somebody else has changed it meanwhile. */
  readonly now: PlaceTexts | null;
  readonly action: string;
  readonly cancelHref: string;
}

/** A site as a form has said it. */
export interface ReadSite {
  readonly code: string;
  readonly name: string;
  readonly kind: SiteKind;
  readonly countryCode: string;
  readonly timezone: string;
  readonly isActive: boolean;
}

/** A location as a form has said it. */
export interface ReadLocation {
  readonly code: string;
  readonly name: string;
  readonly kind: LocationKind;
  readonly isActive: boolean;
}

const codeReader = textReader(CODE_CHARACTERS_MAX, 'A code.');
const nameReader = textReader(NAME_CHARACTERS_MAX, 'A name.');
/** Names of zones that the browser offers; any other name of the database is taken too. */
const ZONES = Intl.supportedValuesOf('timeZone');

/** The texts of a form that was sent. */
export function textsOfForm(form: Visit['form']): PlaceTexts {
  return {
    code: (form.get('code') ?? '').trim(),
    name: (form.get('name') ?? '').trim(),
    kind: form.get('kind') ?? '',
    countryCode: (form.get('countryCode') ?? '').normalize('NFKC').trim().toUpperCase(),
    timezone: (form.get('timezone') ?? '').trim(),
    isActive: form.get('isActive') === 'on',
  };
}

/** Reads the fields of a site. */
export function readSite(
  texts: PlaceTexts,
  language: Language,
): { readonly site: ReadSite | null; readonly faults: readonly FormFault[] } {
  const messages = placeMessages[language];
  const faults = commonFaults(texts, language);
  const kind = SITE_KINDS.find((each) => each === texts.kind);
  if (kind === undefined) faults.push({ field: 'kind', text: messages.noKind });
  if (!countryField.read('country', texts.countryCode).ok) {
    faults.push({ field: 'countryCode', text: messages.noCountry });
  }
  if (!timezoneField.read('zone', texts.timezone).ok) {
    faults.push({ field: 'timezone', text: messages.noTimezone });
  }
  return { site: kind === undefined || faults.length > 0 ? null : { ...texts, kind }, faults };
}

/** Reads the fields of a location. */
export function readLocation(
  texts: PlaceTexts,
  language: Language,
): { readonly location: ReadLocation | null; readonly faults: readonly FormFault[] } {
  const faults = commonFaults(texts, language);
  const kind = LOCATION_KINDS.find((each) => each === texts.kind);
  if (kind === undefined) faults.push({ field: 'kind', text: placeMessages[language].noKind });
  const { code, name, isActive } = texts;
  const isGood = kind !== undefined && faults.length === 0;
  return { location: isGood ? { code, name, kind, isActive } : null, faults };
}

function commonFaults({ code, name }: PlaceTexts, language: Language): FormFault[] {
  const messages = placeMessages[language];
  const faults: FormFault[] = [];
  if (!codeReader.read('code', code).ok) faults.push({ field: 'code', text: messages.noCode });
  if (!nameReader.read('name', name).ok) faults.push({ field: 'name', text: messages.noName });
  return faults;
}

/** The form, with its faults above it. */
export function renderPlaceForm(visit: Visit, form: PlaceForm): Markup {
  const messages = placeMessages[visit.language];
  const { texts, what } = form;
  const changed = meanwhileOf(form, visit.language);
  const all = [...form.faults, ...changed];
  const common = (
    name: 'code' | 'name' | 'countryCode' | 'timezone' | 'kind',
  ): {
    readonly name: string;
    readonly value: string;
    readonly fault: string | null;
  } => ({ name, value: texts[name], fault: faultOf(all, name) });
  const kinds: Readonly<Record<string, string>> =
    what === 'site' ? messages.siteKinds : messages.locationKinds;
  const choices = Object.entries(kinds).map(([value, label]) => ({ value, label }));
  const hint = messages.codeHint;
  return html`${faultSummary(messages.faults, all)}
    <div class="sheet">
      <form class="stack" method="post" action="${form.action}">
        ${visit.formToken}
        <input type="hidden" name="seen" value="${form.seen}" />
        ${textField({ ...common('name'), label: messages.name, isRequired: true })}
        ${textField({ ...common('code'), label: messages.code, hint, isShort: true, isRequired: true })}
        ${selectField({ ...common('kind'), label: messages.kind, choices })}
        ${
          what === 'site'
            ? html`${textField({
                  ...common('countryCode'),
                  label: messages.country,
                  hint: messages.countryHint,
                  isShort: true,
                  maxLength: 2,
                  autocomplete: 'country',
                })}
                ${textField({
                  ...common('timezone'),
                  label: messages.timezone,
                  hint: messages.timezoneHint,
                  list: 'zones',
                  autocomplete: 'off',
                })}
                <datalist id="zones">
                  ${ZONES.map((zone) => html`<option value="${zone}"></option>`)}
                </datalist>`
            : ''
        }
        ${boxField({
          name: 'isActive',
          label: messages.isActive,
          hint: messages.isActiveHint,
          isTicked: texts.isActive,
        })}
        <div class="actions">
          ${submitButton(messages.save)}
          ${linkButton({ href: form.cancelHref, label: messages.cancel })}
        </div>
      </form>
    </div>`;
}

/** What is another now than was typed, as a sentence beneath each field. */
function meanwhileOf({ now, texts, what }: PlaceForm, language: Language): FormFault[] {
  if (now === null) return [];
  const messages = placeMessages[language];
  const kinds: Readonly<Record<string, string>> =
    what === 'site' ? messages.siteKinds : messages.locationKinds;
  const shown = (name: 'code' | 'name' | 'kind' | 'countryCode' | 'timezone'): string =>
    name === 'kind' ? (kinds[now.kind] ?? now.kind) : now[name];
  const names = ['name', 'code', 'kind', 'countryCode', 'timezone'] as const;
  const faults: FormFault[] = names
    .filter((name) => texts[name] !== now[name])
    .map((name) => ({ field: name, text: messages.now(shown(name)) }));
  if (texts.isActive !== now.isActive) {
    const text = messages.now(now.isActive ? messages.active : messages.inactive);
    faults.push({ field: 'isActive', text });
  }
  return faults;
}
