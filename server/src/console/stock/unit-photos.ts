import { html } from 'hono/html';
import type { StockUnit } from '../../inventory/stock-list.ts';
import { PHOTO_SIDES, type PhotoSide } from '../../inventory/unit-photo.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import type { Markup } from '../../pages/page.ts';
import { PICTURE_BYTES_MAX } from '../../pictures/re-encode.ts';
import { actionButton } from '../parts/button.ts';
import { icon } from '../parts/icon.ts';
import type { Visit } from '../visit.ts';
import { photoPath, photoText, sideName } from './item-cell.ts';
import { photoFaultMessages, unitMessages } from './messages/unit.ts';

/** Why an upload was rejected. */
export type PhotoFaultKind = keyof MessagesOf<typeof photoFaultMessages>;

export interface PhotoFault {
  readonly side: PhotoSide;
  readonly text: string;
}

/** Both photos of a unit, each with its actions. */
export function renderPhotos(visit: Visit, unit: StockUnit, fault: PhotoFault | null): Markup {
  const messages = unitMessages[visit.language];
  return html`<section class="sheet unit-photos" aria-labelledby="photos">
    <h2 id="photos">${messages.photos}</h2>
    <div class="photos">
      ${PHOTO_SIDES.map((side) =>
        renderSide(visit, unit, side, fault?.side === side ? fault.text : null),
      )}
    </div>
  </section>`;
}

function renderSide(visit: Visit, unit: StockUnit, side: PhotoSide, fault: string | null): Markup {
  const { language } = visit;
  const messages = unitMessages[language];
  const photo = unit.photos.find((each) => each.side === side);
  const label = sideName(side, language);
  return html`<div class="photo">
    <h3>${label}</h3>
    ${
      photo === undefined
        ? html`<p class="no-photo">${messages.noPhoto}</p>`
        : html`<a href="${photoPath(visit, unit.id, photo, 'large')}"
            ><img
              src="${photoPath(visit, unit.id, photo, 'large')}"
              alt="${photoText(side, unit.item, language)}"
              width="${photo.width}"
              height="${photo.height}"
            /><span class="unseen"> ${messages.large}</span></a
          >`
    }
    ${visit.may('inventory.write') ? renderForms(visit, unit, { side, fault }) : ''}
  </div>`;
}

function renderForms(
  visit: Visit,
  unit: StockUnit,
  { side, fault }: { readonly side: PhotoSide; readonly fault: string | null },
): Markup {
  const { language } = visit;
  const messages = unitMessages[language];
  const hasPhoto = unit.photos.some((each) => each.side === side);
  const label = sideName(side, language);
  const button = hasPhoto ? messages.replace : messages.add;
  const action = visit.path(`/stock/${unit.id}/photos/${side}`);
  const id = `photo-${side}`;
  // The token precedes the file, so that it is checked before a byte of the picture is kept.
  return html`<form
      class="upload"
      method="post"
      enctype="multipart/form-data"
      action="${action}"
      data-photo
      data-bytes-max="${PICTURE_BYTES_MAX}"
      data-too-large="${photoFaultMessages[language].too_large}"
    >
      ${visit.formToken}
      <div class="field${fault === null ? '' : ' faulty'}">
        <label for="${id}">${icon('camera')} ${button}<span class="unseen"> ${label}</span></label>
        <p class="hint" id="${id}-hint">${messages.photoHint}</p>
        <input
          type="file"
          id="${id}"
          name="photo"
          accept="image/jpeg,image/png,image/webp,image/*"
          required
          aria-describedby="${id}-hint ${id}-fault"
          ${fault === null ? '' : html` aria-invalid="true"`}
        />
        <p
          class="fault"
          id="${id}-fault"
          ${fault === null ? '' : html`role="alert" tabindex="-1" data-focus`}
        >
          ${fault ?? ''}
        </p>
      </div>
      <button type="submit" class="second">${button}</button>
    </form>
    ${
      hasPhoto
        ? actionButton(visit, {
            action: `${action}/remove`,
            label: messages.remove,
            kind: 'plain',
            about: label,
          })
        : ''
    }`;
}
