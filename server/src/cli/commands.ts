import { appAdd, appDisable, appEnable, appList, appRemove, appSet } from './app.ts';
import { catalogImport } from './catalog-import.ts';
import type { Command, StandaloneCommand, Usage } from './command.ts';
import { completion } from './completion.ts';
import { connectionList } from './connection.ts';
import { backup } from './backup.ts';
import { deliverUsage } from './deliver.ts';
import { doctor } from './doctor.ts';
import { emulateUsage } from './emulate.ts';
import { boostsImport, inventoryImport } from './import.ts';
import { inventoryRecount } from './inventory-recount.ts';
import { keyAdd, keyList, keyRemove } from './key.ts';
import { memberList } from './member-list.ts';
import { memberAdd, memberSet } from './member.ts';
import { migrate } from './migrate.ts';
import { restore } from './restore.ts';
import { restored } from './restored.ts';
import { serveUsage } from './serve.ts';
import { shopAdd, shopList } from './shop.ts';
import { shopClose, shopRename, shopReopen } from './shop-change.ts';
import { token } from './token.ts';

/** Every command that needs an open database, in the order of the help. */
export const commands: readonly Command[] = [
  migrate,
  shopAdd,
  shopList,
  shopRename,
  shopClose,
  shopReopen,
  memberAdd,
  memberSet,
  memberList,
  appAdd,
  appList,
  appSet,
  appDisable,
  appEnable,
  appRemove,
  connectionList,
  keyAdd,
  keyList,
  keyRemove,
  inventoryImport,
  inventoryRecount,
  boostsImport,
  catalogImport,
  backup,
  restore,
  restored,
  token,
];

export const standaloneCommands: readonly StandaloneCommand[] = [doctor, completion];

/** Every command, in the order of the help. */
export const usages: readonly Usage[] = [
  serveUsage,
  deliverUsage,
  emulateUsage,
  ...commands,
  ...standaloneCommands,
];

/** Returns the command that the first words name, and the words after its name. */
export function findCommand<Each extends Usage>(
  among: readonly Each[],
  argv: readonly string[],
): { readonly command: Each; readonly rest: readonly string[] } | undefined {
  for (const command of among) {
    const words = command.name.split(' ');
    if (words.every((word, index) => argv[index] === word)) {
      return { command, rest: argv.slice(words.length) };
    }
  }
  return undefined;
}
