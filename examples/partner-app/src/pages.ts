import type { Boost, Card, Unit } from '@cardport/client';
import { formatMoney, formatTime, markup, say } from './markup.ts';
import type { Markup, Text, Value } from './markup.ts';
import { findUnit, listUnits, readSites } from './stock.ts';
import { readFact } from './store.ts';

const UNITS_PER_PAGE = 48;
/** Texts for variants and finishes; another is shown as the catalog names it. */
const KINDS: Record<string, Value> = { normal: false, nonfoil: false, holo: say('Holo') };
const HIDDEN = 'The member who connected this board may not see what the shop buys.';

/** Returns a complete page. The list of boosts stays current, because it is a display. */
export function renderPage(path: string, content: Markup): Markup {
  const name = readFact<{ name: string }>('shop')?.name ?? say('Price board');
  const syncedAt = readFact<string>('syncedAt');
  const { timeZone } = readSites();
  const seconds = content === LOADING ? 1 : path === '/' && 10;
  const synced = syncedAt && say('Last synced …', formatTime(syncedAt, timeZone));
  const tab = (to: string, text: Text): Markup =>
    markup`<a href="${to}" aria-current="${to === path ? 'page' : 'false'}">${say(text)}</a>`;
  return markup`<!doctype html><html lang="${{ en: 'en', ja: 'ja' }}"><title>${name}</title>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">
    <script src="/live.js" defer></script>
    ${seconds && markup`<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>`}
    <header><strong>${name}</strong>
      <nav>${tab('/', 'What we buy')}${tab('/stock', 'In stock')}</nav></header>
    <main data-seconds="${seconds}">${content}</main><footer>${synced ?? say('Not synced yet')} ${synced && `(${timeZone})`}
      ${readFact('state') === 'failing' && say('(the shop’s system is not responding)')}
      · <a href="/manage">${say('Manage this board')}</a></footer></html>`;
}

export function message(title: Text, text: Text, action?: Markup): Markup {
  const connect = markup`<a class="button" href="/connect">${say('Connect your shop')}</a>`;
  return markup`<section><h1>${say(title)}</h1><p>${say(text)}</p>${action ?? connect}</section>`;
}

/** Shown until the first sync is done. */
export const LOADING = message('One moment', 'Reading the shop’s stock.', markup``);
const END = markup`<form method="post"><button class="button">${say('Disconnect')}</button></form>`;
export const MANAGE = message('Connected', 'If you disconnect, this board deletes your data.', END);

export function boostsPage(): Markup {
  const boosts = readFact<Boost[] | 'hidden'>('boosts');
  if (boosts === null) return LOADING;
  if (boosts === 'hidden') return message('Not shown here', HIDDEN);
  const open = boosts.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > Date.now());
  return markup`<h1>${say('What we buy')}</h1><ul class="boosts">${open.map(boostTile)}</ul>
    <p>${open.length === 0 && say('Nothing above the usual price today. Please ask us.')}</p>`;
}

function boostTile({ target, remainingQuantity: left, endsAt, note, ...boost }: Boost): Markup {
  const { id, imageUrl } = target.kind === 'card' ? target.card : target.product;
  const photos = photoUrls(findUnit('item_id', id));
  const wanted = left === null ? say('We take any number') : say('We take … more', left);
  const until = endsAt !== null && say(' · until …', formatTime(endsAt, readSites().timeZone));
  const price = formatMoney(boost.priceMinor, boost.currency);
  const notes = [[wanted, until], note];
  return tile(target, price, notes, imageUrl === null ? photos : [imageUrl]);
}

/** The units for sale; page numbers start at 1. */
export function stockPage(search: string, number: number): Markup {
  const units = listUnits(search, (number - 1) * UNITS_PER_PAGE, UNITS_PER_PAGE + 1);
  const query = `search=${encodeURIComponent(search)}&page=`;
  const to = (page: number, text: Text): Markup =>
    markup`<a class="button" href="/stock?${query}${page}">${say(text)}</a>`;
  return markup`<h1>${say('In stock')}</h1><form action="/stock">
      <input type="search" name="search" value="${search}" aria-label="${say('Search')}"
      placeholder="${say('Name, number or set')}"><button class="button">${say('Search')}</button>
    </form>${units.length === 0 && markup`<p>${say('Nothing found.')}</p>`}
    <ul class="units">${units.slice(0, UNITS_PER_PAGE).map(unitTile)}</ul>
    <nav>${number > 1 && to(number - 1, 'Back')}
      ${units.length > UNITS_PER_PAGE && to(number + 1, 'More')}</nav>`;
}

function unitTile(unit: Unit): Markup {
  const { priceMinor } = unit;
  const price = priceMinor === null ? say('Ask us') : formatMoney(priceMinor, unit.currency);
  return tile(unit.item, price, [readSites().names.get(unit.siteId)], photoUrls(unit));
}

/** Addresses of a unit's first photo, small and large. They change with the photo. */
function photoUrls(unit?: Unit): string[] {
  const [photo] = unit?.photos ?? [];
  if (photo === undefined) return [];
  const version = encodeURIComponent(photo.etag);
  return ['small', 'large'].map((size) => `/photos/${unit?.id}/${photo.side}/${size}?v=${version}`);
}

function tile(item: Boost['target'], price: Value, notes: Value[], urls: string[]): Markup {
  const [small, large] = urls;
  const { name, languageCode } = item.kind === 'card' ? item.card : item.product;
  const image = small
    ? markup`<img class="picture" src="${small}" alt="${name}" loading="lazy">`
    : markup`<span class="picture">☆</span>`;
  const [card, grade] = item.kind === 'card' ? [item.card, item.grade?.label] : [null, null];
  const english = card?.localizedNames['en'] ?? name;
  // A unit's card is complete; that of a boost is completed from the catalog.
  const { variant, finish }: Partial<Card> = { ...readFact<Card>(`card ${card?.id}`), ...card };
  const kinds = [variant, finish].map((name) => KINDS[name ?? ''] ?? name);
  const tags = [grade, card?.set?.code, card?.cardNumber, card?.rarity?.code, ...kinds];
  return markup`<li>${large ? markup`<a href="${large}">${image}</a>` : image}<div>
    <h2 lang="${languageCode}">${name}</h2>
    ${english !== name && markup`<p class="quiet" lang="en">${english}</p>`}
    <p>${tags.map((tag) => tag && markup`<b>${tag}</b> `)}</p><p class="price">${price}</p>
    ${notes.map((note) => note && markup`<p class="quiet">${note}</p>`)}</div></li>`;
}
