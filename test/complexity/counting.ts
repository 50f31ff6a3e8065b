/**
 * Counts the work of a computation on lists and texts: copied, visited or searched elements, and scanned characters.
 * The count is the same for every run on any machine, so that small inputs show the growth. Object spreads and loops by
 * index are not counted: only processor time shows them.
 */
export function countSteps(run: () => void): number {
  let steps = 0
  const undo: (() => void)[] = []
  const patch = (owner: object, name: PropertyKey, wrap: (own: Method) => Method): void => {
    const own = Object.getOwnPropertyDescriptor(owner, name)
    if (own === undefined || typeof own.value !== 'function') return
    Object.defineProperty(owner, name, { ...own, value: wrap(own.value as Method) })
    undo.push(() => void Object.defineProperty(owner, name, own))
  }
  const add = (count: number): void => {
    steps += count
  }
  patchAll(patch, add)
  try {
    run()
  } finally {
    for (const restore of undo.reverse()) restore()
  }
  return steps
}

type Method = (this: unknown, ...args: unknown[]) => unknown
type Patch = (owner: object, name: PropertyKey, wrap: (own: Method) => Method) => void

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : value instanceof Uint8Array ? value.length : 0

const VISITING = ['every', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'flatMap', 'forEach', 'map']
const ALSO_VISITING = ['reduce', 'reduceRight', 'some']
const GIVING = ['slice', 'concat', 'flat', 'with', 'toSorted', 'toSpliced', 'toReversed']
const TAKING_ALL = [
  'join',
  'reverse',
  'shift',
  'sort',
  'splice',
  'unshift',
  'indexOf',
  'lastIndexOf',
  'includes',
  'keys',
]
const READING_ALL = ['lastIndexOf', 'match', 'matchAll', 'replace', 'replaceAll', 'search', 'split', 'normalize']

function patchAll(patch: Patch, add: (count: number) => void): void {
  /** Counts each call of the callback. */
  const visiting = (own: Method): Method =>
    function (this: unknown, ...args) {
      const [visit, ...rest] = args
      if (typeof visit !== 'function') return Reflect.apply(own, this, args)
      const counted = function (this: unknown, ...inner: unknown[]): unknown {
        add(1)
        return Reflect.apply(visit, this, inner)
      }
      return Reflect.apply(own, this, [counted, ...rest])
    }
  /** Counts the length of the result. */
  const giving = (own: Method): Method =>
    function (this: unknown, ...args) {
      const result = Reflect.apply(own, this, args)
      add(lengthOf(result))
      return result
    }
  const takingAll = (own: Method): Method =>
    function (this: unknown, ...args) {
      add(lengthOf(this))
      return Reflect.apply(own, this, args)
    }
  const reading = (own: Method): Method =>
    function (this: unknown, ...args) {
      add(lengthOf(args[0]))
      return Reflect.apply(own, this, args)
    }
  /** Counts the scanned length: up to the match, or to the end. */
  const looking = (own: Method): Method =>
    function (this: unknown, ...args) {
      const found = Number(Reflect.apply(own, this, args))
      const from = typeof args[1] === 'number' ? args[1] : 0
      add(Math.max(1, (found < 0 ? lengthOf(this) : found) - from))
      return found
    }
  /** Counts the characters up to the end of a match; how far a pattern without a match reads is not known. */
  const matching = (own: Method): Method =>
    function (this: unknown, ...args) {
      const from = (this as RegExp).lastIndex
      const found = Reflect.apply(own, this, args) as RegExpExecArray | null
      add(found === null ? 1 : Math.max(1, found.index + found[0].length - from))
      return found
    }
  const once = (own: Method): Method =>
    function (this: unknown, ...args) {
      add(1)
      return Reflect.apply(own, this, args)
    }
  const iterating = (own: Method): Method =>
    function (this: unknown, ...args) {
      const inner = Reflect.apply(own, this, args) as Iterator<unknown>
      return {
        next: () => {
          add(1)
          return inner.next()
        },
        [Symbol.iterator]() {
          return this
        },
      }
    }
  for (const name of [...VISITING, ...ALSO_VISITING]) patch(Array.prototype, name, visiting)
  for (const name of GIVING) patch(Array.prototype, name, giving)
  for (const name of TAKING_ALL) patch(Array.prototype, name, takingAll)
  for (const name of ['keys', 'entries', 'values', 'getOwnPropertyNames']) patch(Object, name, giving)
  for (const name of READING_ALL) patch(String.prototype, name, takingAll)
  for (const name of ['charCodeAt', 'codePointAt']) patch(String.prototype, name, once)
  patch(String.prototype, 'indexOf', looking)
  // Also called by the other methods of patterns.
  patch(RegExp.prototype, 'exec', matching)
  patch(JSON, 'parse', reading)
  patch(JSON, 'stringify', giving)
  // Patched last, because the code above uses iteration itself.
  patch(String.prototype, Symbol.iterator, iterating)
  patch(Array.prototype, Symbol.iterator, iterating)
}
