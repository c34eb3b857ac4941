/**
 * Changes environment variables of this process; `undefined` deletes one. Disposing restores the
 * previous values.
 */
export function changeEnvironment(
  changes: Readonly<Record<string, string | undefined>>,
): Disposable {
  const previous = Object.fromEntries(
    Object.keys(changes).map((name) => [name, process.env[name]]),
  );
  setVariables(changes);
  return { [Symbol.dispose]: () => setVariables(previous) };
}

function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
