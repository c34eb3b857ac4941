// `node directus.mjs COMMAND`: runs a command of Directus without its native module isolated-vm,
// which only runs the code of extensions and flows, and would have to be compiled.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'isolated-vm' ? 'node:util' : specifier, context),
});
const installed = new URL('directus/node_modules/', import.meta.url);
await import(new URL('@directus/api/dist/cli/run.js', installed).href);
