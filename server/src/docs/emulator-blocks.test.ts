import { describe } from 'node:test';
import { listPages, needsEmulator } from '../../test/docs-pages.ts';
import { proveBlocks } from '../../test/docs-proof.ts';

describe('the code blocks of the emulator pages', () => {
  proveBlocks(listPages().filter(needsEmulator));
});
