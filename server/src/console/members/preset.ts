import type { Language } from '../../html/language.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { presetMessages } from './messages.ts';

/**
 * Common sets of permissions that preselect the boxes of an invitation. The choice itself is not
 * stored.
 */
export const PRESETS = ['owner', 'clerk', 'developer'] as const;
export type Preset = (typeof PRESETS)[number];

const PERMISSIONS_OF: Readonly<Record<Preset, readonly Permission[]>> = {
  owner: PERMISSIONS,
  // Works with stock and boosts at the counter; purchase costs are for the owner.
  clerk: ['purchases.read', 'purchases.write', 'inventory.read', 'inventory.write'],
  // Connects apps, and sees the same data to find out what is missing in an app.
  developer: ['purchases.read', 'inventory.read', 'integrations.manage'],
};

/** The permissions of the preset in the address, the clerk's by default. */
export function permissionsOfPreset(name: string | undefined): readonly Permission[] {
  return PERMISSIONS_OF[presetOf(name)];
}

/** The preset in the address; by default the clerk's, because most people are invited as clerks. */
export function presetOf(name: string | undefined): Preset {
  return PRESETS.find((preset) => preset === name) ?? 'clerk';
}

export function presetName(preset: Preset, language: Language): string {
  return presetMessages[language][preset];
}
