import assert from 'node:assert/strict';
import { findShopSettings } from '../src/shops/shop-settings.ts';
import type { Person } from './browser-person.ts';

const PATH = '/settings';

export async function runSettingsActions(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  await person.open(PATH);
  await person.field('contactEmails').fill('not an address');
  await person.send(PATH);
  await person.expectError('contactEmails');
  if (person.hasScripts) await person.checkPage(422);
  await person.field('contactEmails').fill('desk@kumo.example');
  await person.field('timezone').fill('Asia/Seoul');
  await person.send(PATH);
  await person.expectFlash('saved');
  const settings = await findShopSettings(base.db, shop.shop.id);
  assert.deepEqual(
    [settings?.timezone, settings?.contactEmails],
    ['Asia/Seoul', ['desk@kumo.example']],
  );
}
