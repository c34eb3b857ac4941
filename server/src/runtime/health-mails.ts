import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { unlinked } from '../base/plain-text.ts';
import type { Database } from '../database/database.ts';
import type { Language } from '../html/language.ts';
import type { Mail, Mailer, SendResult } from '../mail/mailer.ts';
import { normalizeEmail } from '../shops/account.ts';
import { listMembersWithPermission } from '../shops/member-list.ts';
import { findShop, type Shop } from '../shops/shop.ts';
import { findShopSettings } from '../shops/shop-settings.ts';
import {
  claimHealthNotices,
  claimHealthWatch,
  finishHealthNotice,
  type HealthNotice,
  listShopsToCheck,
} from '../webhooks/health-notice.ts';
import { healthMailMessages } from './health-mail-messages.ts';

/** The maximum number of a shop's members who get a mail. */
const RECIPIENTS_MAX = 50;
/** Longer names are cut in the subject. Counted in code points. */
const NAME_POINTS_MAX = 50;

export interface HealthMailOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer;
  /** The public URL without a trailing slash. */
  readonly publicUrl: string;
}

/**
 * Sends a mail when an app's webhook has failed or its approval has been missing for an hour, and
 * another when it works again (decision 0236). The recipients are the members who manage apps, the
 * shop's contacts and the app's contact. If several processes call this, only one sends each mail.
 */
export async function sendHealthMails(
  options: HealthMailOptions,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = options;
  if (!(await claimHealthWatch(db, clock.now()))) return;
  for await (const shopId of listShopsToCheck(db, clock.now())) {
    if (signal.aborted) return;
    await sendHealthMailsOf(options, shopId, signal);
  }
}

async function sendHealthMailsOf(
  options: HealthMailOptions,
  shopId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = options;
  const shop = await findShop(db, shopId);
  if (shop === undefined) return;
  for (const notice of await claimHealthNotices(db, shopId, clock.now())) {
    // The mail is not lost: another process sends it when the lease of this notice has expired.
    if (signal.aborted) return;
    const mails = await renderMails(options, shop, notice);
    const results: SendResult[] = [];
    for (const mail of mails) results.push(await options.mail.send(mail));
    const failed = results.filter((each) => each.kind === 'failed');
    const { connectionId, problem } = notice;
    for (const { reason, cause } of failed) {
      const fields = { shopId, connectionId, problem, reason, error: cause };
      log.warn(fields, 'a mail about an app was not sent');
    }
    // If the mail server is down and no mail was sent, all are tried again when the lease has
    // ended.
    const isOutage = failed.some(({ reason }) => reason === 'unreachable' || reason === 'busy');
    if (isOutage && failed.length === results.length) continue;
    await finishHealthNotice(db, notice, clock.now());
  }
}

async function renderMails(
  { db, publicUrl }: HealthMailOptions,
  shop: Shop,
  notice: HealthNotice,
): Promise<readonly Mail[]> {
  const [members, settings] = await Promise.all([
    listMembersWithPermission(db, shop.id, 'integrations.manage', RECIPIENTS_MAX),
    findShopSettings(db, shop.id),
  ]);
  const { contactEmail, connectionId } = notice;
  const page = `${publicUrl}/console/shops/${shop.slug}/connections/${connectionId}`;
  const usual = settings?.language ?? null;
  const told = new Map(members.map(({ email, language }) => [email, language ?? usual]));
  for (const email of settings?.contactEmails ?? []) {
    const form = normalizeEmail(email) ?? email;
    if (!told.has(form)) told.set(form, usual);
  }
  const mails = [...told].map(([to, language]) =>
    renderMail(shop, notice, { to, languages: languagesOf(language), page, isOfShop: true }),
  );
  if (contactEmail === null || contactEmail === '') return mails;
  if (told.has(normalizeEmail(contactEmail) ?? contactEmail)) return mails;
  const contact = { to: contactEmail, languages: languagesOf(null), isOfShop: false };
  return [...mails, renderMail(shop, notice, { ...contact, page: `${publicUrl}/docs/webhooks` })];
}

function shorten(name: string): string {
  const points = Array.from(name);
  return points.length <= NAME_POINTS_MAX ? name : `${points.slice(0, NAME_POINTS_MAX).join('')}…`;
}

/** Returns the languages of a person's mail: both if the person has not chosen one. */
function languagesOf(language: Language | null): readonly Language[] {
  return language === null ? ['en', 'ja'] : [language];
}

function renderMail(
  shop: Shop,
  { problem, isOver, ...notice }: HealthNotice,
  to: {
    readonly to: string;
    readonly languages: readonly Language[];
    readonly page: string;
    readonly isOfShop: boolean;
  },
): Mail {
  const [appName, shopName] = [unlinked(notice.appName), unlinked(shop.name)];
  const subjects = to.languages.map((language) => {
    const messages = healthMailMessages[language][problem];
    return (isOver ? messages.over : messages.subject)(shorten(appName), shorten(shopName));
  });
  const texts = to.languages.map((language) => {
    const { once, developer, [problem]: messages } = healthMailMessages[language];
    const end = to.isOfShop ? [] : [developer];
    const lines = isOver
      ? [messages.overText(appName, shopName), '', to.page, ...end]
      : [messages.text(appName, shopName), '', messages.todo, to.page, '', once, ...end];
    return [...lines, ''].join('\n');
  });
  return { to: to.to, subject: subjects.join(' / '), text: texts.join('\n----\n\n') };
}
