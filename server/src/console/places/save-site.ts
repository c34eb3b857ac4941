import { newId } from '../../base/secrets.ts';
import { lockSites, putSite, SITE_KINDS } from '../../inventory/site.ts';
import { findShownSite } from '../../inventory/site-list.ts';
import { type ConsoleResponse, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { handleForm, type Form, showForm } from '../parts/form/form.ts';
import type { RequestContext } from '../request-context.ts';
import { siteFields, type SiteValues } from './place-fields.ts';
import { toSaveResult } from './save-result.ts';
import { placeMessages } from './messages.ts';

const NEW_SITE: SiteValues = {
  name: '',
  code: '',
  kind: 'store',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
  isActive: true,
};

/** Shows the form of a site, or of a new site if `siteId` is null. */
export async function siteFormPage(
  { db }: ConsoleDeps,
  context: RequestContext,
  siteId: string | null,
): Promise<ConsoleResponse> {
  const site = siteId === null ? NEW_SITE : await findShownSite(db, context.shop.id, siteId);
  return site === undefined
    ? NOT_FOUND
    : await showForm(context, formOf(context, siteId), valuesOf(site));
}

/** Saves the form of a site. If `siteId` is null, a new site is created. */
export async function saveSite(
  { db, write }: ConsoleDeps,
  context: RequestContext,
  siteId: string | null,
): Promise<ConsoleResponse> {
  const { shop, now } = context;
  if (siteId !== null && (await findShownSite(db, shop.id, siteId)) === undefined) return NOT_FOUND;
  return await handleForm(
    context,
    formOf(context, siteId),
    async ({ values, change, hasConflict }) => {
      const id = siteId ?? newId();
      return await write(shop.id, async (tx) => {
        if (siteId === null) {
          return toSaveResult(
            context,
            id,
            'site_added',
            await putSite(tx, shop.id, id, values, now),
          );
        }
        const [row] = await lockSites(tx, shop.id, [siteId]);
        if (row === undefined) return NOT_FOUND;
        const current = valuesOf(row);
        if (hasConflict(current)) return { kind: 'overtaken', now: current };
        return toSaveResult(context, id, 'site_added', await putSite(tx, shop.id, id, change, now));
      });
    },
  );
}

function valuesOf(site: Omit<SiteValues, 'kind'> & { readonly kind: string }): SiteValues {
  const { name, code, countryCode, timezone, isActive } = site;
  const kind = SITE_KINDS.find((each) => each === site.kind) ?? 'other';
  return { name, code, kind, countryCode, timezone, isActive };
}

function formOf(context: RequestContext, siteId: string | null): Form<SiteValues> {
  const messages = placeMessages[context.language];
  const list = context.shopPath('/places');
  const isNew = siteId === null;
  const href = isNew ? list : `${list}/${siteId}`;
  return {
    page: {
      title: isNew ? messages.addSite : messages.editSite,
      section: 'places',
      back: { href, label: isNew ? messages.title : messages.site },
    },
    action: isNew ? `${list}/new` : `${href}/edit`,
    fields: siteFields(context.language),
  };
}
