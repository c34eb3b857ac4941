import type { Language } from '../../html/language.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { presetMessages } from './messages.ts';

/** Common sets of permissions, which preselect the boxes of an invitation and are not stored. */
export const PRESETS = ['owner', 'clerk', 'developer'] as const;
export type Preset = (typeof PRESETS)[number];

const PERMISSIONS_OF: Readonly<Record<Preset, readonly Permission[]>> = {
  owner: PERMISSIONS,
  // A clerk works with stock and boosts at the counter, and does not see purchase costs.
  clerk: ['purchases.read', 'purchases.write', 'inventory.read', 'inventory.write'],
  // A developer connects apps, and sees the same data as apps to find out what an app is missing.
  developer: ['purchases.read', 'inventory.read', 'integrations.approve', 'integrations.manage'],
};

export function permissionsOfPreset(name: string | undefined): readonly Permission[] {
  return PERMISSIONS_OF[presetOf(name)];
}

/** The default is the clerk, because most people are invited as clerks. */
export function presetOf(name: string | undefined): Preset {
  return PRESETS.find((preset) => preset === name) ?? 'clerk';
}

export function presetName(preset: Preset, language: Language): string {
  return presetMessages[language][preset];
}
