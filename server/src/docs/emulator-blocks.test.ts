import { describe } from 'node:test';
import { listPages, needsEmulator } from '../../test/docs-pages.ts';
import { testCodeBlocks } from '../../test/code-block-tests.ts';

describe('the code blocks of the emulator pages', () => {
  testCodeBlocks(listPages().filter(needsEmulator));
});
