import type { Boost, Unit } from '@cardport/client';
import { type Markup, markup, formatMoney, formatTime } from './markup.ts';
import { findUnit, listUnits, readSites } from './stock.ts';
import { readFact } from './store.ts';

const UNITS_PER_PAGE = 48;
const HIDDEN = 'The member who connected this board may not see what the shop buys.';

/** Returns a complete page. The list of boosts reloads itself, because it is a display. */
export function renderPage(path: string, content: Markup): string {
  const name = readFact<{ name: string }>('shop')?.name ?? 'Price board';
  const syncedAt = readFact<string>('syncedAt');
  const { timeZone } = readSites();
  const seconds = content === LOADING ? 1 : path === '/' && 10;
  const synced = syncedAt && `Last synced ${formatTime(syncedAt, timeZone)} (${timeZone})`;
  const tab = (to: string, text: string, japanese: string): Markup =>
    markup`<a href="${to}" aria-current="${to === path ? 'page' : 'false'}">${text}
      <span lang="ja">${japanese}</span></a>`;
  return markup`<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>
    <meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css">
    ${seconds && markup`<meta http-equiv="refresh" content="${seconds}">`}
    <header><strong>${name}</strong>
      <nav>${tab('/', 'What we buy', '買取')}${tab('/stock', 'In stock', '販売中')}</nav></header>
    <main>${content}</main><footer>${synced ?? 'Not synced yet'}
      ${readFact('state') === 'failing' && ' (the shop’s system is not responding)'}
      · <a href="/manage">Manage this board</a></footer></html>`.toString();
}

/** A message with the next step. */
export function message(title: string, text: string, action?: Markup): Markup {
  const connect = markup`<a class="button" href="/connect">Connect your shop</a>`;
  return markup`<section><h1>${title}</h1><p>${text}</p>${action ?? connect}</section>`;
}

/** Shown until the first sync is done. */
export const LOADING = message('One moment', 'Reading the shop’s stock…', markup``);

const END = markup`<form method="post"><button class="button">Disconnect</button></form>`;
/** The form with which a member of the shop ends the connection. */
export const MANAGE = message('Connected', 'If you disconnect, this board deletes your data.', END);

/** The boosts: what the shop currently buys above its usual price. */
export function boostsPage(): Markup {
  const boosts = readFact<Boost[] | 'hidden'>('boosts');
  if (boosts === null) return LOADING;
  if (boosts === 'hidden') return message('Not shown here', HIDDEN);
  const open = boosts.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > Date.now());
  return markup`<h1>What we buy <span lang="ja">強化買取</span></h1>
    <ul class="boosts">${open.map(boostTile)}</ul>
    ${open.length === 0 && markup`<p>Nothing above the usual price today. Please ask us.</p>`}`;
}

function boostTile({ target, remainingQuantity: left, endsAt, note, ...boost }: Boost): Markup {
  const { id, imageUrl } = target.kind === 'card' ? target.card : target.product;
  const photos = photoUrls(findUnit('item_id', id));
  const wanted = left === null ? 'We take any number' : `We take ${left} more`;
  const until = endsAt === null ? '' : ` · until ${formatTime(endsAt, readSites().timeZone)}`;
  const price = formatMoney(boost.priceMinor, boost.currency);
  const notes = [wanted + until, note ?? ''];
  return tile(target, price, notes, imageUrl === null ? photos : [imageUrl]);
}

/** The units for sale; page numbers start at 1. */
export function stockPage(search: string, number: number): Markup {
  const units = listUnits(search, (number - 1) * UNITS_PER_PAGE, UNITS_PER_PAGE + 1);
  const query = `search=${encodeURIComponent(search)}&page=`;
  const to = (page: number, text: string): Markup =>
    markup`<a class="button" href="/stock?${query}${page}">${text}</a>`;
  return markup`<h1>In stock <span lang="ja">販売中</span></h1>
    <form action="/stock"><input type="search" name="search" value="${search}" aria-label="Search"
      placeholder="Name, number or set"><button class="button">Search</button></form>
    ${units.length === 0 && markup`<p>Nothing found.</p>`}
    <ul class="units">${units.slice(0, UNITS_PER_PAGE).map(unitTile)}</ul>
    <nav>${number > 1 && to(number - 1, 'Back')}
      ${units.length > UNITS_PER_PAGE && to(number + 1, 'More')}</nav>`;
}

function unitTile(unit: Unit): Markup {
  const price = unit.priceMinor === null ? 'Ask us' : formatMoney(unit.priceMinor, unit.currency);
  return tile(unit.item, price, [readSites().names.get(unit.siteId) ?? ''], photoUrls(unit));
}

/** Addresses of a unit's first photo, small and large. They change with the photo. */
function photoUrls(unit?: Unit): string[] {
  const [photo] = unit?.photos ?? [];
  if (photo === undefined) return [];
  const version = encodeURIComponent(photo.etag);
  return ['small', 'large'].map((size) => `/photos/${unit?.id}/${photo.side}/${size}?v=${version}`);
}

function tile(item: Boost['target'], price: string, notes: string[], urls: string[]): Markup {
  const [small, large] = urls;
  const { name, languageCode } = item.kind === 'card' ? item.card : item.product;
  const image = small
    ? markup`<img class="picture" src="${small}" alt="${name}" loading="lazy">`
    : markup`<span class="picture">☆</span>`;
  const [card, grade] = item.kind === 'card' ? [item.card, item.grade?.label] : [null, null];
  const english = card?.localizedNames['en'] ?? name;
  const tags = [grade, card?.set?.code, card?.cardNumber, card?.rarity?.code].filter(Boolean);
  return markup`<li>${large ? markup`<a href="${large}">${image}</a>` : image}<div>
    <h2 lang="${languageCode}">${name}</h2>
    ${english !== name && markup`<p class="quiet" lang="en">${english}</p>`}
    <p>${tags.map((tag) => markup`<b>${tag}</b> `)}</p><p class="price">${price}</p>
    ${notes.map((note) => note && markup`<p class="quiet">${note}</p>`)}</div></li>`;
}
