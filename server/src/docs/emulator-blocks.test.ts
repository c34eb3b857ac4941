import { listPages, needsEmulator } from '../../test/docs-pages.ts';
import { proveBlocks } from '../../test/docs-proof.ts';

proveBlocks(listPages().filter(needsEmulator));
