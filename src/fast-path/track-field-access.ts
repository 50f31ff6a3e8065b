/**
 * The names of all fields that `steps` reads in a parsed value, at any depth. The result of a pure step does not depend
 * on fields that it never read.
 */
export function trackFieldAccess(value: unknown, steps: (value: unknown) => void): ReadonlySet<string> {
  const names = new Set<string>()
  steps(watched(value, names))
  return names
}

function watched(value: unknown, names: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const addName = (name: string | symbol): void => {
    if (typeof name === 'string') names.add(name)
  }
  return new Proxy(value, {
    get(target, name) {
      addName(name)
      return watched(Reflect.get(target, name), names)
    },
    has(target, name) {
      addName(name)
      return Reflect.has(target, name)
    },
    getOwnPropertyDescriptor(target, name) {
      addName(name)
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
    ownKeys(target) {
      const own = Reflect.ownKeys(target)
      own.forEach(addName)
      return own
    },
  })
}
