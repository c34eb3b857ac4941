// The command of the suite: `node conformance --target target.json`. It is plain JavaScript, so
// that a Node without TypeScript support can run it and say which version is needed.

const NODE_MAJOR_MIN = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) < NODE_MAJOR_MIN) {
  const needed = `this is Node ${node}, and the suite requires Node ${NODE_MAJOR_MIN} or later`;
  const todo = 'install it, or run `npx node conformance` in a clone where `npm ci` has run';
  process.stderr.write(`conformance: ${needed}: ${todo}.\n`);
  process.exitCode = 2;
} else {
  await import('./main.ts');
}
