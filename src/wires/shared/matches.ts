import type { JsonRecord } from '../../protocol/json.ts'
import { isObject, toArray } from '../../text/json.ts'
import type { Matches } from '../traits.ts'

export const isText = (value: unknown): value is string => typeof value === 'string'

/** Whether a value is an object with one of these members. */
export const hasAny = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.some((name) => Object.hasOwn(value, name))

export const someObject = (list: unknown, matches: Matches): boolean =>
  toArray(list).some((one) => isObject(one) && matches(one))

export const somePart = ({ messages }: JsonRecord, matches: Matches): boolean =>
  someObject(messages, ({ content }) => someObject(content, matches))

/** Whether a call of a message has arguments of this form. */
export const someCall = ({ messages }: JsonRecord, fits: (args: unknown) => boolean): boolean =>
  someObject(messages, ({ tool_calls: calls }) =>
    someObject(calls, ({ function: called }) => isObject(called) && fits(called.arguments)),
  )
