// Packs a new, empty cluster of the embedded engine: `node scripts/pack-cluster.ts`. Run it after an upgrade of PGlite.
import { writeFileSync } from 'node:fs';
import { constants, zstdCompressSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const target = new URL('../server/src/database/pglite/empty-cluster.tar.zst', import.meta.url);

const pglite = await PGlite.create();
// Nothing is ever copied from the templates. Without them there are a third of the files to sync at a first start, and
// no database is left that no session can freeze (every 2 billion transactions the server would stop for it).
await pglite.exec("update pg_database set datistemplate = false where datname like 'template%'");
await pglite.exec('drop database template0');
await pglite.exec('drop database template1');
await pglite.exec('vacuum (freeze, analyze)');
await pglite.exec('checkpoint');
const dump = await pglite.dumpDataDir('none');
const tar = Buffer.from(await dump.arrayBuffer());
// The catalogs repeat themselves far apart: gzip, whose window is small, needs four times as much.
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
