import { getOrCreate } from '../collections/get-or-create.ts'
import type { PathMap } from '../protocol/source-map.ts'

/**
 * Records of which parts of a request the objects of its body are made. An object without a record is made of none, or
 * the wire cannot name them: nothing is looked up by likeness. Objects that are copied need `join`.
 */
export class Origins {
  private readonly paths = new Map<object, string[]>()
  private readonly maps: PathMap[] = []

  /** `path`: that of the part in the request: `input[3]`, `input[3].content[1]`, `tools[0]`. */
  add(object: object, path: string): void {
    getOrCreate(this.paths, object, () => []).push(path)
  }

  /** The object takes the place of others, and is made of the same parts; `''` stands for one without a record. */
  join(object: object, others: readonly object[]): void {
    for (const other of others) for (const path of this.paths.get(other) ?? ['']) this.add(object, path)
  }

  /** The paths of the request that was encoded, after all translations. */
  pathsOf(object: object): readonly string[] {
    const own = this.paths.get(object) ?? []
    return own.flatMap(
      (path) => this.maps.reduce<string | null>((inner, map) => (inner ? map(inner) : inner), path) ?? [],
    )
  }

  /** Translates the paths of all objects to those of an earlier form of the request. */
  translate(toEarlier: PathMap): void {
    this.maps.push(toEarlier)
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
