type Members = Readonly<Record<string, unknown>>

/**
 * A copy of an object of a program that others may extend by a spread: with the methods of its classes, which a spread
 * leaves out. They keep their object.
 */
export function withMethods<Whole extends object>(whole: Whole): Whole {
  const members: Record<string, unknown> = {}
  for (let part: object | null = whole; part !== null; part = Object.getPrototypeOf(part)) {
    for (const name of Object.getOwnPropertyNames(part)) {
      if (Object.hasOwn(Object.prototype, name) || Object.hasOwn(members, name)) continue
      const value = (whole as Members)[name]
      members[name] = typeof value === 'function' && part !== whole ? value.bind(whole) : value
    }
  }
  return members as Whole
}
