import type { Json } from '../protocol/json.ts'
import { formatJson, isObject } from '../text/json.ts'

/** Parsers that protect prototypes refuse a whole stream for a member with such a name. */
const isPrototypeName = (name: string, value: unknown): boolean =>
  name === '__proto__' || (name === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))

/** The value itself if it has no such member, else a copy without them. O(n). */
export function withoutPrototypeNames<Value extends Json>(value: Value): Value {
  const text = formatJson(value)
  if (!text.includes('"__proto__"') && !text.includes('"constructor"')) return value
  let isChanged = false
  const copy = JSON.stringify(value, (name, inner: unknown) => {
    if (!isPrototypeName(name, inner)) return inner
    isChanged = true
    return undefined
  })
  return isChanged ? JSON.parse(copy) : value
}
