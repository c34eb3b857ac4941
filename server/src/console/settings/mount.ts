import type { MountSection } from '../section.ts';
import { saveSettings, showSettings } from './settings-page.ts';

export const mountSettings: MountSection = (routes, deps) => {
  const needed = 'members.manage';
  routes.page('/settings', needed, async (context) => showSettings(deps, context));
  routes.action('/settings', needed, async (context) => saveSettings(deps, context));
};
