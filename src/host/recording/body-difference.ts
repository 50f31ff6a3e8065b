import { isObject } from '../../text/json.ts'

/** The first difference between two JSON values, in the order of the first one's members. */
interface Difference {
  /** `messages[1].content`; empty for the values themselves. */
  readonly path: string
  readonly recorded: unknown
  readonly received: unknown
}

type Pair = readonly [path: string, recorded: unknown, received: unknown]

/** The characters of a masked secret. */
const MASKED = /x{6}|1{6}/

/** A masked text equals every text that differs from it only where it is masked. */
function isMaskOf(recorded: string, received: string): boolean {
  if (recorded.length !== received.length || !MASKED.test(recorded)) return false
  for (let at = 0; at < recorded.length; at += 1) {
    const one = recorded[at]
    if (one !== received[at] && one !== 'x' && one !== '1') return false
  }
  return true
}

const isSame = (recorded: unknown, received: unknown): boolean =>
  recorded === received ||
  (typeof recorded === 'string' && typeof received === 'string' && isMaskOf(recorded, received))

function pairsOf([path, recorded, received]: Pair): readonly Pair[] | null {
  if (Array.isArray(recorded) && Array.isArray(received)) {
    const length = Math.max(recorded.length, received.length)
    return Array.from({ length }, (_, at): Pair => [`${path}[${at}]`, recorded[at], received[at]])
  }
  if (!isObject(recorded) || !isObject(received)) return null
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(received)])]
  const at = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
    Object.hasOwn(value, key) ? value[key] : undefined
  return keys.map((key): Pair => [path === '' ? key : `${path}.${key}`, at(recorded, key), at(received, key)])
}

/** All differences except those in masked secrets. A loop, because a hostile input could overflow the stack of a recursion. */
function* differences(recorded: unknown, received: unknown): Generator<Difference, void> {
  const todo: Pair[] = [['', recorded, received]]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [path, left, right] = next
    if (isSame(left, right)) continue
    const pairs = pairsOf(next)
    if (pairs === null) yield { path, recorded: left, received: right }
    // An array of any length: its members cannot all be arguments of a call.
    else for (const pair of pairs.toReversed()) todo.push(pair)
  }
}

/** Returns the first difference; null if there is none, or only in masked secrets. */
export function differenceOf(recorded: unknown, received: unknown): Difference | null {
  const [first = null] = differences(recorded, received)
  return first
}

/** The number of differences, or `most` if there are at least as many. */
export function countDifferences(recorded: unknown, received: unknown, most: number): number {
  let count = 0
  for (const _ of differences(recorded, received)) {
    count += 1
    if (count >= most) break
  }
  return count
}

const LONGEST_SHOWN = 60

const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`
}

/** A sentence without its full stop: `body.model: the recording has "a", the request has "b"`. */
export const describeDifference = ({ path, recorded, received }: Difference): string =>
  `${path === '' ? 'body' : `body.${path}`}: the recording has ${shown(recorded)}, the request has ${shown(received)}`
