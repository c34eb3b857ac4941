// Packs a new, empty cluster of the embedded engine: `node scripts/pack-cluster.ts`. Run it after an upgrade of PGlite.
import { writeFileSync } from 'node:fs';
import { constants, zstdCompressSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const target = new URL('../server/src/database/pglite/empty-cluster.tar.zst', import.meta.url);

const pglite = await PGlite.create();
const dump = await pglite.dumpDataDir('none');
const tar = Buffer.from(await dump.arrayBuffer());
// Three databases of the same content: the window must span them (4.5 MB with gzip, 1.1 MB with this).
const pack = zstdCompressSync(tar, {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 26,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
});
writeFileSync(target, pack);
await pglite.close();
console.log(`${target.pathname}: ${pack.length} bytes of ${tar.length}`);
