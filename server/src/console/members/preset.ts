import type { Language } from '../../pages/language.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { presetMessages } from './messages.ts';

/** Usual sets of permissions, by which the boxes of an invitation are ticked. Which it was is kept nowhere. */
export const PRESETS = ['owner', 'clerk', 'developer'] as const;
export type Preset = (typeof PRESETS)[number];

const PERMISSIONS_OF: Readonly<Record<Preset, readonly Permission[]>> = {
  owner: PERMISSIONS,
  // Works with stock and boosts at the counter; what pieces have cost is the owner's.
  clerk: ['purchases.read', 'purchases.write', 'inventory.read', 'inventory.write'],
  // Connects apps, and sees what they see, to find out why something is missing there.
  developer: ['purchases.read', 'inventory.read', 'integrations.manage'],
};

/** The permissions of a preset that an address names; those of a clerk when it names none of ours. */
export function permissionsOfPreset(name: string | undefined): readonly Permission[] {
  return PERMISSIONS_OF[presetOf(name)];
}

/** The preset that an address names, or the clerk's: most who are invited are. */
export function presetOf(name: string | undefined): Preset {
  return PRESETS.find((preset) => preset === name) ?? 'clerk';
}

export function presetName(preset: Preset, language: Language): string {
  return presetMessages[language][preset];
}
