import type { PathMap } from '../protocol/source-map.ts'

/**
 * Records of which parts of a request the objects of its body are made. An object without a record is made of none, or
 * the wire cannot name them: nothing is looked up by likeness. Objects that are copied need `join`.
 */
export interface Origins {
  /** `path`: that of the part in the request: `input[3]`, `input[3].content[1]`, `tools[0]`. */
  add(object: object, path: string): void
  /** The object takes the place of others, and is made of the same parts; `''` stands for one without a record. */
  join(object: object, others: readonly object[]): void
  /** The paths of the request that was encoded, after all translations. */
  pathsOf(object: object): readonly string[]
  /** Translates the paths of all objects to those of an earlier form of the request. */
  translate(toEarlier: PathMap): void
}

const NO_PATHS: readonly string[] = []

export function createOrigins(): Origins {
  const paths = new Map<object, string[]>()
  const maps: PathMap[] = []
  const own = (object: object): readonly string[] => paths.get(object) ?? NO_PATHS
  const add = (object: object, path: string): void => {
    const known = paths.get(object)
    if (known === undefined) paths.set(object, [path])
    else known.push(path)
  }
  return {
    add,
    join(object, others) {
      for (const other of others) {
        const found = own(other)
        if (found.length === 0) add(object, '')
        for (const path of found) add(object, path)
      }
    },
    pathsOf: (object) =>
      own(object).flatMap(
        (path) => maps.reduce<string | null>((inner, map) => (inner ? map(inner) : inner), path) ?? [],
      ),
    translate: (toEarlier) => void maps.push(toEarlier),
  }
}

/** Records that an object is made of whole items of `input`, and returns it. */
export function fromItems<T extends object>(
  made: T,
  origins: Origins | undefined,
  ...items: readonly { readonly at: number }[]
): T {
  if (origins !== undefined) for (const { at } of items) origins.add(made, `input[${at}]`)
  return made
}
