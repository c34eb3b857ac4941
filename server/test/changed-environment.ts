/** Changes variables of this process's environment, `undefined` for none; disposing puts them back. */
export function changeEnvironment(
  changes: Readonly<Record<string, string | undefined>>,
): Disposable {
  const former = Object.fromEntries(Object.keys(changes).map((name) => [name, process.env[name]]));
  setVariables(changes);
  return { [Symbol.dispose]: () => setVariables(former) };
}

function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
