import type { Frame } from '../framing/frame.ts'
import { isObject, parseJson } from '../text/json.ts'

/** The name of a failure beside the text and those in it: passed streams read it also where the decoder does not. */
function failureNames(payload: unknown): readonly string[] {
  const names = ['error']
  // A list, because a payload may be nested too deep for recursion.
  const values: unknown[] = isObject(payload) ? [payload.error] : []
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      names.push(name)
      values.push(inner)
    }
  }
  return names
}

/** The names of the fields that a step reads. It may read fields of any name if it reads the text itself. */
class ReadNames extends Set<string> {
  readsText = false

  override has(name: string): boolean {
    return this.readsText || super.has(name)
  }
}

export type FieldNames = ReadonlySet<string> & { readonly readsText: boolean }

/**
 * The names of all fields that a step reads in the payload of a frame, at any depth. The result of a pure step does not depend on
 * fields that it never read. `edited`: names that count as read, because edits read them.
 */
export function trackFieldAccess(
  { event, data }: Pick<Frame, 'event' | 'data'>,
  step: (frame: Frame) => void,
  edited: readonly string[] = [],
): FieldNames {
  const value = parseJson(data)
  const names = new ReadNames([...failureNames(value), ...edited])
  step({
    event,
    value: watched(value, names),
    get data() {
      names.readsText = true
      return data
    },
  })
  return names
}

const WATCHED = new WeakSet<object>()

export function watchAs<Value extends object>(value: Value, handler: ProxyHandler<Value>): Value {
  const proxy = new Proxy(value, handler)
  WATCHED.add(proxy)
  return proxy
}

/** Returns whether an object is such a proxy. */
export const isWatched = (value: object): boolean => WATCHED.has(value)

function watched(value: unknown, names: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const addName = (name: string | symbol): void => {
    if (typeof name === 'string') names.add(name)
  }
  return watchAs(value, {
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
