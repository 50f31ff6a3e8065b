import { isObject } from './json.ts'

type Pair = readonly [key: string, left: unknown, right: unknown]

/** The inner values of two lists or two objects in pairs; null if the two cannot be equal. */
function pairsOf(left: unknown, right: unknown): readonly Pair[] | null {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length ? left.map((value, i): Pair => [`[${i}]`, value, right[i]]) : null
  }
  if (!isObject(left) || !isObject(right)) return null
  const keys = Object.keys(left)
  const alike = keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key))
  return alike ? keys.map((key): Pair => [`.${key}`, left[key], right[key]]) : null
}

/**
 * The path of a difference between two JSON values (`.output[0].text`), empty for the values themselves; null if they
 * are equal, in any order of keys. A loop, because a hostile input could overflow the stack of a recursion.
 */
export function firstDifference(a: unknown, b: unknown): string | null {
  if (a === b) return null
  const todo: Pair[] = [['', a, b]]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [path, left, right] = next
    if (left === right) continue
    const pairs = pairsOf(left, right)
    if (pairs === null) return path
    for (const [key, l, r] of pairs) todo.push([path + key, l, r])
  }
  return null
}
