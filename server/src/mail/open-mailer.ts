import type { Clock } from '../base/clock.ts';
import type { MailSettings } from '../base/mail-settings.ts';
import { boundedMailer, type Deliver, type Mailer } from './mailer.ts';

export function openMailer(settings: MailSettings, clock: Clock): Mailer {
  let opened: Promise<Deliver> | null = null;
  const kind = settings.target.kind === 'folder' ? 'folder' : 'server';
  return boundedMailer(kind, async (mail) => {
    opened ??= openDelivery(settings, clock);
    const deliver = await opened;
    await deliver(mail);
  });
}

async function openDelivery({ target, from }: MailSettings, clock: Clock): Promise<Deliver> {
  // Import on first use, so that a service that sends no mail does not load the module.
  if (target.kind === 'folder') {
    const { deliverToFolder } = await import('./folder-delivery.ts');
    return deliverToFolder(target.path, from, clock);
  }
  const { deliverBySmtp } = await import('./smtp-delivery.ts');
  return deliverBySmtp(target, from);
}
