import { appAdd, appDisable, appEnable, appList, appRemove, appSet } from './app.ts';
import { catalogImport } from './catalog-import.ts';
import type { Command } from './command.ts';
import { connectionList } from './connection.ts';
import { backup } from './backup.ts';
import { boostsImport, inventoryImport } from './import.ts';
import { inventoryRecount } from './inventory-recount.ts';
import { keyAdd, keyList, keyRemove } from './key.ts';
import { memberList } from './member-list.ts';
import { memberAdd, memberSet } from './member.ts';
import { migrate } from './migrate.ts';
import { restore } from './restore.ts';
import { restored } from './restored.ts';
import { shopAdd, shopList } from './shop.ts';
import { token } from './token.ts';

/** Every command that works in the database, in the order of the help. */
export const commands: readonly Command[] = [
  migrate,
  shopAdd,
  shopList,
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

/** The command named by the first words, and the words after its name. */
export function findCommand(
  argv: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  for (const command of commands) {
    const words = command.name.split(' ');
    if (words.every((word, index) => argv[index] === word)) {
      return { command, rest: argv.slice(words.length) };
    }
  }
  return undefined;
}
