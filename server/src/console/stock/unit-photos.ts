import { html } from 'hono/html';
import type { StockUnit } from '../../inventory/stock-list.ts';
import { PHOTO_SIDES, type PhotoSide } from '../../inventory/unit-photo.ts';
import type { MessagesOf } from '../../html/messages.ts';
import type { Markup } from '../../html/page.ts';
import { IMAGE_BYTES_MAX } from '../../images/re-encode.ts';
import { actionButton } from '../parts/button.ts';
import { fileInput } from '../parts/file-input.ts';
import { icon } from '../parts/icon.ts';
import type { RequestContext } from '../request-context.ts';
import { photoPath, photoText, sideName } from './item-cell.ts';
import { photoErrorMessages, unitMessages } from './messages/unit.ts';

/** The reasons why an upload is rejected. */
export type PhotoErrorKind = keyof MessagesOf<typeof photoErrorMessages>;

export interface PhotoError {
  readonly side: PhotoSide;
  readonly text: string;
}

export function renderPhotos(
  context: RequestContext,
  unit: StockUnit,
  error: PhotoError | null,
): Markup {
  const messages = unitMessages[context.language];
  return html`<section class="sheet unit-photos" aria-labelledby="photos">
    <h2 id="photos">${messages.photos}</h2>
    <div class="photos">
      ${PHOTO_SIDES.map((side) =>
        renderSide(context, unit, side, error?.side === side ? error.text : null),
      )}
    </div>
  </section>`;
}

function renderSide(
  context: RequestContext,
  unit: StockUnit,
  side: PhotoSide,
  error: string | null,
): Markup {
  const { language } = context;
  const messages = unitMessages[language];
  const photo = unit.photos.find((each) => each.side === side);
  const label = sideName(side, language);
  return html`<div class="photo">
    <h3>${label}</h3>
    ${
      photo === undefined
        ? html`<p class="no-photo">${messages.noPhoto}</p>`
        : html`<a href="${photoPath(context, unit.id, photo, 'large')}"
            ><img
              src="${photoPath(context, unit.id, photo, 'large')}"
              alt="${photoText(side, unit.item, language)}"
              width="${photo.width}"
              height="${photo.height}"
            /><span class="unseen"> ${messages.large}</span></a
          >`
    }
    ${context.can('inventory.write') ? renderForms(context, unit, { side, error }) : ''}
  </div>`;
}

function renderForms(
  context: RequestContext,
  unit: StockUnit,
  { side, error }: { readonly side: PhotoSide; readonly error: string | null },
): Markup {
  const { language } = context;
  const messages = unitMessages[language];
  const hasPhoto = unit.photos.some((each) => each.side === side);
  const label = sideName(side, language);
  const button = hasPhoto ? messages.replace : messages.add;
  const action = context.shopPath(`/stock/${unit.id}/photos/${side}`);
  const id = `photo-${side}`;
  // The token comes first, so that it is checked before a byte of the image is buffered.
  return html`<form
      class="upload"
      method="post"
      enctype="multipart/form-data"
      action="${action}"
      data-photo
      data-bytes-max="${IMAGE_BYTES_MAX}"
      data-too-large="${photoErrorMessages[language].too_large}"
    >
      ${context.formToken}
      <div class="field${error === null ? '' : ' faulty'}">
        <label for="${id}">${icon('camera')} ${button}<span class="unseen"> ${label}</span></label>
        <p class="hint" id="${id}-hint">${messages.photoHint}</p>
        ${fileInput(language, {
          id,
          name: 'photo',
          accept: 'image/jpeg,image/png,image/webp,image/*',
          describedBy: `${id}-hint ${id}-fault`,
          isInvalid: error !== null,
        })}
        <p
          class="fault"
          id="${id}-fault"
          ${error === null ? '' : html`role="alert" tabindex="-1" data-focus`}
        >
          ${error ?? ''}
        </p>
      </div>
      <button type="submit" class="second">${button}</button>
    </form>
    ${
      hasPhoto
        ? actionButton(context, {
            action: `${action}/remove`,
            label: messages.remove,
            kind: 'plain',
            about: label,
          })
        : ''
    }`;
}
