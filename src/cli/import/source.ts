import { formatConfigPath } from '../../gateway/config/config-problems.ts'
import { isObject } from '../../text/json.ts'

/** A value of the file that is imported, with its path. What is neither carried nor named is found at the end. */
export interface Source {
  readonly path: string
  readonly value: unknown
  /** The member of an object, whose value is undefined if it has none. */
  at(name: string): Source
  /** The elements of a list; none of any other value. */
  items(): readonly Source[]
  /** The members of an object; none of any other value. */
  members(): readonly (readonly [name: string, member: Source])[]
  /** The value as a whole, which the configuration has an equivalent of. */
  carry(): unknown
  /** The value, carried, if it is a text with characters. */
  text(): string | null
  /** The value, carried, if it is a number. */
  number(): number | null
  /** Names the value as one without an equivalent. */
  miss(reason: string): void
  /** Names what the configuration does otherwise. The value counts as carried or not all the same. */
  note(reason: string): void
}

/** A value without an equivalent, or with another one. */
export interface Missing {
  readonly path: string
  readonly reason: string
}

/** Reasons by the end of a path, for values that no function names. The first one that matches applies. */
export type Reasons = readonly (readonly [path: RegExp, reason: string])[]

const NO_EQUIVALENT = 'no equivalent'
const CARRIED = Symbol('carried')

type Mark = typeof CARRIED | string

interface CreatedSource {
  readonly source: Source
  /** Values that are carried otherwise. */
  readonly notes: readonly Missing[]
  /** Values that are not carried. Called after the import. */
  missing(reasons: Reasons): readonly Missing[]
}

/** Follows which values of the content of a file are carried. */
export function createSource(root: unknown): CreatedSource {
  const marks = new Map<string, Mark>()
  const notes: Missing[] = []
  const sourceAt = (path: readonly PropertyKey[], value: unknown): Source => {
    const key = JSON.stringify(path)
    const inner = (name: string | number): Source =>
      sourceAt([...path, name], isObject(value) || Array.isArray(value) ? Reflect.get(value, name) : undefined)
    const carry = (): unknown => {
      marks.set(key, CARRIED)
      return value
    }
    return {
      path: formatConfigPath(path),
      value,
      at: (name) =>
        isObject(value) && Object.hasOwn(value, name) ? inner(name) : sourceAt([...path, name], undefined),
      items: () => (Array.isArray(value) ? value.map((_, at) => inner(at)) : []),
      members: () => (isObject(value) ? Object.keys(value).map((name) => [name, inner(name)] as const) : []),
      carry,
      text() {
        if (typeof value !== 'string' || value.trim() === '') return null
        carry()
        return value.trim()
      },
      number() {
        if (typeof value !== 'number' || !Number.isFinite(value)) return null
        carry()
        return value
      },
      miss: (reason) => void marks.set(key, reason),
      note: (reason) => void notes.push({ path: formatConfigPath(path), reason }),
    }
  }

  const source = sourceAt([], root)
  const isMarked = (one: Source, path: readonly PropertyKey[]): boolean =>
    marks.has(JSON.stringify(path)) || childrenOf(one).some(([name, child]) => isMarked(child, [...path, name]))

  function missingIn(one: Source, path: readonly PropertyKey[], reasons: Reasons): readonly Missing[] {
    const mark = marks.get(JSON.stringify(path))
    if (mark === CARRIED) return []
    if (mark !== undefined) return [{ path: one.path, reason: mark }]
    const own = reasonOf(one.path, reasons)
    const whole = [{ path: one.path, reason: own ?? NO_EQUIVALENT }]
    const children = childrenOf(one)
    const isUntouched = path.length > 0 && !isMarked(one, path)
    if (children.length === 0 || (isUntouched && own !== undefined)) return whole
    const inner = children.flatMap(([name, child]) => missingIn(child, [...path, name], reasons))
    return isUntouched && inner.every(({ reason }) => reason === NO_EQUIVALENT) ? whole : inner
  }
  return { source, notes, missing: (reasons) => missingIn(source, [], reasons) }
}

const childrenOf = (one: Source): readonly (readonly [PropertyKey, Source])[] =>
  Array.isArray(one.value) ? one.items().map((item, at) => [at, item] as const) : one.members()

const reasonOf = (path: string, reasons: Reasons): string | undefined =>
  reasons.find(([pattern]) => pattern.test(path))?.[1]
